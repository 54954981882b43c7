/** Both ends of Telegram for the adapter's contract: the adapter as it is opened, and the server that plays the rest. */
import type { Line } from "../../src/adapter/adapter.js";
import { TelegramAdapter } from "../../src/adapter/telegram/adapter.js";
import type { TelegramSettings } from "../../src/adapter/telegram/config.js";
import { toHtml } from "../../src/adapter/telegram/format.js";
import type { Address } from "../../src/session/source.js";
import type { DoorFault, Fault, Trouble, Written } from "../../src/testing/adapter/fixture.js";
import { namesIn, readTelegramHtml } from "./telegram-html.js";
import { type Injected, TelegramServer } from "./telegram-server.js";

const platform = "telegram";
const ANN = 100001;
const GROUP = -1001234567890;
const DM: Address = { platform, chatId: String(ANN) };

/** What somebody writes; in a topic, in which. */
type Said = Written & { readonly threadId?: string; readonly name?: string };

/** Telegram posts to this address, which leads to the adapter that serves at the moment. */
export const WEBHOOK_URL = "https://bot.example/hooks/telegram";

/** Telegram finds this adapter while it serves. */
class Reachable extends TelegramAdapter {
  readonly #server: TelegramServer;
  isServed = false;

  constructor(server: TelegramServer, settings: TelegramSettings) {
    super(settings);
    this.#server = server;
  }

  override serve(line: Line): Promise<void> {
    this.#server.posts.reach = (url) => `http://127.0.0.1:${this.port}${new URL(url).pathname}`;
    this.isServed = true;
    line.end.addEventListener("abort", () => {
      this.isServed = false;
    });
    return super.serve(line);
  }
}

/** By a webhook, or else by long polling. */
export async function telegramFixture({ webhook = false } = {}) {
  const server = await TelegramServer.start();
  await server.addForum(GROUP);
  server.chats.set(String(GROUP), { full: { id: GROUP, type: "supergroup", is_forum: true } });
  server.chats.set(String(ANN), { full: { id: ANN, type: "private", first_name: "QA User" } });
  const open = () =>
    new Reachable(server, {
      ...{ token: () => server.token, baseUrl: server.url, timeoutMs: 4_000 },
      ...(webhook && { webhook: { url: WEBHOOK_URL, port: 0 } }),
    });
  const adapter = await open();
  const next = await open();
  server.isRead = () => adapter.isServed || next.isServed;
  const written = new Map<string, { readonly said: Said; readonly update: number }>();
  const people = new Map<string | undefined, number>([[undefined, ANN]]);
  const personOf = (name: string | undefined): number => {
    const id = people.get(name) ?? ANN + people.size;
    people.set(name, id);
    return id;
  };
  const quoted = (messageId: string): object => {
    const ours = server.sent.find((sent) => sent.messageId === messageId);
    const person = { id: personOf(written.get(messageId)?.said.from), is_bot: false, first_name: "Somebody" };
    const text = ours?.text ?? written.get(messageId)?.said.text;
    return { message_id: Number(messageId), from: ours ? server.bot : person, text };
  };
  const inject = async (said: Said, as: NonNullable<Injected["as"]>): Promise<{ messageId: string }> =>
    server.deliver({ ...injectedOf(server, said, personOf(said.from)), as });

  return {
    server,
    adapter,
    address: DM,
    group: { platform, chatId: String(GROUP) },
    nowhere: { platform, chatId: "-1009999999999" },
    again: () => next,
    write: (said: Said) =>
      inject(said, ({ update_id, message }) => {
        written.set(String(message.message_id), { said, update: update_id });
        const answers = said.replyTo ? { reply_to_message: quoted(said.replyTo) } : {};
        return { update_id, message: { ...shaped(server, said, message), ...answers } };
      }),
    amend: async (messageId: string, text: string) => {
      const said = written.get(messageId)?.said;
      if (!said) throw new Error("Nobody wrote that.");
      await inject({ ...said, text }, ({ update_id, message }) => ({
        update_id,
        edited_message: { ...shaped(server, { ...said, text }, message), message_id: Number(messageId) },
      }));
    },
    redeliver: () => server.redeliver(),
    isAcknowledged: (messageId: string) =>
      server.isConfirmed(written.get(messageId)?.update ?? Number.POSITIVE_INFINITY),
    shown: ({ chatId, threadId }: Address = DM) =>
      server
        .sentTo(chatId, threadId)
        .filter(({ file, html }) => !file || html !== "")
        .map(({ html }) => readTelegramHtml(html).withLinks),
    answeredBy: (messageId: string) =>
      server.sent.find((sent) => sent.messageId === messageId)?.replyTo ?? null,
    files: async ({ chatId, threadId }: Address = DM) =>
      server
        .sentTo(chatId, threadId)
        .flatMap(({ file, method }) => (file ? [{ ...file, voice: method === "sendVoice" }] : [])),
    notified: () => server.sent.flatMap(({ html }) => namesIn(html)),
    drafted: ({ chatId, threadId }: Address = DM) => {
      const draft = server.drafts.get(threadId === undefined ? chatId : `${chatId}:${threadId}`);
      return draft ? readTelegramHtml(draft.html).withLinks : null;
    },
    typed: () => server.calls.filter(({ method }) => method === "sendChatAction").length,
    marks: (messageId: string) => server.marksOn(messageId),
    press: (messageId: string, label: string, by: Pick<Written, "in" | "from"> = {}) =>
      inject({ ...by, text: "-" }, ({ update_id, message }) => {
        const data = server.sent.find((sent) => sent.messageId === messageId)?.buttons.get(label);
        const { from, ...shown } = shaped(server, { ...by, text: "-" }, message) as { from: object };
        const on = { ...shown, message_id: Number(messageId), from: server.bot };
        return {
          update_id,
          callback_query: { id: `43${update_id}`, from, message: on, chat_instance: "1", data },
        };
      }),
    react: (messageId: string, emoji: string, by: Pick<Written, "in" | "from"> = {}) =>
      inject({ ...by, text: "-" }, ({ update_id, message }) =>
        reactedTo(shaped(server, { ...by, text: "-" }, message), update_id, messageId, [], [emoji]),
      ),
    takeOff: (messageId: string, emoji: string) =>
      inject({ text: "-" }, ({ update_id, message }) =>
        reactedTo(shaped(server, { text: "-" }, message), update_id, messageId, [emoji], []),
      ),
    buttonsOn: (messageId: string) => [
      ...(server.sent.find((sent) => sent.messageId === messageId)?.buttons.keys() ?? []),
    ],
    menu: () => server.menu,
    trouble: (what: Trouble) => server.trouble(what),
    way: (fault: Fault) => server.faults.play(fault),
    door: (fault: DoorFault) => server.faults.door(fault),
    // A webhook has no line that could be cut.
    ...(webhook ? {} : { cut: () => server.cut() }),
    asShown: (text: string) => readTelegramHtml(toHtml(text)).withLinks,
    dispose: () => server.close(),
  };
}

/** A change of the reactions to a message. */
function reactedTo(
  message: object,
  update_id: number,
  messageId: string,
  before: readonly string[],
  now: readonly string[],
): Readonly<Record<string, unknown>> {
  const { from: user, chat, date } = message as { from: object; chat: object; date: number };
  const [old_reaction, new_reaction] = [before, now].map((all) =>
    all.map((emoji) => ({ type: "emoji", emoji })),
  );
  const message_id = Number(messageId);
  return { update_id, message_reaction: { chat, message_id, user, date, old_reaction, new_reaction } };
}

/** What crabline takes of it. */
function injectedOf(server: TelegramServer, said: Said, fromId: number): Injected {
  const { text, in: place = "dm", threadId } = said;
  return {
    chatId: String(place === "dm" ? fromId : GROUP),
    fromId,
    text: shownText(server, said) || text || "-",
    ...(place === "thread" ? { threadId: Number(threadId) } : {}),
    ...(place === "dm" ? {} : { isForum: true }),
  };
}

/** The message as Telegram delivers it. */
function shaped(server: TelegramServer, said: Said, message: Readonly<Record<string, unknown>>): object {
  const { in: place, name, isBot = false, files = [] } = said;
  const text = shownText(server, said);
  const entities = entitiesIn(text);
  for (const { name: id, bytes } of files) server.files.set(id, bytes);
  const [file] = files;
  const from = { ...(message.from as object), is_bot: isBot, ...(name ? { first_name: name } : {}) };
  return {
    ...message,
    from,
    chat: { ...(place === undefined || place === "dm" ? from : {}), ...(message.chat as object) },
    ...(file
      ? {
          text: undefined,
          ...(text ? { caption: text, caption_entities: entities } : {}),
          document: {
            file_id: file.name,
            file_name: file.name,
            mime_type: file.mediaType,
            file_size: file.bytes.byteLength,
          },
        }
      : { text, entities }),
    ...(place === "thread" ? { is_topic_message: true } : {}),
  };
}

function shownText(server: TelegramServer, { text, mentions }: Said): string {
  return mentions ? `@${server.bot.username} ${text}` : text;
}

/** Telegram marks what looks like a mention or a command. */
function entitiesIn(text: string): readonly object[] {
  return [...text.matchAll(/(?<=^|\s)(?:@\w{5,}|\/\w+(?:@\w+)?)/g)].map(({ 0: found, index }) => ({
    type: found.startsWith("@") ? "mention" : "bot_command",
    offset: index,
    length: found.length,
  }));
}
