// docs/terminal.md: people write it, and the table of keys is made.
import { readFileSync } from "node:fs";
import { KEYS } from "../src/adapter/terminal/own-commands.js";

const [BEGIN, END] = ["<!-- keys -->\n", "<!-- /keys -->"];

export function terminalPage(): string {
  const written = readFileSync(new URL("../docs/terminal.md", import.meta.url), "utf8");
  const [before = "", rest = ""] = written.split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  const rows = KEYS.map(([keys, meaning]) => `| ${keys} | ${meaning} |\n`);
  return `${before}${BEGIN}| keys | what they do |\n| --- | --- |\n${rows.join("")}${after}`;
}
