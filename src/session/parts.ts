/**
 * What a message has besides text and files, in words: a sticker, a poll, a place. A chat has more kinds of messages than
 * an agent reads; each gives it one honest line, `[poll: Lunch?, options: Pizza, Soup]`, so that nothing a person sends
 * vanishes. `unsupported` is for what has no better word.
 */
import { cleanLine, shorten } from "../util/text.js";

export const PART_KINDS = [
  "sticker",
  "poll",
  "vote",
  "checklist",
  "dice",
  "game",
  "location",
  "contact",
  "event",
  "story",
  "link",
  "card",
  "form",
  "order",
  "product",
  "invoice",
  "payment",
  "gift",
  "giveaway",
  "call",
  "choice",
  "invitation",
  "mention",
  "unsupported",
] as const;
export type PartKind = (typeof PART_KINDS)[number];

export interface Part {
  readonly kind: PartKind;
  /** From outside: it is shown as one line, and only the beginning of a long one. */
  readonly words?: string;
}

const MOST_PARTS = 20;
const LONGEST = 1_000;
const MOST_OPTIONS = 30;

/** As many parts as a message may have, each of bounded length. */
export function boundedParts(parts: readonly Part[]): readonly Part[] {
  const left = parts.length - MOST_PARTS;
  const shown = parts.slice(0, MOST_PARTS).map(({ kind, words = "" }) => part(kind, words));
  return left > 0 ? [...shown, part("unsupported", `${left} more parts`)] : shown;
}

/** Of any kind; empty words are left out. */
export function part(kind: PartKind, ...words: readonly (string | undefined)[]): Part {
  const told = shorten(
    words
      .map((each) => cleanLine((each ?? "").slice(0, 2 * LONGEST)))
      .filter((each) => each !== "")
      .join(", "),
    LONGEST,
  );
  return told === "" ? { kind } : { kind, words: told };
}

/** Lunch?, options: Pizza, Soup */
export function pollPart(question: string | undefined, options: readonly string[]): Part {
  return part("poll", question, listed("options", options));
}

/** Groceries: milk (done), bread */
export function checklistPart(
  title: string | undefined,
  tasks: readonly { readonly text: string; readonly isDone?: boolean }[],
): Part {
  const told = tasks.map(({ text, isDone }) => (isDone ? `${text} (done)` : text));
  return part("checklist", title, listed("tasks", told));
}

/** Café Central, Herrengasse 14, 48.21, 16.36 */
export function locationPart(place: {
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly isLive?: boolean;
}): Part {
  const { latitude, longitude, name, address, isLive } = place;
  const where = latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
  return part("location", name, address, where, isLive ? "shared live" : undefined);
}

/** Ada Lovelace, +44 20 7946 0000 */
export function contactPart(name: string | undefined, ways: readonly string[] = []): Part {
  return part("contact", name, ...ways.slice(0, MOST_OPTIONS));
}

function listed(what: string, items: readonly string[]): string | undefined {
  if (items.length === 0) return undefined;
  const left = items.length - MOST_OPTIONS;
  const shown = items.slice(0, MOST_OPTIONS).map((each) => shorten(cleanLine(each.slice(0, 400)), 200));
  return `${what}: ${shown.join(", ")}${left > 0 ? `, and ${left} more` : ""}`;
}
