// The pages of docs/ that are made from the code: `npm run docs` writes them, the tests compare them.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "../src/adapter/platforms.js";
import { cliPage } from "./cli-page.js";
import { commandsPage } from "./commands-page.js";
import { configPage } from "./config-page.js";
import { peoplePage } from "./people-page.js";
import { platformsPage } from "./platforms-page.js";

/** By file name in docs/. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  "cli.md": cliPage,
  "commands.md": commandsPage,
  "config.md": configPage,
  "people.md": peoplePage,
  "platforms/README.md": platformsPage,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, page] of Object.entries(generatedPages)) {
    writeFileSync(new URL(`../docs/${name}`, import.meta.url), page());
  }
}
