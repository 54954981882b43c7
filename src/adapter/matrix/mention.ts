/** Whether a message names the bot, and the message without that. */

import type { Fields } from "../../util/json.js";
import { listOf, record, textOf } from "../untrusted.js";

/** The bot itself. */
export interface MatrixSelf {
  readonly userId: string;
  readonly displayName?: string;
  /** Names of commands: `!name` is one of them too, for clients that keep `/name` to themselves. */
  readonly commands: ReadonlySet<string>;
}

/** A link to a user, as clients write a mention into the formatted text: what it leads to, in its tag. */
const TARGET = /\shref=["']?https:\/\/matrix\.to\/#\/([^"'>\s]{1,600})/i;
const LONGEST_TAG = 1_000;
const LONGEST_NAME = 300;
const MAX_FORMATTED = 100_000;
/** So many names for one bot are looked for in a message. */
const MOST_NAMES = 8;

export function withoutMention(
  content: Fields,
  self: MatrixSelf,
): { readonly text: string; readonly isMentioned: boolean } {
  const body = textOf(content.body) ?? "";
  const pills = pillsFor(self.userId, textOf(content.formatted_body) ?? "");
  const isListed = listOf(record(content["m.mentions"]).user_ids).includes(self.userId);
  const atStart = namesOf(self).find((name) => beginsWith(body, name));
  const isMentioned = isListed || pills.length > 0 || atStart !== undefined || body.includes(self.userId);
  if (!isMentioned) return { text: body, isMentioned };
  const named = [...new Set(pills)].slice(0, MOST_NAMES);
  const shown = [...named, ...(atStart === undefined ? [] : [atStart]), self.userId];
  return { text: shown.reduce(without, body).trim(), isMentioned };
}

/** How the bot is named in these links to it. */
function pillsFor(userId: string, html: string): string[] {
  return html
    .slice(0, MAX_FORMATTED)
    .split(/<\/a>/i)
    .slice(0, -1)
    .flatMap((before) => {
      const tag = before.slice(before.toLowerCase().lastIndexOf("<a"));
      const end = tag.indexOf(">");
      const [, target] = TARGET.exec(tag.slice(0, Math.max(0, Math.min(end, LONGEST_TAG)))) ?? [];
      const shown = tag.slice(end + 1);
      const isName =
        target !== undefined && shown !== "" && shown.length <= LONGEST_NAME && !shown.includes("<");
      return isName && decoded(target) === userId ? [unescaped(shown)] : [];
    });
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target.split("?")[0] ?? "");
  } catch {
    return target;
  }
}

export function unescaped(html: string): string {
  const characters: Record<string, string> = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
    "&amp;": "&",
  };
  return html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity] ?? entity);
}

function namesOf({ userId, displayName }: MatrixSelf): string[] {
  const [localpart = ""] = userId.slice(1).split(":");
  return [userId, displayName ?? "", `@${displayName ?? localpart}`, `@${localpart}`].filter(
    (name) => name !== "",
  );
}

/** As people begin a line to somebody: the name, then a colon, a comma, a blank or nothing. */
function beginsWith(body: string, name: string): boolean {
  const start = body.slice(0, name.length);
  if (start.toLowerCase() !== name.toLowerCase()) return false;
  const next = body.charAt(name.length);
  return next === "" || next === ":" || next === "," || /\s/.test(next);
}

/** Takes out the name where it first stands, with the colon or comma behind it. */
function without(text: string, name: string): string {
  const at = text.toLowerCase().indexOf(name.toLowerCase());
  if (at < 0 || text.length !== text.toLowerCase().length) return text.replace(name, "");
  const before = text.slice(0, at).replace(/@$/, "");
  const after = text.slice(at + name.length).replace(/^[:,]/, "");
  return before.trimEnd() === "" ? after.trimStart() : `${before.trimEnd()}${gap(after)}${after.trimStart()}`;
}

function gap(after: string): string {
  return /^\s*(?:$|[.!?;:,])/.test(after) ? "" : " ";
}
