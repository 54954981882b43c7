/** What a new message does while a turn is running: by chat, then by platform, then in general. */
import { foldId, type Platform } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";
import { unescapePart } from "../util/escape.js";

/**
 * `interrupt`: the running turn ends and keeps its text so far. `queue`: the message waits. `steer`: it joins the
 * running turn.
 */
export type BusyMode = "interrupt" | "queue" | "steer";

export interface BusyModes {
  readonly default: BusyMode;
  readonly byPlatform: Readonly<Record<Platform, BusyMode>>;
  /** By `platform:chat`, with the chat's id in any spelling of its platform, or escaped as in an address. */
  readonly byChat: Readonly<Record<string, BusyMode>>;
  /** What one person sends within this time is one turn; 0 if each message is answered by itself. Absent: 0. */
  readonly momentSeconds?: number;
}

export function momentOf({ momentSeconds = 0 }: BusyModes): number {
  return momentSeconds * 1_000;
}

export function busyModeFor(modes: BusyModes, source: SessionSource): BusyMode {
  const { platform } = source;
  const mode = ofChat(modes.byChat, source);
  if (mode !== undefined) return mode;
  return (Object.hasOwn(modes.byPlatform, platform) && modes.byPlatform[platform]) || modes.default;
}

/** What is set for this chat, by `platform:chat`. A chat that was given another id counts by either. */
export function ofChat<Value>(
  byChat: Readonly<Record<string, Value>>,
  { platform, chatId, chatIdAlt }: SessionSource,
): Value | undefined {
  const prefix = `${platform}:`;
  const named = (id: string) =>
    Object.entries(byChat).find(
      ([name]) => name.startsWith(prefix) && isChat(platform, id, name.slice(prefix.length)),
    );
  const [, value] = named(chatId) ?? (chatIdAlt === undefined ? undefined : named(chatIdAlt)) ?? [];
  return value;
}

function isChat(platform: Platform, chatId: string, written: string): boolean {
  return [written, unescapePart(written)].some(
    (id) => id !== null && foldId(platform, id) === foldId(platform, chatId),
  );
}
