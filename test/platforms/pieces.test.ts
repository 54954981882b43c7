/**
 * Long answers in pieces, on every platform: each piece fits, is complete by itself, and together they say what the whole
 * says. Random documents, cut much smaller than any platform does, so that cuts fall everywhere; and long ones at the
 * platform's own limit.
 */
import fc from "fast-check";
import type { Nodes } from "mdast";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../src/adapter/markdown/read.js";
import { formatText as formatMattermost } from "../../src/adapter/mattermost/format.js";
import { LIMITS as MATTERMOST } from "../../src/adapter/mattermost/limits.js";
import { textOf, toHtml } from "../../src/adapter/telegram/format.js";
import { sizeOf } from "../../src/delivery/markdown-tree.js";
import { loadMarkdown, type PieceRoom, split } from "../../src/delivery/split.js";
import { aDocument, aLongDocument } from "../support/random-markdown.js";
import { RENDERERS } from "../support/renderers.js";
import { type Said, said, saidInAll } from "../support/said.js";

await loadMarkdown();

const ROOMS: Readonly<Record<string, PieceRoom>> = {
  ...Object.fromEntries(Object.entries(RENDERERS).map(([name, { room }]) => [name, room])),
  Mattermost: { max: MATTERMOST.maxText, lengthOf: (text) => formatMattermost(text).length },
};

/** Much smaller; where markup has a limit of its own, without that. */
const small = (room: PieceRoom, name: string, max: number): PieceRoom =>
  name === "Telegram" ? { max, lengthOf: (text) => textOf(toHtml(text)).length } : { ...room, max };

/** `BATON_TEST_FULL=1`: 10,000 documents on each platform, and as many long ones at its own limit. */
const isFull = process.env.BATON_TEST_FULL !== undefined;
const DOCUMENTS = isFull ? 10_000 : Math.ceil(10_000 / Object.keys(ROOMS).length);
const LONG = isFull ? 10_000 : 3;
const TIMEOUT_MS = 300_000 + 500 * (DOCUMENTS + LONG);

/** Characters that no platform shows, and which are not read. */
const clean = (markdown: string): string =>
  markdown.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

function expectSame(markdown: string, room: PieceRoom): number {
  const pieces = split(markdown, room);
  const isWhole = pieces.length === 1 && pieces[0] === markdown.trim();
  if (isWhole) return 1;
  const [whole, all] = [said(markdown), saidInAll(pieces)];
  // A table whose head would fill every piece is taken apart, and so are lists far inside others.
  const words = (each: readonly Said[]): string =>
    each
      .map((one) => one.words)
      .join("")
      .replace(/[|☐☑!…]/g, "");
  const isApart = hasLargeHead(markdown, room.max);
  const isSame = isApart ? words(all) === words(whole) : JSON.stringify(all) === JSON.stringify(whole);
  const tooLong = pieces.filter((piece) => !isApart && room.lengthOf(piece) > room.max);
  if (!isSame || tooLong.length > 0)
    expect.fail(`${JSON.stringify({ max: room.max, markdown, pieces, tooLong, whole, all }, null, 1)}`);
  return pieces.length;
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

describe.each(Object.entries(ROOMS))("On %s", (name, room) => {
  it(
    "pieces of random documents say together what the whole says",
    () => {
      const sizes = fc.constantFrom(200, 300);
      let pieces = 0;
      fc.assert(
        fc.property(aDocument, sizes, (markdown, max) => {
          pieces += expectSame(clean(markdown), small(room, name, max));
        }),
        { numRuns: DOCUMENTS, seed: name.length },
      );
      expect(pieces).toBeGreaterThan(DOCUMENTS);
    },
    TIMEOUT_MS,
  );

  it(
    "so do those of long ones, at its own limit",
    () => {
      // One has at least a thousand characters.
      const count = Math.ceil((1.5 * room.max) / 1_000);
      const several = { minLength: count, maxLength: count };
      fc.assert(
        fc.property(fc.array(aLongDocument, several), (documents) => {
          expect(expectSame(clean(documents.join("\n\n")), room)).toBeGreaterThan(1);
        }),
        { numRuns: LONG, seed: 2 },
      );
    },
    TIMEOUT_MS,
  );
});
