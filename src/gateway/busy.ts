/** What a new message does while a turn is running: by chat, then by platform, then in general. */
import type { Platform } from "../session/platform.js";
import { formatAddress, type SessionSource } from "../session/source.js";

/** `interrupt`: the running turn ends, keeping what it has. `queue`: it waits. `steer`: it joins the running turn. */
export type BusyMode = "interrupt" | "queue" | "steer";

export interface BusyModes {
  readonly default: BusyMode;
  readonly byPlatform: Readonly<Record<Platform, BusyMode>>;
  /** By `platform:chat`. */
  readonly byChat: Readonly<Record<string, BusyMode>>;
}

export function busyModeFor(modes: BusyModes, source: SessionSource): BusyMode {
  const chat = formatAddress({ platform: source.platform, chatId: source.chatId });
  if (Object.hasOwn(modes.byChat, chat)) return modes.byChat[chat] ?? modes.default;
  return (
    (Object.hasOwn(modes.byPlatform, source.platform) && modes.byPlatform[source.platform]) || modes.default
  );
}
