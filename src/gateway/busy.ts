/** What a new message does while a turn is running: by chat, then by platform, then in general. */
import type { Platform } from "../session/platform.js";
import { formatAddress, type SessionSource } from "../session/source.js";

/** `interrupt`: the running turn ends, keeping what it has. `queue`: it waits. `steer`: it joins the running turn. */
export type BusyMode = "interrupt" | "queue" | "steer";

export interface BusyModes {
  readonly default: BusyMode;
  readonly byPlatform: Readonly<Record<Platform, BusyMode>>;
  /** By `platform:chat`, the chat's id exactly as it is, or escaped as in an address. */
  readonly byChat: Readonly<Record<string, BusyMode>>;
}

export function busyModeFor(modes: BusyModes, source: SessionSource): BusyMode {
  const { platform, chatId } = source;
  const chat = [`${platform}:${chatId}`, formatAddress({ platform, chatId })].find((name) =>
    Object.hasOwn(modes.byChat, name),
  );
  if (chat !== undefined) return modes.byChat[chat] ?? modes.default;
  return (Object.hasOwn(modes.byPlatform, platform) && modes.byPlatform[platform]) || modes.default;
}
