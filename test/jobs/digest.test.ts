/**
 * The whole journey of a digest: somebody asks for it on Telegram, the agent schedules it, it arrives there at nine, is
 * answered, and the model's next request has it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TelegramAdapter } from "../../src/adapter/telegram/adapter.js";
import { aiSdkAgent } from "../../src/agent/ai-sdk/ai-sdk.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { type OpenGateway, openGateway } from "../../src/open-gateway.js";
import { JOB_OPTIONS } from "../support/job-world.js";
import { ModelServer } from "../support/model-server.js";
import { TelegramServer } from "../support/telegram-server.js";

const ANN = 100001;
const DIGEST = "Two letters: the invoice is paid, and Bob asks about Friday.";

let folder: string;
let telegram: TelegramServer;
let model: ModelServer;
let open: OpenGateway;
/** A Tuesday, 14:00 in Berlin. */
let now = Date.parse("2026-11-17T13:00:00Z");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-digest-"));
  [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start()]);
  const clock = () => now;
  open = await openGateway({
    url: join(folder, "baton.db"),
    agent: aiSdkAgent({
      endpoint: {
        ...{ protocol: "openai", baseUrl: model.url, model: "m", images: false },
        ...{ apiKey: () => "key", keySetting: "KEY" },
        contextTokens: 128_000,
      },
      maxSteps: 5,
      prices: {},
    }),
    adapters: [new TelegramAdapter({ token: () => telegram.token, baseUrl: telegram.url })],
    commands: commandTable({ agent: "", clock }),
    people: { allow: { telegram: [String(ANN)] } },
    jobs: { ...JOB_OPTIONS, timeZone: "Europe/Berlin", outputFolder: join(folder, "output") },
    clock,
  });
  await open.gateway.start();
});
afterEach(async () => {
  await open.close({ drainMs: 0 });
  await Promise.all([telegram.close(), model.close()]);
  rmSync(folder, { recursive: true });
});

const told = (text: string) =>
  telegram.until(() => telegram.sentTo(String(ANN)).some((sent) => sent.text.includes(text)));

it("arrives where it was asked for, and is answered there", async () => {
  const wish = { action: "create", schedule: "every weekday at 9", prompt: "Send a digest of my mail." };
  model.play(
    { calls: [{ name: "schedule", arguments: JSON.stringify(wish) }] },
    { text: "You will get it each weekday at 9." },
  );
  await telegram.deliver({ chatId: String(ANN), fromId: ANN, text: "every weekday at 9 send me a digest" });
  await told("You will get it each weekday at 9.");
  const [job] = (await open.gateway.jobs?.desk.list(null)) ?? [];
  expect(job?.nextAt).toBe(Date.parse("2026-11-18T08:00:00Z"));

  model.play({ text: DIGEST });
  now = Date.parse("2026-11-18T08:00:01Z");
  open.gateway.jobs?.scheduler.wake();
  await told(DIGEST);
  expect(model.requests).toHaveLength(1);

  model.play({ text: "I will tell Bob." });
  const digest = telegram.sentTo(String(ANN)).find(({ text }) => text === DIGEST);
  await telegram.deliver({
    chatId: String(ANN),
    fromId: ANN,
    text: "tell Bob that Friday is fine",
    as: ({ update_id, message }) => {
      const answered = { message_id: Number(digest?.messageId), from: telegram.bot, text: DIGEST };
      return { update_id, message: { ...message, reply_to_message: answered } };
    },
  });
  await told("I will tell Bob.");
  const messages: { role: string; content: string }[] = model.requests.at(-1)?.body.messages;
  expect(messages.find(({ role, content }) => role === "assistant" && content === DIGEST)).toBeDefined();
  expect(messages.at(-1)?.content).toContain("tell Bob that Friday is fine");
  expect(telegram.sentTo(String(ANN)).filter(({ text }) => text === DIGEST)).toHaveLength(1);
});
