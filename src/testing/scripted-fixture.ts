/** The scripted platform as the adapter's contract wants it: it can play every case. */
import { readFile } from "node:fs/promises";
import type { InboundMessage } from "../adapter/adapter.js";
import { type Address, formatAddress, type SessionSource } from "../session/source.js";
import type { AdapterFixture, Written } from "./adapter/fixture.js";
import { ScriptedAdapter, type ScriptedOptions } from "./scripted-adapter.js";

const BOT = "@bot";

export async function scriptedFixture(options: ScriptedOptions = {}): Promise<AdapterFixture> {
  const adapter = new ScriptedAdapter(options);
  const { platform, there } = adapter;
  const group: Address = { platform, chatId: "team" };
  there.groups.add(group.chatId);
  there.gone.add("nobody");
  const written: InboundMessage[] = [];
  let lastThread = "";
  const last = (): InboundMessage => {
    const message = written.at(-1);
    if (!message) throw new Error("Nothing was written yet.");
    return message;
  };

  const source = ({
    in: place = "dm",
    from = "ann",
    name = from,
    threadId,
    isBot,
  }: Written): SessionSource => ({
    platform,
    chatId: place === "dm" ? from : group.chatId,
    chatType: place,
    userId: from,
    userName: name,
    ...(place === "thread" ? { threadId: threadId ?? lastThread } : {}),
    ...(isBot ? { isBot } : {}),
  });
  /** What the platform shows of a message, and what an adapter makes of it. */
  const inbound = (given: Written): InboundMessage => {
    const { text, in: place = "dm", mentions = false, replyTo, files = [] } = given;
    const quoted = replyTo === undefined ? undefined : quotedText(replyTo);
    const isAddressed =
      place === "dm" || mentions || text.startsWith("/") || there.messages.has(replyTo ?? "");
    const shown = mentions ? `${BOT} ${text}` : text;
    return {
      kind: "message",
      source: source(given),
      messageId: `m${written.length + 1}`,
      text: mentions ? shown.slice(BOT.length + 1) : shown,
      isAddressed,
      ...(replyTo === undefined
        ? {}
        : { replyTo: { messageId: replyTo, ...(quoted === undefined ? {} : { text: quoted }) } }),
      ...(files.length === 0
        ? {}
        : {
            files: files.map(({ bytes, ...file }) => ({
              ...file,
              read: async (maxBytes: number, end: AbortSignal) => {
                end.throwIfAborted();
                if (bytes.byteLength > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
                return bytes;
              },
            })),
          }),
    };
  };
  const quotedText = (messageId: string): string | undefined =>
    there.messages.get(messageId)?.text ?? written.find((each) => each.messageId === messageId)?.text;

  return {
    adapter,
    address: { platform, chatId: "ann" },
    group,
    nowhere: { platform, chatId: "nobody" },
    again: () => new ScriptedAdapter({ ...options, on: there }),
    write: async (given) => {
      lastThread = given.threadId ?? lastThread;
      const message = inbound(given);
      written.push(message);
      await there.write(message);
      return message;
    },
    amend: async (messageId, text) => {
      const message = written.find((each) => each.messageId === messageId) ?? last();
      await there.write({ ...message, kind: "edit", text });
    },
    redeliver: () => there.redeliver(last()),
    isAcknowledged: (messageId) => there.acknowledged.has(messageId),
    shown: (address = { platform, chatId: "ann" }) =>
      there.messagesAt(address).flatMap(({ text, files }) => (files && text === "" ? [] : text)),
    answeredBy: (messageId) => there.messages.get(messageId)?.replyTo ?? null,
    files: async (address = { platform, chatId: "ann" }) => {
      const files = there.messagesAt(address).flatMap((message) => message.files ?? []);
      return Promise.all(
        files.map(async ({ name, path, voice = false }) => ({ name, bytes: await readFile(path), voice })),
      );
    },
    drafted: (address = { platform, chatId: "ann" }) => there.drafts.get(formatAddress(address)) ?? null,
    status: (address) => there.statuses.get(formatAddress(address)) ?? "",
    typed: () => there.typed,
    marks: (messageId) => there.marks.get(messageId) ?? [],
    press: async (messageId, label, by = {}) => {
      const button = there.messages.get(messageId)?.buttons?.find((each) => each.label === label);
      if (!button) throw new Error("There is no such button.");
      const message = { ...inbound({ ...by, text: button.command }), kind: "button" as const };
      written.push(message);
      await there.write(message);
    },
    buttonsOn: (messageId) => there.messages.get(messageId)?.buttons?.map(({ label }) => label) ?? [],
    menu: () => there.menu,
    threads: ({ chatId }) => [...there.threads.values()].filter((each) => each.chatId === chatId).length,
    trouble: (what) => {
      there.trouble = what;
    },
    way: (fault) => there.way(fault),
    door: (fault) => {
      there.door = fault;
    },
    cut: () => there.cut(),
  };
}
