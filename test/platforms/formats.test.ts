/**
 * What every renderer makes of ten thousand documents: it fits, it is escaped, and read as the platform reads it, it
 * shows the text. A document is parsed once for all of them.
 */
import fc from "fast-check";
import type { Root } from "mdast";
import type { Options } from "mdast-util-from-markdown";
import { describe, expect, it, vi } from "vitest";
import { MarkdownStream } from "../../src/adapter/terminal/markdown-stream.js";
import { painter } from "../../src/adapter/terminal/style.js";
import { widthOf } from "../../src/adapter/terminal/wrap.js";
import { loadMarkdown, split } from "../../src/delivery/split.js";
import { aDocument, aLongDocument } from "../support/random-markdown.js";
import { RENDERERS, type Renderer, SHOWN } from "../support/renderers.js";
import { notShown } from "../support/shown-words.js";

await loadMarkdown();

const parsed = vi.hoisted(() => new Map<Options, Map<string, Root>>());

vi.mock("mdast-util-from-markdown", async (original) => {
  const real = await original<typeof import("mdast-util-from-markdown")>();
  const fromMarkdown = (text: string, options: Options): Root => {
    const known = parsed.get(options) ?? new Map<string, Root>();
    const root = known.get(text) ?? real.fromMarkdown(text, options);
    parsed.set(options, known.set(text, root));
    return root;
  };
  return { ...real, fromMarkdown };
});

function expectShown(markdown: string, { read }: Renderer): void {
  const shown = read(markdown);
  const problem = notShown(markdown, shown);
  if (problem !== undefined)
    expect.fail(`${problem} of ${JSON.stringify(markdown)} in ${JSON.stringify(shown)}`);
}

describe.each(Object.entries(RENDERERS))("%s", (_, renderer) => {
  const { room, sizeOf } = renderer;

  it("shows the text of 10,000 documents, and takes them", () => {
    fc.assert(
      fc.property(aDocument, (markdown) => {
        for (const text of split(markdown, room)) {
          expectShown(text, renderer);
          expect(sizeOf(text)).toBeLessThanOrEqual(room.max);
        }
      }),
      { numRuns: 10_000, seed: 1 },
    );
  }, 300_000);

  it.each([
    ["small", 300],
    ["its own", room.max],
  ])(
    "takes long ones in pieces of %s size",
    (_size, max) => {
      fc.assert(
        fc.property(aLongDocument, (markdown) => {
          const pieces = split(markdown, { ...room, max });
          for (const text of pieces) {
            expect(renderer.read(text).trim()).not.toBe("");
            expect(sizeOf(text)).toBeLessThanOrEqual(max);
          }
        }),
        { numRuns: 20, seed: 2 },
      );
    },
    300_000,
  );
});

describe("A link that leads nowhere in the web", () => {
  it.each(Object.entries(SHOWN))("shows on %s where it leads", (_, read) => {
    for (const [markdown, ...words] of LINKS) {
      const shown = read(markdown);
      for (const word of words) expect(shown, markdown).toContain(word);
    }
  });
});

const LINKS = [
  ["See [the adapter](src/a.ts) now", "the adapter", "src/a.ts", "now"],
  ["See [the adapter][1] now\n\n[1]: ./src/b.ts", "the adapter", "./src/b.ts", "now"],
  ["- [**bold** words](../c.ts)", "bold", "words", "../c.ts"],
  ["![a picture](chart.png)", "a picture", "chart.png"],
  ["[](d.ts)", "d.ts"],
  ["[src/e.ts](src/e.ts)", "src/e.ts"],
  ["[a section](#section)", "a section", "#section"],
  ["| file |\n|---|\n| [one](f.ts) |", "one", "f.ts"],
] as const;

describe("The terminal", () => {
  it("shows 10,000 documents without a control character, and no wider than it is", () => {
    const look = { width: 40, color: false };
    fc.assert(
      fc.property(aDocument, (markdown) => {
        const stream = new MarkdownStream();
        stream.push(markdown);
        const rows = [...stream.take(look), ...stream.end(look)].map(painter(false));
        const odd = rows.filter((row) => CONTROL.test(row) || widthOf(row) > look.width);
        expect(odd).toEqual([]);
      }),
      { numRuns: 10_000, seed: 1 },
    );
  }, 300_000);
});

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
