/** Pages that are made from the code are current: `npm run docs` makes them so. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generatedPages } from "../scripts/docs.js";
import { keysOf } from "../src/config/keys.js";
import { checkText } from "../src/config/read-file.js";
import { homeFile } from "../src/config/schema.js";

const pageText = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");

describe("docs/", () => {
  it.each(Object.entries(generatedPages))("%s is what `npm run docs` writes", (name, page) => {
    expect(pageText(name)).toBe(page());
  });
});

describe("docs/config.md", () => {
  it("has a row for every key", () => {
    const rows = [...pageText("config.md").matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key);
    expect(rows).toEqual(keysOf(homeFile).map((key) => key.path.join(".")));
  });
});

describe.each(["config.md", "mcp.md"])("docs/%s", (page) => {
  it("has examples that would be accepted", () => {
    const examples = [...pageText(page).matchAll(/^```yaml\n([\s\S]*?)^```/gm)];
    expect(examples.length).toBeGreaterThanOrEqual(1);
    for (const [, yaml = ""] of examples) expect(checkText(yaml, page, homeFile).problems).toEqual([]);
  });
});
