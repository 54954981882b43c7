/**
 * Where a session of OpenClaw belongs. Its keys are `agent:<agent>:<channel>[:<account>]:<kind>:<peer>[:topic|thread:<id>]`, in
 * small letters; `agent:<agent>:main` is the one session of all direct chats. The entry has the ids as they are.
 */
import { liveSource } from "../../session/live-chat.js";
import { isPlatform } from "../../session/platform.js";
import type { SessionScopes } from "../../session/session-key.js";
import { type Fields, isFields } from "../../util/json.js";
import { textIn } from "./fields.js";
import {
  type ImportPlace,
  ownersPlace,
  placeOfDirectChat,
  placeOfSharedChat,
  strangersPlace,
  terminalPlace,
} from "./place.js";

export interface OpenClawPlace {
  readonly place: ImportPlace;
  /** Whether what is said there next belongs to it. */
  readonly bind: boolean;
}

export function openClawPlace(key: string, fields: Fields, scopes: SessionScopes): OpenClawPlace {
  const rest = key.replace(/^agent:[^:]+:/, "");
  const peer = peerIn(rest, fields);
  if (peer) return { place: placeOfPeer(peer, key, fields, scopes), bind: true };
  if (!rest.includes(":") && rest !== "unknown") return { place: mainPlace(key, fields, scopes), bind: true };
  // Work that the program did by itself: scheduled, asked for by another agent, or called from outside.
  return { place: ownersPlace(key, scopes), bind: false };
}

interface Peer {
  readonly channel: string;
  readonly kind: "dm" | "group" | "channel";
  readonly id: string;
  readonly threadId?: string;
}

const KINDS: Readonly<Record<string, Peer["kind"]>> = {
  direct: "dm",
  dm: "dm",
  group: "group",
  channel: "channel",
  room: "channel",
};

function peerIn(rest: string, fields: Fields): Peer | null {
  const words = rest.split(":");
  const at = words.slice(0, 3).findIndex((word) => Object.hasOwn(KINDS, word));
  const kind = KINDS[words[at] ?? ""];
  if (!kind) return null;
  const channel = at === 0 ? channelIn(fields) : words[0];
  const told = words.slice(at + 1).join(":");
  const marked = /^(.+?):(?:topic|thread):(.+)$/s.exec(told);
  const [written = "", thread] = marked ? marked.slice(1) : [told];
  if (!channel || !written) return null;
  // In a direct chat the thread is named within the chat.
  const threadId = thread?.startsWith(`${written}:`) ? thread.slice(written.length + 1) : thread;
  return {
    channel,
    kind,
    id: exactId(written, fields),
    ...(threadId === undefined ? {} : { threadId: exactId(threadId, fields) }),
  };
}

function placeOfPeer(peer: Peer, key: string, fields: Fields, scopes: SessionScopes): ImportPlace {
  const { channel: platform, kind, id, threadId } = peer;
  if (!isPlatform(platform)) return strangersPlace(platform, key, scopes);
  const thread = threadId ? { threadId } : {};
  const named = textIn(fields.subject) ?? textIn(fields.groupChannel);
  if (kind !== "dm") {
    return placeOfSharedChat(
      { platform, chatType: kind, chatId: id, ...thread, ...(named ? { chatName: named } : {}) },
      scopes,
    );
  }
  const userId = liveSource({ platform, chatType: "dm", chatId: id }).source.chatId;
  const chatId = directChatId(fields) ?? userId;
  return placeOfDirectChat({ platform, chatType: "dm", chatId, userId, ...thread }, scopes);
}

/** The main session is the last direct chat's, if it says which one that is; otherwise the terminal's. */
function mainPlace(key: string, fields: Fields, scopes: SessionScopes): ImportPlace {
  const origin = isFields(fields.origin) ? fields.origin : {};
  const channel = channelIn(fields);
  const isDirect = ["direct", "dm", undefined].includes(textIn(origin.chatType) ?? textIn(fields.chatType));
  const told = [origin.from, contextOf(fields).to, fields.lastTo].map((each) => textIn(each)).find(Boolean);
  if (!channel || !told || !isDirect || !isPlatform(channel)) return terminalPlace(scopes);
  const id = told.replace(/^[a-z]+:/i, "").replace(/^(?:user|dm|direct):/i, "");
  if (/^(?:channel|group|room):/i.test(id) || id === "") return terminalPlace(scopes);
  return placeOfPeer({ channel, kind: "dm", id }, key, fields, scopes);
}

function contextOf(fields: Fields): Fields {
  return isFields(fields.deliveryContext) ? fields.deliveryContext : {};
}

function channelIn(fields: Fields): string | undefined {
  const origin = isFields(fields.origin) ? fields.origin : {};
  const told = [origin.provider, fields.channel, contextOf(fields).channel, fields.lastChannel];
  return told.map((each) => textIn(each)?.toLowerCase()).find(Boolean);
}

/** If a direct chat has an id of its own, this one. */
function directChatId(fields: Fields): string | undefined {
  const origin = isFields(fields.origin) ? fields.origin : {};
  const [, sent] = /^channel:(.+)$/.exec(textIn(contextOf(fields).to) ?? textIn(fields.lastTo) ?? "") ?? [];
  return textIn(origin.nativeChannelId) ?? sent;
}

/** The id as another field of the entry spells it: in the key it lost its capitals. */
function exactId(id: string, fields: Fields): string {
  const origin = isFields(fields.origin) ? fields.origin : {};
  const told = [
    fields.groupId,
    origin.nativeChannelId,
    origin.nativeDirectUserId,
    origin.to,
    origin.from,
    origin.threadId,
  ];
  const more = [contextOf(fields).to, contextOf(fields).threadId, fields.lastTo, fields.lastThreadId];
  for (const each of [...told, ...more]) {
    const text = textIn(each) ?? "";
    const at = text.toLowerCase().indexOf(id.toLowerCase());
    const isWhole =
      at >= 0 && (at === 0 || text[at - 1] === ":") && /^(?::|$)/.test(text.slice(at + id.length));
    if (isWhole) return text.slice(at, at + id.length);
  }
  return id;
}
