/** The commands of a chat, in one table: it runs, completes and explains them. */
import type { LetterButton } from "../../adapter/adapter.js";
import { beginsCommand } from "../../adapter/command-text.js";
import { BatonError, ConflictError } from "../../session/errors.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionsView } from "../../session/view.js";
import { didYouMean } from "../../util/nearest.js";
import { cleanLine } from "../../util/text.js";
import type { Who } from "../authorize.js";
import type { ForCommands } from "../for-commands.js";
import { atLeast, type Role } from "../permissions.js";
import type { Place } from "../places.js";
import type { InboxItem } from "../store.js";

interface CommandWords {
  readonly name: string;
  /** What may follow the name: `[title]`, `<words>`. */
  readonly usage: string;
  /** One line, as after "this command will". */
  readonly description: string;
  /** What else is worth knowing, in whole sentences. */
  readonly details?: string;
  /** It is about the session that the person has before them: in a terminal whose session has moved, it does nothing. */
  readonly ofSession?: true;
  /** It may give the chat another session: what a terminal says next waits for that, and is for the session that it shows then. */
  readonly changesSession?: true;
  /** The least role that may use it; guest by default. */
  readonly role?: Role;
  /** What may follow the name, for completing a line at the terminal. */
  readonly completes?: (call: CompletionCall) => Promise<readonly CommandWord[]>;
}

/** One way to complete a line. */
export interface CommandWord {
  /** As it is typed. */
  readonly text: string;
  readonly description: string;
  /** As it is shown; else as it is typed. */
  readonly label?: string;
  /** Nothing has to follow. */
  readonly ends?: boolean;
}

/** What completions are made of: only what the person may see. */
export interface CompletionCall extends Pick<CommandCall, "who" | "sessions" | "view"> {
  readonly places: () => Promise<readonly Place[]>;
}

/** Words that are always the same. A word that ends with a space wants another one after it. */
export function fixedWords(words: Readonly<Record<string, string>>): () => Promise<readonly CommandWord[]> {
  const all = Object.entries(words).map(([text, description]) => ({
    text: text.trimEnd(),
    description,
    ends: !text.endsWith(" "),
  }));
  return () => Promise.resolve(all);
}

/** What a command answers: a text, and what people may choose next, as the commands that they could also type. */
export interface CommandReply {
  readonly text: string;
  readonly choices: readonly LetterButton[];
}

/**
 * `run` acts and returns the reply; an empty text sends none. A command that `asksAgent` starts a turn, so it counts as
 * a message against the person's limits.
 */
export type Command = CommandWords &
  (
    | { readonly asksAgent?: never; readonly run: (call: CommandCall) => Promise<string | CommandReply> }
    | { readonly asksAgent: true; readonly run: (call: AskingCall) => Promise<string | CommandReply> }
  );

/** The part of the sessions that only reads. */
type SessionsToRead = Pick<Sessions, "current" | "get" | "load" | "history" | "explain" | "timezone">;

/** Only a command that asks the agent can put a message into a lane: its use counts as one. */
export type GatewayForCommands = Omit<ForCommands, "enqueue">;

/** One use of a command, with what the person may see. */
export interface CommandCall {
  readonly item: InboxItem;
  /** The text after the name, trimmed. */
  readonly words: string;
  /** Who asks. */
  readonly who: Who;
  readonly gateway: GatewayForCommands;
  readonly sessions: SessionsToRead;
  /** The sessions that the person may see: a command shows and uses only these, and its own lane. */
  readonly view: SessionsView;
}

export interface AskingCall extends CommandCall {
  readonly gateway: ForCommands;
}

export class Commands {
  readonly table: readonly Command[];
  readonly #sessions: Sessions;

  constructor(table: readonly Command[], sessions: Sessions) {
    this.table = table;
    this.#sessions = sessions;
  }

  isCommand(text: string): boolean {
    return beginsCommand(text);
  }

  /** True if a command makes the agent answer: then it counts as a message. */
  asksAgent(text: string): boolean {
    return this.#named(parsed(text).name)?.asksAgent === true;
  }

  changesSession(text: string): boolean {
    return this.#named(parsed(text).name)?.changesSession === true;
  }

  /** The commands that match the beginning of the line, while it is still the first word. */
  completions(line: string): readonly Command[] {
    const [, word] = /^\/(\S*)$/.exec(line) ?? [];
    if (word === undefined) return [];
    return this.table.filter(({ name }) => name.startsWith(word.toLowerCase()));
  }

  /** An empty text is not sent. */
  async run(item: InboxItem, gateway: ForCommands): Promise<CommandReply> {
    const { name, words } = parsed(item.text);
    const command = this.#named(name);
    if (!command) return plain(noSuchCommand(item.text, this.table, "Send /help"));
    const who = await gateway.people.access(item.source);
    if (!who.allowed) return plain(""); // The person no longer has access.
    if (!mayRun(command, who.role))
      return plain(`A ${who.role} can't use /${command.name}. Send /help to list your commands.`);
    const view = this.#sessions.as(who.viewer);
    try {
      if (command.ofSession) await this.#mustBeHere(item);
      const call = { item, words: words.trim(), who, gateway, sessions: this.#sessions, view };
      const said = await command.run(call);
      return typeof said === "string" ? plain(said) : said;
    } catch (error) {
      if (error instanceof BatonError) return plain(error.message);
      throw error;
    }
  }

  async #mustBeHere({ key, boundTo }: InboxItem): Promise<void> {
    if (boundTo === undefined || (await this.#sessions.current(key))?.sessionId === boundTo) return;
    throw new ConflictError(
      "session_left",
      "This conversation is no longer in this terminal. /resume brings it back, /new starts another.",
    );
  }

  #named(name: string): Command | undefined {
    return this.table.find((each) => each.name === name.toLowerCase());
  }
}

/** `list`: what to do to see them all. */
export function noSuchCommand(text: string, table: readonly Pick<Command, "name">[], list: string): string {
  const name = cleanLine(parsed(text).name).slice(0, 40);
  const known = table.map((each) => each.name);
  return `There is no command /${name}.${didYouMean(name, known)} ${list} to list them. If this is a message, put a word before the slash.`;
}

function plain(text: string): CommandReply {
  return { text, choices: [] };
}

function parsed(text: string): { readonly name: string; readonly words: string } {
  const [, name = "", words = ""] = /^\s*\/(\S+)\s*(.*)$/s.exec(text) ?? [];
  return { name, words };
}

export function mayRun({ role: needed = "guest" }: Pick<Command, "role">, role: Role): boolean {
  return atLeast(role, needed);
}
