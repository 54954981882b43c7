import { describe, expect, it } from "vitest";
import type { Fact } from "../../gateway/facts.js";
import { asSessionId } from "../../session/ids.js";
import { Notifier } from "./notifier.js";

const outbox = (account: string): Fact => ({ kind: "outbox", platform: "telegram", account });

function fixture(send: (payload: string) => Promise<unknown> = async () => {}) {
  const sent: string[] = [];
  const notifier = new Notifier((payload) => {
    sent.push(payload);
    return send(payload);
  });
  const other = new Notifier(async () => {});
  return { notifier, sent, heard: () => sent.map((payload) => other.read(payload)) };
}

describe("notifications", () => {
  it("carry what is for other processes, and are not heard by their sender", async () => {
    const { notifier, sent, heard } = fixture();
    const sessionId = asSessionId("s");
    const messages = { kind: "messages", sessionId, first: 1, last: 2 } as const;
    notifier.tell([messages]);
    expect(sent).toEqual([]);
    notifier.tell([outbox("a"), { kind: "session", sessionId }, { kind: "stops" }, messages]);
    await notifier.close();
    expect(heard()).toEqual([[outbox("a"), { kind: "elsewhere", sessionId }, { kind: "stops" }]]);
    expect(sent.map((payload) => notifier.read(payload))).toEqual([[]]);
  });

  it("are one for all commits of a moment, and the last ones are sent before the store closes", async () => {
    const { notifier, heard } = fixture();
    for (let n = 0; n < 100; n++) notifier.tell([outbox(`${n % 3}`), { kind: "handoffs" }]);
    await new Promise(setImmediate);
    for (let n = 0; n < 100; n++) notifier.tell([outbox(`${n % 2}`)]);
    await notifier.close();
    expect(heard()).toEqual([
      [outbox("0"), { kind: "handoffs" }, outbox("1"), outbox("2")],
      [outbox("0"), outbox("1")],
    ]);
  });

  it("go on after one failed", async () => {
    const failures = [new Error("away")];
    const { notifier, heard } = fixture(async () => {
      const failure = failures.pop();
      if (failure) throw failure;
    });
    notifier.tell([outbox("a")]);
    await new Promise(setImmediate);
    notifier.tell([outbox("b")]);
    await notifier.close();
    expect(heard()).toEqual([[outbox("a")], [outbox("b")]]);
  });

  it("say to look at everything if they would be too long, or are of another version", async () => {
    const { notifier, heard } = fixture();
    notifier.tell([{ kind: "stops" }]);
    notifier.tell(Array.from({ length: 500 }, (_, n) => outbox(`account ${n}`)));
    await notifier.close();
    expect(heard().at(-1)).toEqual([{ kind: "unknown" }]);
    expect(notifier.read("")).toEqual([{ kind: "unknown" }]);
  });
});
