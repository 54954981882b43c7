/**
 * An id is a name, not a message: what one folder writes into it, no other may read out of it. This reads the source and
 * finds whoever takes one of our ids apart, outside of the few files that make them.
 */
import { expect, it } from "vitest";
import { nodesOf, placeOf, type SourceFile, sourceFile, sourceFiles } from "../support/source-files.js";

/** Each makes one kind of id, and is the only one to read it. */
const CODECS = [
  "src/session/access.ts", // identities, and whose a session is
  "src/session/handoff.ts", // where a handoff goes
  "src/session/session-key.ts",
  "src/session/source.ts", // addresses
  "src/adapter/web/web-source.ts", // the chat that somebody has in the page
  "src/util/holder.ts", // processes
];

/** What our ids are called, as the last word of a name. */
const OURS =
  /(?:^|\.)#?(?:deliveryId|delivery_id|handoffId|handoff_id|turnId|turn_id|inboxId|owner|laneOwner|holder|claimedBy|identity|purpose)$/;
const READERS =
  /\.(?:startsWith|endsWith|split|slice|substring|indexOf|lastIndexOf|match|matchAll|search|replace)$/;
const REGEXP_READERS = /\.(?:test|exec)$/;

it("nobody takes our ids apart, but those who make them", () => {
  const files = sourceFiles("src").filter(({ path }) => !CODECS.some((codec) => path.endsWith(codec)));
  expect(files.flatMap(readings)).toEqual([]);
});

it("finds who does", () => {
  const found = (text: string): string[] => readings(sourceFile("a.ts", text));
  for (const text of [
    'message.deliveryId.startsWith("turn_")',
    "/^ho_/.test(deliveryId)",
    'owner.split(" ")',
    "row.handoff_id.slice(0, 3)",
    'this.#owner.endsWith("x")',
  ])
    expect(found(text), text).toHaveLength(1);
  for (const text of ['text.startsWith("turn_")', "/^ho_/.test(text)", "owner === me", "owners.split(1)"])
    expect(found(text), text).toEqual([]);
});

it("no statement looks for a part of an id", () => {
  const likes = sourceFiles("src/store/sql").flatMap((file) =>
    file.text.split("\n").filter((line) => /_id(?: NOT)? LIKE|substr\(\w*_?id\b/.test(line)),
  );
  expect(likes).toEqual([]);
});

function readings(file: SourceFile): string[] {
  const found: string[] = [];
  const textOf = ({ start, end }: { start: number; end: number }): string => file.text.slice(start, end);
  for (const node of nodesOf(file.program)) {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") continue;
    const callee = textOf(node.callee);
    const [argument] = node.arguments;
    const isRead = READERS.test(callee) && OURS.test(textOf(node.callee.object));
    const isMatched = REGEXP_READERS.test(callee) && argument && OURS.test(textOf(argument));
    if (isRead || isMatched) found.push(placeOf(file, node));
  }
  return found;
}
