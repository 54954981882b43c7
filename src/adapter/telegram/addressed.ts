/**
 * To whom a text speaks: `@bot` in it, `/command@bot` at its beginning. The mention is taken out, for the agent knows its
 * name; links that hide behind words are written out.
 */

import type { Fields } from "../../util/json.js";
import { boundedText } from "../inbound-limit.js";
import { field, listIn, numericIdIn, objectIn, textIn, wordsIn } from "../untrusted.js";
import { richText } from "./rich.js";

export interface Addressed {
  readonly text: string;
  readonly to: "us" | "another bot" | "nobody in particular";
  readonly isCommand: boolean;
}

interface TelegramSelf {
  readonly id: string;
  readonly username: string;
  readonly commands: ReadonlySet<string>;
}

/** A part of the text that means something; UTF-16 units, as in a JavaScript string. */
interface Entity {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly given: Fields;
}

export function addressed(message: Fields, self: TelegramSelf): Addressed {
  const rich = objectIn(message, "rich_message");
  if (rich) return richlyAddressed(rich, self);
  const isCaption = textIn(message, "text") === undefined;
  const text = textIn(message, isCaption ? "caption" : "text") ?? "";
  const entities = entitiesOf(listIn(message, isCaption ? "caption_entities" : "entities"), text);
  const mentions = entities.filter((entity) => isMention(entity, text, self));
  const command = commandOf(text, entities, self);
  if (command?.for === "another bot") return { text, to: "another bot", isCommand: true };
  const changes = [
    ...mentions.map((entity) => ({ ...entity, by: "" })),
    ...entities.flatMap(writtenOut(text)),
  ];
  const shown = changed(text, command ? [...changes, command] : changes);
  const isForUs = mentions.length > 0 || command?.for === "us";
  return {
    text: (mentions.length > 0 ? shown.replace(/^[\s,:]+/, "") : shown).trim(),
    to: isForUs ? "us" : "nobody in particular",
    isCommand: command !== null,
  };
}

/** In a rich message the mentions stand between the words. */
function richlyAddressed(rich: Fields, self: TelegramSelf): Addressed {
  let isNamed = false;
  const text = richText(rich, (node) => {
    const isUs =
      (node.type === "mention" && isOurName(wordsIn(node, "username").replace("@", ""), self)) ||
      (node.type === "text_mention" && numericIdIn(node, "user", "id") === self.id);
    isNamed ||= isUs;
    return isUs;
  });
  return { text: boundedText(text).trim(), to: isNamed ? "us" : "nobody in particular", isCommand: false };
}

function entitiesOf(list: readonly unknown[], text: string): readonly Entity[] {
  return list.flatMap((each): Entity[] => {
    const [from, length, type] = [field(each, "offset"), field(each, "length"), textIn(each, "type")];
    if (!type || !isIndex(from) || !isIndex(length) || length === 0 || from + length > text.length) return [];
    return [{ type, from, to: from + length, given: each as Fields }];
  });
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isMention({ type, from, to, given }: Entity, text: string, self: TelegramSelf): boolean {
  if (type === "mention") return isOurName(text.slice(from + 1, to), self);
  return type === "text_mention" && numericIdIn(given, "user", "id") === self.id;
}

function isOurName(name: string, { username }: TelegramSelf): boolean {
  return username !== "" && name.toLowerCase() === username.toLowerCase();
}

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

interface WrittenCommand extends Replacement {
  readonly for: "us" | "another bot" | "anybody";
}

/** A command for nobody by name is for us where we know it. */
function commandOf(text: string, entities: readonly Entity[], self: TelegramSelf): WrittenCommand | null {
  const first = entities.find(({ type, from }) => type === "bot_command" && from === 0);
  if (!first) return null;
  const [name = "", bot] = text.slice(1, first.to).split("@");
  const change = { from: 0, to: first.to, by: `/${name}` };
  if (bot !== undefined) return { ...change, for: isOurName(bot, self) ? "us" : "another bot" };
  return { ...change, for: self.commands.has(name.toLowerCase()) ? "us" : "anybody" };
}

const writtenOut =
  (text: string) =>
  ({ type, from, to, given }: Entity): Replacement[] => {
    const url = type === "text_link" ? textIn(given, "url") : undefined;
    const words = text.slice(from, to);
    return url && url !== words ? [{ from, to, by: `${words} (${url})` }] : [];
  };

/** The text with some of its parts changed; of parts that overlap, the first. */
function changed(text: string, changes: readonly Replacement[]): string {
  let [result, at] = ["", 0];
  for (const { from, to, by } of changes.toSorted((a, b) => a.from - b.from)) {
    if (from < at) continue;
    result += text.slice(at, from) + by;
    at = to;
    if (by === "" && /^\s?$/.test(result.slice(-1)) && text[at] === " ") at += 1; // Of the spaces around it, one is enough.
  }
  return result + text.slice(at);
}
