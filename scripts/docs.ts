// The pages of docs/ that are made from the code: `npm run docs` writes them, the tests compare them.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "../src/adapter/platforms.js";
import { ALL_SHAPES } from "../test/platforms/shapes/all.js";
import { withTables } from "../test/platforms/shapes/shape.js";
import { cliPage } from "./cli-page.js";
import { commandsPage } from "./commands-page.js";
import { configPage } from "./config-page.js";
import { peoplePage } from "./people-page.js";
import { platformsPage } from "./platforms-page.js";
import { terminalPage } from "./terminal-page.js";

/** Pages that people write, with tables that are made. */
function shapePages(): Record<string, () => string> {
  const pages = [...new Set(ALL_SHAPES.map(({ page }) => page))];
  return Object.fromEntries(
    pages.map((page) => {
      const name = `platforms/${page}.md`;
      const tables = ALL_SHAPES.filter((each) => each.page === page);
      const written = () => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
      return [name, () => withTables(written(), tables)];
    }),
  );
}

/** By file name in docs/. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  "cli.md": cliPage,
  "commands.md": commandsPage,
  "config.md": configPage,
  "people.md": peoplePage,
  "platforms/README.md": platformsPage,
  "terminal.md": terminalPage,
  ...shapePages(),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, page] of Object.entries(generatedPages)) {
    writeFileSync(new URL(`../docs/${name}`, import.meta.url), page());
  }
}
