/** What a gateway says of its work, one line an event. Names come from outside: no line is written as it came. */
import { cleanLine } from "../util/text.js";

export type LogLevel = "info" | "warn";
export type Log = (level: LogLevel, text: string) => void;

/** `2026-01-10T12:00:00.000Z info Telegram is connected.` */
export function logLine(at: number, level: LogLevel, text: string): string {
  return `${new Date(at).toISOString()} ${level} ${cleanLine(text)}`;
}
