/** What a running Baton says of its work, one line an event. Names come from outside: no line is written as it came. */
import { cleanLine, shorten } from "../util/text.js";

/** Mildest first. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type Log = (level: LogLevel, text: string) => void;

/** `2026-01-10T12:00:00.000Z info Telegram is connected.` */
export function logLine(at: number, level: LogLevel, text: string): string {
  return `${new Date(at).toISOString()} ${level} ${cleanLine(text)}`;
}

/** Longer ones are cut: what went wrong is told at the beginning. */
const LONGEST = 4_000;

/**
 * A log that hands each line to all of these, as one clean line and without secrets. Twice: a secret may hold what
 * cleaning takes away, and a sequence that cleaning takes away may have parted one.
 */
export function safeLog(redact: (text: string) => string, ...sinks: readonly Log[]): Log {
  return (level, text) => {
    const line = shorten(redact(cleanLine(redact(text))), LONGEST);
    for (const sink of sinks) sink(level, line);
  };
}
