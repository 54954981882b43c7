import { expect, test } from "vitest";
import { KeptAdapter } from "../testing/kept-adapter.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Redactor } from "../util/redact.js";
import type { Adapter } from "./adapter.js";
import { hidingAdapter } from "./hiding-adapter.js";

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
  const adapter = new KeptAdapter(hidingAdapter(able, redactor.hide));
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
  const unable = new KeptAdapter(hidingAdapter(new ScriptedAdapter(), redactor.hide));
  await unable.connect();
  const { edit, draft, status } = unable.speaker ?? {};
  expect([edit, draft, status]).toEqual([undefined, undefined, undefined]);
  await unable.disconnect();
});
