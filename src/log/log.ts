/**
 * What a running Baton logs, one line for each event. Names come from outside, so every line is cleaned before it is
 * written.
 */
import { causeText, type ProblemDetails } from "../util/problem.js";
import { cleanLine, shorten } from "../util/text.js";

/** Mildest first. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type Log = (level: LogLevel, text: string, details?: ProblemDetails) => void;

/** `2026-01-10T12:00:00.000Z info Telegram is connected.` */
export function logLine(at: number, level: LogLevel, text: string): string {
  return `${new Date(at).toISOString()} ${level} ${cleanLine(text)}`;
}

/** Longer lines are cut: the beginning says what went wrong. */
const LONGEST = 4_000;

/**
 * A log that passes each line to all sinks, as one clean line without secrets. It redacts twice: a secret may contain
 * characters that cleaning removes, and a sequence that cleaning removes may have split a secret.
 */
export function safeLog(redact: (text: string) => string, ...sinks: readonly Log[]): Log {
  const safe = (text: string): string => shorten(redact(cleanLine(redact(text))), LONGEST);
  return (level, text, { cause, ...ids } = {}) => {
    const found = Object.entries(ids).map(([name, id]) => [name, safe(id)]);
    const why = cause === undefined ? [] : [["cause", safe(causeText(cause))]];
    const details: ProblemDetails = Object.fromEntries([...found, ...why]);
    for (const sink of sinks) sink(level, safe(text), details);
  };
}
