import { expect, test } from "vitest";
import type { ToolCall } from "../session/transcript.js";
import { KeptAdapter } from "../testing/kept-adapter.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Redactor } from "../util/redact.js";
import type { Adapter } from "./adapter.js";
import { hidingAdapter } from "./hiding-adapter.js";
import type { LiveQuestion, LiveReply, ToolProgress } from "./live-reply.js";

const CANARY = "canary-4711-secret";

test("an adapter says no secret: sent, edited, shown, looked for, or as a title; all else is as it was", async () => {
  const redactor = new Redactor();
  redactor.know(() => [CANARY]);
  const found: string[] = [];
  const titles: string[] = [];
  const plain = new ScriptedAdapter({ can: ["edit", "drafts", "status"] });
  const able: Adapter = Object.assign(plain, {
    find: async ({ text }: { text: string }) => {
      found.push(text);
      return null;
    },
    createThread: async (_: unknown, title: string) => {
      titles.push(title);
      return null;
    },
  });
  const adapter = new KeptAdapter(hidingAdapter(able, redactor));
  await adapter.connect();
  const address = { platform: plain.platform, chatId: "ann" };
  const message = { address, text: `it is ${CANARY}`, deliveryId: "1" };
  const { messageId } = await adapter.send(message);
  await adapter.edit(message, messageId);
  await adapter.find(message);
  await adapter.draft(message);
  await adapter.status({ ...address, threadId: "t" }, `is running ${CANARY}`);
  await adapter.createThread(address, `about ${CANARY}`, null, "once");
  const said = [...plain.sent, ...plain.edits].map(({ text }) => text);
  expect([...said, ...found, ...titles]).toEqual(["it is ***", "it is ***", "it is ***", "about ***"]);
  expect([...plain.drafted, ...plain.said]).toEqual(["it is ***", "is running ***"]);
  expect([adapter.platform, adapter.account, adapter.capabilities]).toEqual([
    plain.platform,
    plain.account,
    plain.capabilities,
  ]);
  await adapter.disconnect();
  const unable = new KeptAdapter(hidingAdapter(new ScriptedAdapter(), redactor));
  await unable.connect();
  const { edit, draft, status } = unable.speaker ?? {};
  expect([edit, draft, status]).toEqual([undefined, undefined, undefined]);
  await unable.disconnect();
});

test("what a tool prints while it runs shows no secret, also across pieces and where some is left out", async () => {
  const redactor = new Redactor();
  redactor.know(() => [CANARY]);
  const shown: [string, ToolProgress][] = [];
  const asked: string[] = [];
  class Shown implements LiveReply {
    readonly #name = "inner";
    text(): void {}
    reasoning(): void {}
    toolCall(): void {}
    toolResult(): void {}
    end(): void {}
    asked({ what }: LiveQuestion): void {
      asked.push(this.#name, what);
    }
    toolProgress(call: ToolCall, progress: ToolProgress): void {
      shown.push([call.id, progress]);
    }
  }
  const plain = new ScriptedAdapter();
  const able: Adapter = Object.assign(plain, { live: () => new Shown() });
  const adapter = new KeptAdapter(hidingAdapter(able, redactor));
  await adapter.connect();
  const live = adapter.speaker?.live?.({ platform: plain.platform, chatId: "ann" }, null);
  const call = (id: string) => ({ id, name: "terminal", arguments: "{}" });
  const print = (id: string, text: string, skipped = 0) =>
    live?.toolProgress?.(call(id), { kind: "output", text, skipped });
  const words = (id: string) =>
    shown.map(([of, progress]) => (of === id && progress.kind === "output" ? progress.text : "")).join("");
  live?.asked?.({ deliveryId: "1", number: 1, what: `curl ${CANARY}`, answers: {} });
  for (const id of ["a", "b"]) live?.toolProgress?.(call(id), { kind: "started" });
  print("a", "one canary-47");
  print("b", "canary-4711-secretary ");
  print("a", "11-secret two canary-");
  expect([words("a"), words("b")]).toEqual(["one *** two ", "***ary "]);
  print("b", "canary-4711");
  print("b", `secret ${"more words ".repeat(20)}${CANARY}`, 50);
  live?.toolProgress?.(call("a"), { kind: "ended" });
  live?.toolProgress?.(call("b"), { kind: "ended" });
  expect(words("a")).toBe("one *** two canary-");
  expect(words("b")).not.toMatch(/canary|secret /);
  expect(words("b")).toMatch(/more words \*\*\*$/);
  expect(shown.at(-1)?.[1].kind).toBe("ended");
  expect(asked).toEqual(["inner", "curl ***"]);
  await adapter.disconnect();
});
