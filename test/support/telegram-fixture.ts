/** Both ends of Telegram for the adapter contract: the adapter as it is opened, and the server that plays the rest. */
import { openTelegram } from "../../src/adapter/telegram/config.js";
import { textOf, toHtml } from "../../src/adapter/telegram/format.js";
import type { AdapterFixture, Written } from "../../src/testing/adapter-contract.js";
import { type Injected, TelegramServer } from "./telegram-server.js";

const DM = "100001";
const GROUP = "-1001234567890";
const TOPIC = 42;
const PEOPLE = new Map<string, number>();

export async function telegramFixture(): Promise<AdapterFixture & { readonly server: TelegramServer }> {
  const server = await TelegramServer.start();
  const open = () => openTelegram({ token: () => server.token, baseUrl: server.url });
  const adapter = await open();
  const next = await open();
  const writtenTo = new Map<string, Injected>();
  return {
    server,
    adapter,
    address: { platform: "telegram", chatId: DM },
    group: { platform: "telegram", chatId: GROUP },
    again: () => next,
    write: async (written) => {
      const injected = injectedOf(server, written);
      const { messageId } = await server.deliver(injected);
      writtenTo.set(messageId, injected);
      return { messageId };
    },
    amend: (messageId, text) => {
      const before = writtenTo.get(messageId);
      if (!before) throw new Error("Nobody wrote that.");
      return server.deliver({
        ...before,
        text,
        as: ({ update_id, message }) => ({
          update_id,
          edited_message: { ...message, message_id: Number(messageId), edit_date: message.date },
        }),
      });
    },
    redeliver: () => server.redeliver(),
    shown: ({ chatId, threadId } = { platform: "telegram", chatId: DM }) =>
      server.sentTo(chatId, threadId).map(({ text }) => text),
    files: async ({ chatId, threadId } = { platform: "telegram", chatId: DM }) =>
      server.sentTo(chatId, threadId).flatMap(({ file }) => (file ? [file] : [])),
    typed: () => server.calls.filter(({ method }) => method === "sendChatAction").length,
    marks: (messageId) => marksOn(server, messageId),
    trouble: (what) => server.trouble(what),
    cut: () => server.cut(),
    asShown: (text) => textOf(toHtml(text)),
    dispose: () => server.close(),
  };
}

function injectedOf(server: TelegramServer, written: Written): Injected {
  const { text, in: place = "dm", from, mentions, replyTo, files = [], isBot } = written;
  const name = `@${server.bot.username}`;
  const shown = mentions ? `${name} ${text}` : text;
  const fromId = idOf(from);
  for (const { name: id, bytes } of files) server.files.set(id, bytes);
  const [file] = files;
  return {
    chatId: place === "dm" ? String(fromId) : GROUP,
    fromId,
    text: shown,
    ...(place === "thread" ? { threadId: TOPIC } : {}),
    ...(place === "dm" ? {} : { isForum: true }),
    ...(mentions ? { entities: [{ type: "mention", offset: 0, length: name.length }] } : {}),
    as: ({ update_id, message }) => ({
      update_id,
      message: {
        ...(file ? { ...message, text: undefined, caption: shown } : message),
        ...(place === "thread" ? { is_topic_message: true } : {}),
        ...(isBot ? { from: { id: fromId, is_bot: true, first_name: "Another bot" } } : {}),
        ...(replyTo ? { reply_to_message: answered(server, replyTo) } : {}),
        ...(file
          ? { document: { file_id: file.name, file_name: file.name, mime_type: file.mediaType } }
          : {}),
      },
    }),
  };
}

/** A message that was sent is the bot's; any other one is somebody's. */
function answered(server: TelegramServer, messageId: string): object {
  const ours = server.sent.find((sent) => sent.messageId === messageId);
  return ours
    ? { message_id: Number(messageId), from: server.bot, text: ours.text }
    : {
        message_id: Number(messageId),
        from: { id: 100002, is_bot: false, first_name: "Bob" },
        text: "before",
      };
}

function idOf(from: string | undefined): number {
  if (from === undefined) return Number(DM);
  const known = PEOPLE.get(from) ?? Number(DM) + 1 + PEOPLE.size;
  PEOPLE.set(from, known);
  return known;
}

function marksOn(server: TelegramServer, messageId: string): string[] {
  const last = server.calls.findLast(
    ({ method, given }) => method === "setMessageReaction" && String(given.message_id) === messageId,
  );
  return ((last?.given.reaction ?? []) as { emoji: string }[]).map(({ emoji }) => emoji);
}
