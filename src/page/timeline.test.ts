import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WirePost, WireTurn } from "../adapter/web/wire.js";
import type { WireMessage } from "../web/wire.js";
import { type Entry, type KnownChat, timelineOf, transcriptOf } from "./timeline.js";
import type { Unsent } from "./unsent.js";

const NOON = new Date(2026, 5, 15, 12).getTime();
const nothing: KnownChat = {
  ...{ sessionId: "s", messages: [], posts: [], waiting: [], unsent: [], accepted: [], typed: [], turns: [] },
};
const message = (seq: number, content: string, more: Partial<WireMessage> = {}): WireMessage => ({
  ...{ seq, at: NOON + seq, role: "user", content, isMine: true, ...more },
});
const answer = (seq: number, content: string, more: Partial<WireMessage> = {}): WireMessage =>
  message(seq, content, { role: "assistant", isMine: undefined, ...more });
const own = (id: string, text: string, tried = 0): Unsent => ({
  ...{ id, identity: "telegram:1", thread: null, text, files: [], at: NOON, order: 0, tried },
  ...{ after: -1, refused: null },
});
const post = (id: string, at: number, more: Partial<WirePost> = {}): WirePost => ({
  ...{ id, position: Number(id), thread: null, at, purpose: "notice", text: `post ${id}` },
  ...{ buttons: [], files: [], transcript: null, isGone: false, ...more },
});
const turn = (more: Partial<WireTurn> = {}): WireTurn => ({
  ...{ id: "t1", thread: null, startedAt: NOON + 100, text: "", reasoning: "", calls: [], retry: null },
  ...{ isAsking: false, ...more },
});
const call = (id: string): WireTurn["calls"][number] => ({
  ...{ id, name: "terminal", arguments: "{}", state: "running", output: "", result: null },
});
const kinds = (entries: readonly Entry[]): string => entries.map(({ kind }) => kind).join(" ");

/** What people read in an entry. */
function textOf(entry: Entry): string {
  switch (entry.kind) {
    case "said":
    case "answer":
      return entry.message.content;
    case "unsent":
      return entry.item.text;
    case "post":
      return entry.post.text;
    case "day":
      return "";
    default:
      return entry.text;
  }
}

describe("nothing is shown twice", () => {
  it("whichever part of the page hears of a message first", () => {
    // Its way: into the outbox, to the server, into the queue, into the transcript. Each is heard of at its own time.
    const way = fc.record({
      ...{ isSaid: fc.boolean(), isWaiting: fc.boolean(), isAccepted: fc.boolean(), isUnsent: fc.boolean() },
      tried: fc.constantFrom(0, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(way, { maxLength: 6 }), (ways) => {
        const all = ways.map((each, n) => ({ ...each, item: own(`id ${n}`, `text ${n}`, each.tried), n }));
        // Whoever waits in the queue is not in the transcript, and the first try is in the transcript only if it is confirmed.
        const isIn = (each: (typeof all)[number]): boolean =>
          each.isSaid && !each.isWaiting && (!each.isUnsent || each.tried > 0 || each.isAccepted);
        const entries = timelineOf({
          ...nothing,
          messages: all.filter(isIn).map(({ n }) => message(n, `text ${n}`)),
          waiting: all
            .filter((each) => each.isWaiting)
            .map(({ item: { id, text, at } }) => ({ id, text, at })),
          accepted: all.filter((each) => each.isAccepted).map(({ item }) => item),
          unsent: all.filter((each) => each.isUnsent).map(({ item }) => item),
        });
        const shown = entries.filter(({ kind }) => kind !== "day");
        expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
        const known = all.filter((each) => isIn(each) || each.isWaiting || each.isAccepted || each.isUnsent);
        expect(shown.map(textOf).sort()).toEqual(known.map(({ n }) => `text ${n}`).sort());
      }),
      { numRuns: 500 },
    );
  });

  it("shows the words and calls of a turn until the transcript has them", () => {
    const live = turn({ text: "The weather is fine.", calls: [call("c1"), call("c2")] });
    const calls = [{ id: "c1", name: "terminal", arguments: "{}" }];
    const shown = (messages: readonly WireMessage[]) =>
      timelineOf({ ...nothing, messages, turns: [live] }).find(({ kind }) => kind === "turn");
    expect(shown([])).toMatchObject({ text: live.text, calls: [{ id: "c1" }, { id: "c2" }] });
    expect(shown([answer(200, "", { toolCalls: calls })])).toMatchObject({
      text: live.text,
      calls: [{ id: "c2" }],
    });
    expect(shown([answer(200, " The weather is fine.\n")])).toMatchObject({ text: "" });
    // The same words long ago are other words.
    expect(shown([answer(1, live.text)])).toMatchObject({ text: live.text });
  });

  it("leaves out letters that the transcript has, and those that were taken back", () => {
    const posts = [post("1", NOON, { transcript: "s" }), post("2", NOON, { isGone: true }), post("3", NOON)];
    const entries = timelineOf({ ...nothing, posts: [...posts, post("4", NOON, { transcript: "another" })] });
    expect(entries.map(textOf)).toEqual(["", "post 3", "post 4"]);
  });
});

describe("the order", () => {
  it("is that of the transcript, with letters and commands between; what is said during a turn is below it", () => {
    const entries = timelineOf({
      ...nothing,
      messages: [message(1, "a"), answer(3, "b"), message(5, "c")],
      posts: [post("7", NOON + 150), post("2", NOON + 2)],
      typed: [{ id: "x", text: "/status", at: NOON + 4 }],
      turns: [turn()],
      waiting: [{ id: "w", text: "d", at: NOON }],
      unsent: [own("u", "e")],
    });
    expect(kinds(entries)).toBe("day said post answer command said turn post waiting unsent");
  });

  it("of messages stays, whatever their times say, and each day begins once", () => {
    const day = 24 * 3_600_000;
    const messages = [
      message(1, "a"),
      message(2, "b", { at: NOON + day }),
      message(3, "c", { at: NOON + day + 1 }),
    ];
    expect(transcriptOf(messages).map(({ kind, key }) => (kind === "day" ? "day" : key))).toEqual([
      ...["day", "message 1", "day", "message 2", "message 3"],
    ]);
    const times = fc.array(fc.nat(1_000));
    fc.assert(
      fc.property(times, times, (said, told) => {
        const known = { messages: said.map((at, seq) => message(seq, "", { at: NOON + at })), posts: [] };
        const posts = told.map((at, n) => post(`${n}`, NOON + at));
        const entries = timelineOf({ ...nothing, ...known, posts });
        const seqs = entries.flatMap((entry) => (entry.kind === "said" ? [entry.message.seq] : []));
        expect(seqs).toEqual(said.map((_, seq) => seq));
        expect(entries).toHaveLength(said.length + told.length + (said.length + told.length > 0 ? 1 : 0));
      }),
    );
  });
});

it("puts results to their calls; what has none is lost", () => {
  const toolCalls = ["c1", "c2"].map((id) => ({ id, name: "terminal", arguments: "{}" }));
  const messages = [answer(1, "", { toolCalls }), message(2, "done", { role: "tool", toolCallId: "c1" })];
  expect(transcriptOf(messages).at(-1)).toMatchObject({
    kind: "answer",
    calls: [
      { id: "c1", state: "done", result: "done" },
      { id: "c2", state: "lost", result: null },
    ],
  });
});
