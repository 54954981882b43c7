/** `/memory`: what Baton remembers about the person, or in a group about the group. They read, change and forget it. */
import type { MemoryNote, NoteMaker } from "../../memory/notes.js";
import { didYouMean } from "../../util/nearest.js";
import { cleanLine } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import { type MemoryDesk, roomWords } from "../memory/desk.js";
import { type MemoryReader, memoryAt } from "../memory/whose.js";
import type { AgentInfo } from "./agent-info.js";
import { type Command, fixedWords } from "./commands.js";

export function memory({ clock }: AgentInfo): Command {
  return {
    name: "memory",
    usage: "[add <text>|edit <number> <text>|forget <number>…|forget all]",
    completes: fixedWords({
      "add ": "add a note",
      "edit ": "change a note, by its number",
      "forget ": "remove notes, by their numbers",
      "forget all": "remove all notes",
    }),
    description: "show what I remember about you, or in a group about the group, and change it",
    details:
      "`/memory add I am a vegetarian` adds a note, `/memory edit 17 I am a vegan` changes one, and `/memory forget 17 18` " +
      "removes notes by their numbers. `/memory forget all` removes all of them. In a group, members and owners can change " +
      "its notes.",
    async run({ item, words, who, gateway }) {
      const desk = gateway.memory;
      if (!desk) return "I keep no notes: the setting `memory.enabled` is off.";
      const reader = memoryAt(who, item.source);
      if (!reader) return "I keep no notes in this chat.";
      const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(words) ?? [];
      const verb = Object.hasOwn(VERBS, word.toLowerCase()) ? VERBS[word.toLowerCase()] : undefined;
      if (!verb)
        return `There is no \`/memory ${cleanLine(word).slice(0, 40)}\`.${didYouMean(word, KNOWN)} ${HELP}`;
      return verb({ desk, reader, now: clock() }, rest.trim());
    },
  };
}

/** One use of the command. */
interface MemoryCall {
  readonly desk: MemoryDesk;
  readonly reader: MemoryReader;
  readonly now: number;
}

const HELP = "Send `/help memory` to see what you can do.";

const VERBS: Readonly<Record<string, (call: MemoryCall, rest: string) => Promise<string>>> = {
  "": (call) => list(call),
  list: (call) => list(call),
  async add({ desk, reader }, rest) {
    if (rest === "") return "Write what to remember, as in `/memory add I am a vegetarian`.";
    const { kind, note } = await desk.add(reader, rest, "person");
    return kind === "same" ? `That is note ${note.id} already.` : `Added note ${note.id}.`;
  },
  async edit({ desk, reader }, rest) {
    const [, number = "", text = ""] = /^(\d{1,15})\.?\s+(\S.*)$/s.exec(rest) ?? [];
    if (text === "")
      return "Write the number of a note and its new text, as in `/memory edit 17 I am a vegan`.";
    const { note } = await desk.replace(reader, Number(number), text, "person");
    return `Note ${note.id} now says: ${cleanLine(note.text)}`;
  },
  async forget({ desk, reader }, rest) {
    if (rest.toLowerCase() === "all") {
      const removed = await desk.forget(reader);
      const about = ABOUT[reader.kind];
      return removed === 0
        ? `I remember nothing about ${about}, so there was nothing to remove.`
        : `Removed ${counted(removed, "note")}: I remember nothing about ${about} now.`;
    }
    const words = rest.split(/[\s,]+/).slice(0, MOST_NUMBERS);
    const numbers = words.map((word) => (/^\d{1,15}$/.test(word) ? Number(word) : null));
    const ids = numbers.filter((number) => number !== null);
    if (ids.length < words.length)
      return "Write the numbers of notes, as in `/memory forget 17 18`, or `/memory forget all`.";
    return `Removed ${counted((await desk.remove(reader, ids)).length, "note")}.`;
  },
};
const KNOWN = Object.keys(VERBS).filter((verb) => verb !== "");
const MOST_NUMBERS = 100;

const ABOUT: Readonly<Record<MemoryReader["kind"], string>> = { person: "you", chat: "this group" };

const MADE: Readonly<Record<NoteMaker, string>> = {
  agent: "noted by the agent",
  person: "written by hand",
  flush: "from a conversation",
};

async function list({ desk, reader, now }: MemoryCall): Promise<string> {
  const notes = await desk.list(reader);
  const about = ABOUT[reader.kind];
  const how = "`/memory add`, `/memory edit <number>` and `/memory forget <number>` change it.";
  if (notes.length === 0)
    return `I remember nothing about ${about} yet. To add something, send \`/memory add I am a vegetarian\`.`;
  const line = ({ id, text, by, madeAt }: MemoryNote) =>
    `- \`${id}\` ${cleanLine(text)} (${MADE[by]}, ${relativeTime(madeAt, now)})`;
  const room = roomWords(notes, desk.maxCharacters);
  return [`What I remember about ${about} (${room}):`, ...notes.map(line), "", how].join("\n");
}
