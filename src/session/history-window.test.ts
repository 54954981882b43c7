import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyWindow, keptMessage, readWindow } from "./history-window.js";
import type { Message, StoredMessage } from "./transcript.js";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "run", arguments: "{}" })),
});
const result = (toolCallId: string, content = "done"): Message => ({ role: "tool", toolCallId, content });

/** What every model API asks of a history, checked without the code under test. */
function expectValid(window: readonly Message[], max: number): void {
  expect(window.length).toBeLessThanOrEqual(max);
  if (window.length > 0) expect(window[0]?.role).toBe("user");
  const seen = new Set<string>();
  for (let at = 0; at < window.length; at++) {
    const message = window[at] as Message;
    expect(
      JSON.stringify(message).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(message.content)),
    ).toBe(true);
    expect(
      Object.keys(message).every((key) =>
        ["role", "content", "toolCalls", "toolCallId", "name"].includes(key),
      ),
    ).toBe(true);
    expect(message.role).not.toBe("tool"); // results are stepped over below, behind their call
    if (message.role !== "assistant" || !message.toolCalls) continue;
    expect(message.toolCalls.length).toBeGreaterThan(0);
    for (const call of message.toolCalls) {
      expect(seen.has(call.id)).toBe(false);
      seen.add(call.id);
      at += 1;
      expect(window[at]).toMatchObject({ role: "tool", toolCallId: call.id });
    }
  }
}

describe("historyWindow", () => {
  it("keeps a plain conversation as it is, without bookkeeping", () => {
    const stored: StoredMessage[] = [
      { role: "user", content: "hi", name: "Ann", seq: 1, at: 5 },
      { role: "assistant", content: "hello", reasoning: "…", seq: 2, at: 6 },
    ];
    expect(historyWindow(stored)).toEqual([{ role: "user", content: "hi", name: "Ann" }, said("hello")]);
  });

  it("takes the last messages, from a user message on", () => {
    const messages = [user("1"), said("2"), user("3"), said("4"), user("5")];
    expect(historyWindow(messages, { maxMessages: 4 })).toEqual([user("3"), said("4"), user("5")]);
    expect(historyWindow(messages, { maxMessages: 0 })).toEqual([]);
  });

  it("leaves out what is consolidated or superseded", () => {
    const messages = [user("1"), said("2"), user("3"), said("4")];
    expect(historyWindow(messages, { consolidatedThrough: 2 })).toEqual([user("3"), said("4")]);
    const stored = messages.map((message, index) => ({ ...message, seq: index + 11, at: 0 }));
    expect(historyWindow(stored, { consolidatedThrough: 12 })).toEqual([user("3"), said("4")]);
    expect(
      historyWindow([
        user("1"),
        { role: "user", content: "x", seq: 2, at: 0, supersededAt: 1 } as StoredMessage,
      ]),
    ).toEqual([user("1")]);
  });

  it("answers an unanswered call with an error, anywhere", () => {
    const [, , answer, next] = historyWindow([user("go"), calls("a"), user("still there?")]);
    expect(answer).toMatchObject({
      role: "tool",
      toolCallId: "a",
      name: "run",
      content: expect.stringMatching(/Error/),
    });
    expect(next).toEqual(user("still there?"));
  });

  it("drops orphan results and keeps a late one with its call", () => {
    expect(historyWindow([user("go"), result("x"), said("ok")])).toEqual([user("go"), said("ok")]);
    expect(historyWindow([user("go"), calls("a"), user("and?"), result("a")])).toEqual([
      user("go"),
      calls("a"),
      result("a"),
      user("and?"),
    ]);
  });

  it("pairs parallel calls in their order and makes repeated ids distinct", () => {
    const window = historyWindow([
      user("go"),
      calls("a", "b"),
      result("b", "B"),
      result("a", "A"),
      calls("a"),
      result("a", "A2"),
    ]);
    expect(window.filter((message) => message.role === "tool").map((message) => message.content)).toEqual([
      "A",
      "B",
      "A2",
    ]);
    expectValid(window, 500);
  });

  it("is empty rather than broken without a user message", () => {
    expect(historyWindow([said("hi"), calls("a"), result("a")])).toEqual([]);
  });

  it("mends text cut inside an emoji", () => {
    expect(historyWindow([user("ok \ud83d")])).toEqual([user("ok \ufffd")]);
  });

  const id = fc.constantFrom("", "a", "b", "a_2", "call", "\ud800");
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), fc.constantFrom("", "\ud83d", "x"));
  const anyMessage: fc.Arbitrary<unknown> = fc.oneof(
    fc.record(
      { role: fc.constant("user"), content: text, name: text, at: fc.nat() },
      { requiredKeys: ["role", "content"] },
    ),
    fc.record(
      {
        role: fc.constant("assistant"),
        content: text,
        toolCalls: fc.array(fc.record({ id, name: text, arguments: text }), { maxLength: 3 }),
        reasoning: text,
      },
      { requiredKeys: ["role", "content"] },
    ),
    fc.record(
      { role: fc.constant("tool"), toolCallId: id, content: text, name: text },
      { requiredKeys: ["role", "toolCallId", "content"] },
    ),
    fc.record({ role: fc.constant("system"), content: text }),
  );
  const anything = fc.oneof(
    { weight: 12, arbitrary: anyMessage },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        null,
        undefined,
        7,
        {},
        { role: "judge", content: "x" },
        { role: "user" },
        { role: "assistant", content: null, toolCalls: [null, {}] },
      ),
    },
  );

  it("is total, valid and idempotent for any list", () => {
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 24 }),
        fc.integer({ min: 0, max: 12 }),
        fc.nat(6),
        (list, maxMessages, cursor) => {
          const messages = list as Message[];
          const window = historyWindow(messages, { maxMessages, consolidatedThrough: cursor });
          expectValid(window, maxMessages);
          expect(historyWindow(window, { maxMessages })).toEqual(window);
          expect(historyWindow(window.map(keptMessage), { maxMessages })).toEqual(window);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("gives a kept message as it is; nobody can change it", () => {
    const attachments = [{ file: "a", mediaType: "image/png" }];
    const stored = { ...user("see"), author: { id: "x:1" }, attachments, seq: 1, at: 1 };
    const kept = keptMessage(stored);
    expect(kept).toEqual({ role: "user", content: "see", author: { id: "x:1" }, attachments });
    expect(historyWindow([kept])[0]).toBe(kept);
    const partsOf = (value: unknown): unknown[] =>
      typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(partsOf)] : [];
    const parts = [...partsOf(kept), ...partsOf(keptMessage(calls("1")))];
    expect(parts).toHaveLength(7);
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true);
  });

  it("loses no user or assistant text that fits", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), (list) => {
        const messages = [user("start"), ...(list as Message[])];
        const texts = (of: readonly Message[]) =>
          of.filter((m) => m.role !== "tool").map((m) => m.content.toWellFormed());
        expect(texts(historyWindow(messages))).toEqual(texts(messages));
      }),
    );
  });
});

describe("readWindow", () => {
  it("has the message that it is asked for and all that follow, else the last ones", async () => {
    const step = fc.constantFrom(
      ...["a", "b"].map((id) => [calls(id), result(id)]),
      [said("x")],
      [calls("c")],
    );
    const turn = fc.array(step, { maxLength: 4 }).map((steps) => [user("q"), ...steps.flat()]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(),
        fc.boolean(),
        async (turns, maxMessages, which, isSummedUp) => {
          const messages = turns.flat();
          const users = messages.flatMap(({ role }, index) => (role === "user" ? [index + 1] : []));
          const from = users[which % users.length] ?? 0;
          const summary = isSummedUp ? { text: "so far", standing: [] } : null;
          const read = async (most: number) => {
            const start = Math.max(0, messages.length - most);
            const seqs = messages.map((_, index) => index + 1).slice(start);
            return { summary, messages: messages.slice(start), seqs, times: seqs };
          };
          const plain = await readWindow(read, { maxMessages });
          expect(plain.messages.length).toBeLessThanOrEqual(maxMessages);
          const window = await readWindow(read, { maxMessages, from });
          const own = window.messages.slice(isSummedUp ? 1 : 0);
          expectValid(own, Number.POSITIVE_INFINITY);
          expect(window.userSeqs).toContain(from);
          if (plain.userSeqs.includes(from)) expect(window).toEqual(plain);
          else expect(own).toEqual(historyWindow(messages.slice(from - 1)));
        },
      ),
    );
  });

  it("asks once if the message is among the last ones or is gone", async () => {
    const asked: number[] = [];
    const read = async (most: number) => {
      asked.push(most);
      return { summary: null, messages: [user("5"), said("6")], seqs: [5, 6], times: [5, 6] };
    };
    expect((await readWindow(read, { maxMessages: 2, from: 5 })).userSeqs).toEqual([5]);
    expect((await readWindow(read, { maxMessages: 2, from: 7 })).userSeqs).toEqual([5]);
    expect(asked).toEqual([2, 2]);
  });
});
