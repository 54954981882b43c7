/** The built program in a real PTY, with a home folder of the test's. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PtyChat } from "./pty-chat.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** A line for sh in which `$BATON` is the program. */
export function realShell(home: string, line: string, env: Readonly<Record<string, string>> = {}): string {
  const set = Object.entries({ BATON_HOME: home, HOME: join(home, ".."), TZ: "UTC", ...env });
  const exports = set.map(([name, value]) => `export ${name}='${value}'`).join("; ");
  return `cd '${join(home, "..", "work")}'; ${exports}; ${line.replaceAll("$BATON", `'${process.execPath}' '${MAIN}'`)}`;
}

/** A chat that is ready for the first line. */
export function realChat(
  home: string,
  words = "",
  env: Readonly<Record<string, string>> = {},
): Promise<PtyChat> {
  return PtyChat.start({ columns: 100, rows: 24, shell: realShell(home, `exec $BATON ${words}`, env) });
}
