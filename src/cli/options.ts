/** The values of options, read and refused in one way. */
import { InvalidArgumentError } from "commander";
import { isPlatform, LOCAL, type Platform, platforms } from "../session/platform.js";
import { MESSAGE_ROLES } from "../session/transcript.js";
import { isMoment, MOMENT_FORMS, parseDuration } from "../util/moment.js";
import { didYouMean } from "../util/nearest.js";

export interface JsonOption {
  readonly json?: boolean;
}

export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A whole number from `least` to `most`. */
export function wholeNumber(most: number, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError("Use a number and a unit: 30m, 2h, 7d or 4w.");
  return ms;
}

/** A number of megabytes, in bytes. */
export function megabytes(text: string): number {
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text))
    throw new InvalidArgumentError("Use a number of megabytes, such as 500.");
  return Number(text) * 2 ** 20;
}

/** A date or an age, as it was written: what it means depends on the time zone. */
export function moment(text: string): string {
  if (!isMoment(text)) throw new InvalidArgumentError(`Use ${MOMENT_FORMS}.`);
  return text;
}

export function platform(text: string): Platform {
  const name = text.toLowerCase();
  if (isPlatform(name)) return name;
  const known = platforms();
  throw new InvalidArgumentError(didYouMean(name, known).trim() || `Use one of ${known.join(", ")}.`);
}

/** Roles of messages, as they were written. */
export function roles(text: string): string {
  const known: readonly string[] = MESSAGE_ROLES;
  if (text.split(",").every((role) => known.includes(role.trim().toLowerCase()))) return text;
  throw new InvalidArgumentError(`Use ${known.join(", ")}, or several with commas.`);
}

/** A platform for examples. */
export function examplePlatform(): Platform {
  return platforms().find((name) => name !== LOCAL) ?? LOCAL;
}

/** The command for the next page, ready to copy: options first, then the arguments. */
export function nextPageCommand(
  verb: string,
  options: Readonly<Record<string, string | number | undefined>>,
  cursor: string,
  operands: readonly string[] = [],
): string {
  const given = Object.entries({ ...options, "--cursor": cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : [name, String(value)],
  );
  const guard = operands.some((word) => word.startsWith("-")) ? ["--"] : [];
  return ["baton", "sessions", verb, ...given, ...guard, ...operands].map(quoted).join(" ");
}

/** A word, quoted for a shell if needed. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./~-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
