/**
 * The tool `memory`: with it the agent reads and changes the notes of the turn's reader, and of nobody else. Only a
 * person's request changes something. An error says what to do instead.
 */
import type { Tool } from "../../agent/agent.js";
import { type Arguments, answering, Refused } from "../../agent/tools/refused.js";
import { LONGEST_NOTE } from "../../memory/notes.js";
import { BatonError } from "../../session/errors.js";
import { cleanLine } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { type MemoryDesk, roomWords } from "./desk.js";
import type { MemoryReader } from "./whose.js";

export interface MemoryToolSetting {
  readonly desk: MemoryDesk;
  readonly reader: MemoryReader;
  /** False if no person asked for this turn. */
  readonly isAsked: boolean;
}

const ACTIONS = ["list", "add", "replace", "remove"] as const;
type MemoryAction = (typeof ACTIONS)[number];

/** The desk says how long a note may be, in better words. */
const MOST_GIVEN = 20_000;

export function memoryTool(setting: MemoryToolSetting): Tool {
  const about = setting.reader.kind === "person" ? "this person" : "this group chat and its members";
  return {
    name: "memory",
    description: [
      `Keeps small notes about ${about}. You see them at the beginning of every conversation with them, also of new ones.`,
      "Use it without being asked if you learn something that stays true and will help later: names, preferences, how they want to be answered, places, people and projects that matter to them, corrections.",
      "Do not note passing tasks, what is only of use today, passwords or other secrets, or what is noted already.",
      "Write each note as one short sentence that can be understood alone. If a fact has changed, replace its note.",
      "Actions: `list` shows the notes with their numbers; `add` takes `text`; `replace` takes `number` and `text`; `remove` takes `number`.",
    ].join(" "),
    parameters: {
      type: "object",
      required: ["action"],
      additionalProperties: false,
      properties: {
        action: { type: "string", enum: [...ACTIONS] },
        number: { type: "integer", description: "The number of a note, as `list` shows it." },
        text: { type: "string", description: `The note: one line of at most ${LONGEST_NOTE} characters.` },
      },
    },
    run: answering((args) => run(setting, args)),
  };
}

async function run(setting: MemoryToolSetting, args: Arguments): Promise<string> {
  const action = actionIn(args);
  if (action !== "list" && !setting.isAsked) {
    throw new Refused(
      "no person asked for this turn, and only a person's request can change the memory. Say in your answer what you would note.",
    );
  }
  try {
    return await act(setting, action, args);
  } catch (error) {
    if (error instanceof BatonError) throw new Refused(error.message);
    throw error;
  }
}

async function act(
  { desk, reader }: MemoryToolSetting,
  action: MemoryAction,
  args: Arguments,
): Promise<string> {
  const room = async () => `${roomWords(await desk.list(reader), desk.maxCharacters)} are used.`;
  switch (action) {
    case "list": {
      const notes = await desk.list(reader);
      if (notes.length === 0) return "There are no notes.";
      const lines = notes.map(({ id, text }) => `${id}: ${cleanLine(text)}`);
      const used = roomWords(notes, desk.maxCharacters);
      return [`${counted(notes.length, "note")}, oldest first (${used}):`, ...lines].join("\n");
    }
    case "add": {
      const { kind, note } = await desk.add(reader, args.words("text", MOST_GIVEN), "agent");
      if (kind === "same") return `This is noted already, as ${note.id}.`;
      return `Noted as ${note.id}. ${await room()}`;
    }
    case "replace": {
      const { note } = await desk.replace(reader, numberIn(args), args.words("text", MOST_GIVEN), "agent");
      return `Note ${note.id} now says: ${cleanLine(note.text)}\n${await room()}`;
    }
    case "remove": {
      const id = numberIn(args);
      await desk.remove(reader, [id]);
      return `Removed note ${id}. ${await room()}`;
    }
    default:
      return action satisfies never;
  }
}

function actionIn(args: Arguments): MemoryAction {
  const given = args.text("action", 40).trim().toLowerCase();
  const action = ACTIONS.find((each) => each === given);
  if (!action) throw new Refused(`\`action\` must be one of ${ACTIONS.join(", ")}.`);
  return action;
}

function numberIn(args: Arguments): number {
  const number = args.optionalInteger("number");
  if (number === undefined)
    throw new Refused("`number` is missing. Use `list` to see the numbers of the notes.");
  return number;
}
