/**
 * Long answers in pieces, on every platform: each piece fits, is complete by itself, and together they say what the whole
 * says. Each of 10,000 random documents on each platform, cut much smaller than any platform does, so that cuts fall
 * everywhere; and long ones at the platform's own limit. A document, or a piece that several platforms have, is parsed
 * once.
 */
import fc from "fast-check";
import type { Nodes } from "mdast";
import { expect, it } from "vitest";
import { parseMarkdown } from "../../src/adapter/markdown/read.js";
import { textOf, toHtml } from "../../src/adapter/telegram/format.js";
import { sizeOf } from "../../src/delivery/markdown-tree.js";
import { loadMarkdown, type PieceRoom, split } from "../../src/delivery/split.js";
import { aDocumentToCut, aLongDocument } from "../support/random-markdown.js";
import { RENDERERS, ROOMS } from "../support/renderers.js";
import { type Said, said, saidInAll } from "../support/said.js";

await loadMarkdown();

/** Much smaller; where markup counts so much that little else would fit, or has a limit of its own, without that. */
const small = (room: PieceRoom, name: string, max: number): PieceRoom => {
  if (name === "Telegram") return { max, lengthOf: (text) => textOf(toHtml(text)).length };
  if (name === "Feishu") return { max, lengthOf: (text) => RENDERERS.Feishu?.read(text).length ?? 0 };
  return { ...room, max };
};

/** `BATON_TEST_FULL=1`: also 10,000 long documents on each platform, at its own limit. */
const DOCUMENTS = 10_000;
const LONG = process.env.BATON_TEST_FULL === undefined ? 3 : 10_000;
const TIMEOUT_MS = 600_000 + 500 * LONG;

/** Characters that no platform shows, and which are not read. */
const clean = (markdown: string): string =>
  markdown.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

/** A document, and what its pieces say, which is looked at once for all platforms that cut it alike. */
class Whole {
  readonly #markdown: string;
  readonly #said: readonly Said[];
  readonly #saidIn = new Map<string, readonly Said[]>();

  constructor(markdown: string) {
    this.#markdown = markdown;
    this.#said = said(markdown);
  }

  /** Gives the number of pieces. */
  expectSame(room: PieceRoom): number {
    const [markdown, whole] = [this.#markdown, this.#said];
    const pieces = split(markdown, room);
    const isWhole = pieces.length === 1 && pieces[0] === markdown.trim();
    if (isWhole) return 1;
    const key = JSON.stringify(pieces);
    const all = this.#saidIn.get(key) ?? saidInAll(pieces);
    this.#saidIn.set(key, all);
    // A table whose head would fill every piece is taken apart, and so are lists far inside others.
    const isApart = hasLargeHead(markdown, room.max);
    const isSame = isApart ? words(all) === words(whole) : JSON.stringify(all) === JSON.stringify(whole);
    const tooLong = pieces.filter((piece) => !isApart && room.lengthOf(piece) > room.max);
    if (!isSame || tooLong.length > 0)
      expect.fail(`${JSON.stringify({ max: room.max, markdown, pieces, tooLong, whole, all }, null, 1)}`);
    return pieces.length;
  }
}

function words(all: readonly Said[]): string {
  return all
    .map((one) => one.words)
    .join("")
    .replace(/[|☐☑!…]/g, "");
}

function hasLargeHead(markdown: string, max: number): boolean {
  const look = (node: Nodes): boolean =>
    node.type === "tableRow" ? rowSize(node) > max / 10 : "children" in node && node.children.some(look);
  return look(parseMarkdown(markdown));
}

/** With the addresses that other lines explain. */
function rowSize(row: Nodes): number {
  return sizeOf(row) + 30 * (JSON.stringify(row).match(/Reference"/g)?.length ?? 0);
}

it(
  "pieces of 10,000 random documents say together what the whole says, on each platform",
  () => {
    const pieces = new Map(Object.keys(ROOMS).map((name) => [name, 0]));
    fc.assert(
      fc.property(aDocumentToCut, (markdown) => {
        // About two pieces; in less room, the signs around a part and the address of a link would fill it.
        const max = Math.max(160, Math.ceil(0.6 * markdown.length));
        const whole = new Whole(clean(markdown));
        for (const [name, room] of Object.entries(ROOMS))
          pieces.set(name, (pieces.get(name) ?? 0) + whole.expectSame(small(room, name, max)));
      }),
      { numRuns: DOCUMENTS, seed: 1 },
    );
    for (const count of pieces.values()) expect(count).toBeGreaterThan(1.2 * DOCUMENTS);
  },
  TIMEOUT_MS,
);

it.each(Object.entries(ROOMS))(
  "so do those of long ones on %s, at its own limit",
  (_, room) => {
    // One has at least a thousand characters.
    const count = Math.ceil((1.5 * room.max) / 1_000);
    const several = { minLength: count, maxLength: count };
    fc.assert(
      fc.property(fc.array(aLongDocument, several), (documents) => {
        const whole = new Whole(clean(documents.join("\n\n")));
        expect(whole.expectSame(room)).toBeGreaterThan(1);
      }),
      { numRuns: LONG, seed: 2 },
    );
  },
  TIMEOUT_MS,
);
