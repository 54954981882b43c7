/** A further bot's adapter: the whole contract under its name, and what it says of its settings. */
import { describe, expect, it } from "vitest";
import { telegramFixture } from "../../test/support/telegram-fixture.js";
import { registerFurtherBot } from "../session/further-bot.js";
import type { Address } from "../session/source.js";
import { adapterContract } from "../testing/adapter-contract.js";
import { KeptAdapter } from "../testing/kept-adapter.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { type Adapter, ConnectError, type InboundMessage } from "./adapter.js";
import { manifestOf } from "./manifest.js";
import { renamedAdapter } from "./renamed-adapter.js";

const FIRST = "telegram";
const PLATFORM = "telegram-work";
registerFurtherBot(PLATFORM, FIRST);
registerFurtherBot("whatsapp-work", "whatsapp");

adapterContract("telegram, under the name of a further bot", async () => {
  const { adapter, again, address, group, nowhere, ...fixture } = await telegramFixture();
  const there = (at: Address): Address => ({ ...at, platform: PLATFORM });
  const renamed = (inner: Adapter) => renamedAdapter(inner, PLATFORM, (sentence) => sentence);
  return {
    ...fixture,
    adapter: renamed(adapter),
    again: () => renamed(again()),
    address: there(address),
    group: there(group),
    nowhere: there(nowhere),
  };
});

describe("a further bot's adapter", () => {
  it("brings what comes under its name, and sends under the adapter's own", async () => {
    const inner = new ScriptedAdapter({ platform: FIRST, can: ["threads"] });
    const kept = new KeptAdapter(renamedAdapter(inner, PLATFORM, (sentence) => sentence));
    const heard: [InboundMessage["text"], string][] = [];
    await kept.connect(async ({ text, source }) => {
      heard.push([text, source.platform]);
      return "accepted";
    });
    await inner.write({ userId: "7" }, "hello");
    expect(heard).toEqual([["hello", PLATFORM]]);
    const address = { platform: PLATFORM, chatId: "7" };
    await kept.send({ address, text: "hi", deliveryId: "d1" });
    expect(inner.sent).toMatchObject([{ text: "hi", address: { platform: FIRST, chatId: "7" } }]);
    expect(await kept.place(address)).toMatchObject({ platform: PLATFORM, userId: "7" });
    const thread = await kept.createThread(address, "a title", null, "once");
    expect(thread).toMatchObject({ platform: PLATFORM, chatId: "7", threadId: expect.any(String) });
    expect(kept.speaker?.typing).toBeUndefined();
    await kept.disconnect();
  });

  it("says of its settings what they are called", async () => {
    const failed = async (work: Promise<unknown> | undefined): Promise<unknown> =>
      work?.then(
        () => null,
        (error: unknown) => error,
      );
    const wrong = { token: () => "not a token" };
    const refused = await failed(manifestOf(PLATFORM)?.open(wrong, "/nowhere"));
    expect(refused).toBeInstanceOf(ConnectError);
    expect(refused).toMatchObject({
      outcome: "permanent",
      message:
        "Telegram does not know this bot token. Set BATON_PLATFORMS_TELEGRAM_WORK_TOKEN to the one that @BotFather gave you.",
    });
    expect(await failed(manifestOf(FIRST)?.open(wrong, "/nowhere"))).toMatchObject({
      message: expect.stringContaining("Set TELEGRAM_BOT_TOKEN to"),
    });
    expect(await failed(manifestOf(PLATFORM)?.check({ token: "not a token" }))).toMatchObject({
      message: expect.stringContaining("BATON_PLATFORMS_TELEGRAM_WORK_TOKEN"),
    });
    expect(manifestOf("whatsapp-work")?.link?.first).toBe(
      "set BATON_PLATFORMS_WHATSAPP_WORK_MODE=baileys first",
    );
  });
});
