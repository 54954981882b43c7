/** What each platform's reader makes of a text that somebody sends: the text that the gateway is given. */
import { readFileSync } from "node:fs";
import { type DiscordChannel, parseChannel, parseMessage } from "../../src/adapter/discord/parse.js";
import { parseEvent as parseFeishu } from "../../src/adapter/feishu/parse.js";
import { parseEvent as parseMatrix } from "../../src/adapter/matrix/parse.js";
import { parseEvent as parseMattermost } from "../../src/adapter/mattermost/parse.js";
import { parseEvent as parseSignal } from "../../src/adapter/signal/parse.js";
import { parseEvent as parseSlack } from "../../src/adapter/slack/parse.js";
import { parseUpdate } from "../../src/adapter/telegram/parse.js";
import { parseWebhook } from "../../src/adapter/whatsapp/parse.js";

const BOT = "1100000000000000001";
const commands = new Set(["new"]);
const read = async (): Promise<Uint8Array> => new Uint8Array();

export function fixture(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../../src/adapter/${path}`, import.meta.url), "utf8"));
}

/** The same JSON with another text in it, wherever a text stands. */
function saying(json: unknown, names: readonly string[], text: string): unknown {
  return JSON.parse(JSON.stringify(json), (name, value: unknown) =>
    names.includes(name) && typeof value === "string" ? text : value,
  );
}

const updates = fixture("telegram/fixtures/updates.json");
const messages = fixture("discord/fixtures/messages.json");
const channels = fixture("discord/fixtures/channels.json");
const slack = fixture("slack/fixtures/message-im.json");
const matrix = fixture("matrix/fixtures/events.json");
const signal = fixture("signal/fixtures/message.json");
const feishu = fixture("feishu/fixtures/message.json");
const whatsapp = fixture("whatsapp/fixtures/text.json");

const id = (letter: string) => letter.repeat(26);

export const INBOUND: Readonly<Record<string, (text: string) => string | null>> = {
  Telegram: (text) =>
    parseUpdate(saying(updates.dm, ["text"], text), { id: "42", username: "baton_bot", commands, read })
      ?.text ?? null,
  Discord: (text) =>
    parseMessage(saying(messages.plain, ["content"], text), {
      place: { channel: parseChannel(channels.text) as DiscordChannel },
      self: BOT,
      download: () => read,
    })?.text ?? null,
  Slack: (text) =>
    parseSlack((saying(slack, ["text"], text) as { event: unknown }).event, {
      userId: "U1",
      nameOf: () => undefined,
      file: ({ mediaType }) => ({ mediaType, read }),
    })?.text ?? null,
  Matrix: (text) =>
    parseMatrix(
      saying(matrix.text, ["body", "formatted_body"], text),
      { roomId: "!room:example.org", chatType: "dm", nameOf: () => undefined },
      { userId: "@baton:example.org", displayName: "Baton", commands },
    )?.text ?? null,
  Signal: (text) =>
    parseSignal(saying(signal, ["message"], text), {
      account: "+15550000000",
      commands,
      file: ({ mediaType }) => ({ mediaType, read }),
    })?.text ?? null,
  WhatsApp: (text) =>
    parseWebhook(saying(whatsapp, ["body"], text), {
      phoneNumberId: "100000000000000",
      file: ({ mediaType }) => ({ mediaType, read }),
    }).messages[0]?.text ?? null,
  Mattermost: (text) => {
    const post = JSON.stringify({ id: id("a"), channel_id: id("b"), user_id: id("c"), message: text });
    const event = { event: "posted", data: { channel_type: "D", post } };
    const self = { id: id("d"), username: "baton" };
    const file = ({ mediaType }: { mediaType: string }) => ({ mediaType, read });
    return parseMattermost(event, { self, known: () => undefined, file })?.text ?? null;
  },
  Feishu: (text) =>
    parseFeishu(saying(feishu, ["content"], JSON.stringify({ text })), {
      self: { openId: "ou_bot", appId: "cli_app" },
      commands,
      known: () => undefined,
      file: ({ mediaType }) => ({ mediaType, read }),
    })?.text ?? null,
};
