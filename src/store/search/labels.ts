/**
 * Terms that no text contains, for what a message is and belongs to. The index joins them with the words, so a filter
 * that few messages pass reads few, also beside a word that most have. All of a message's labels stay true for good: its
 * role and time, and its session, owner and the owner's platform. Where a session is now is not among them.
 */
import { createHash } from "node:crypto";
import { platformOfOwner } from "../../session/access.js";
import type { Row } from "../db.js";
import { number, text } from "../sql/values.js";

type LabelKind = "owner" | "session" | "role" | "platform";

export function labelOf(kind: LabelKind, id: string): string {
  return `=${kind.charAt(0)}${createHash("sha256").update(id).digest("hex").slice(0, 16)}`;
}

/** The labels of a message row joined with its session's `owner`. */
export function labelsOf(row: Row): string[] {
  const owner = text(row.owner);
  const platform = platformOfOwner(owner);
  return [
    labelOf("owner", owner),
    labelOf("session", text(row.session_id)),
    labelOf("role", text(row.role)),
    ...(platform === null ? [] : [labelOf("platform", platform)]),
    ...timeLabelsOf(number(row.at)),
  ];
}

/** Digits of `20260131` that name its decade, year, month and day: the beginnings of a day are the spans it is in. */
const SPANS = [3, 4, 6, 8];
/** Days outside of these count as the nearest. */
const FIRST_DAY = Date.UTC(1970, 0, 1);
const LAST_DAY = Date.UTC(2099, 11, 31);
const DAY_MS = 86_400_000;

function timeLabelsOf(at: number): string[] {
  const digits = digitsOf(dayOf(at));
  return SPANS.map((length) => `=t${digits.slice(0, length)}`);
}

/** The labels that together have every message from `after` until before `before`, and a few around: whole days of UTC. */
export function timeLabels(after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY): string[] {
  const labels: string[] = [];
  if (!(after < before)) return labels;
  const end = dayOf(before - 1) + DAY_MS;
  for (let day = dayOf(after); day < end; ) {
    const span = SPANS.find((length) => startOf(length, day) === day && endOf(length, day) <= end) ?? 8;
    labels.push(`=t${digitsOf(day).slice(0, span)}`);
    day = endOf(span, day);
  }
  return labels;
}

function dayOf(at: number): number {
  return Math.floor(Math.min(Math.max(at, FIRST_DAY), LAST_DAY) / DAY_MS) * DAY_MS;
}

function digitsOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10).replaceAll("-", "");
}

function startOf(span: number, day: number): number {
  const [year, month] = partsOf(day);
  if (span === 8) return day;
  if (span === 6) return Date.UTC(year, month, 1);
  return Date.UTC(span === 4 ? year : year - (year % 10), 0, 1);
}

function endOf(span: number, day: number): number {
  const [year, month] = partsOf(day);
  if (span === 8) return day + DAY_MS;
  if (span === 6) return Date.UTC(year, month + 1, 1);
  return Date.UTC(span === 4 ? year + 1 : year - (year % 10) + 10, 0, 1);
}

function partsOf(day: number): [year: number, month: number] {
  const date = new Date(day);
  return [date.getUTCFullYear(), date.getUTCMonth()];
}
