/** What the terminal alone understands: how to leave it, and its keys. Elsewhere one just goes. */
import type { Line } from "../adapter.js";
import type { Completion } from "./completion.js";

export const OWN_COMMANDS: Line["commands"] = [
  { name: "keys", description: "show the keys of this terminal" },
  { name: "quit", description: "leave; the conversation stays as it is" },
  { name: "exit", description: "leave; the conversation stays as it is" },
];

const COMPLETIONS: readonly Completion[] = OWN_COMMANDS.map(({ name, description }) => ({
  text: `/${name}`,
  description,
  ends: true,
}));

/** Words of other programs that people leave with. */
const GOODBYE = /^(?:\/(?:quit|exit)|quit|exit|:q!?|:wq)$/i;

/** For a line that is still the first word of a command. */
export function ownCommands(line: string): readonly Completion[] {
  return /\s/.test(line) ? [] : COMPLETIONS;
}

/** What a text means here; null if it is not for the terminal. */
export function ownCommand(text: string): "leave" | "keys" | null {
  const line = text.trim();
  if (GOODBYE.test(line)) return "leave";
  return /^\/keys$/i.test(line) ? "keys" : null;
}

/** Each key with what it does: `/keys` and the documentation show them. */
export const KEYS: readonly (readonly [string, string])[] = [
  ["Enter", "send the message; with a choice in the menu, take it"],
  ["Alt-Enter, Ctrl-J, or `\\` and Enter", "start a new line in the message"],
  ["Up, Down", "choose in the menu, move between the lines of the message, or bring back earlier messages"],
  [
    "Tab, Shift-Tab",
    "complete a command, its arguments or a file after `@`; choose the next or the one before",
  ],
  ["Esc", "close the menu, end the search, or stop the answer; your text stays"],
  [
    "y, n, a",
    "alone on the line, answer the question that waits: yes, no, always here. `yes 2` and Enter answers question 2",
  ],
  ["Ctrl-R, Ctrl-S", "search earlier messages: the one before, the one after"],
  ["Ctrl-P, Ctrl-N", "bring back the message before, the message after"],
  ["Ctrl-G, or Ctrl-X Ctrl-E", "write the message in your editor (`VISUAL` or `EDITOR`)"],
  ["Ctrl-_, or Ctrl-X Ctrl-U", "undo the last change"],
  ["Home, End, Ctrl-A, Ctrl-E", "go to the beginning or the end of the line"],
  ["Alt-B, Alt-F, Ctrl-Left, Ctrl-Right", "go a word back or forward"],
  ["Ctrl-W, Alt-Backspace, Alt-D", "delete the word before or after the cursor"],
  ["Ctrl-U, Ctrl-K, Ctrl-Y", "delete to the beginning or the end of the line; paste what was deleted"],
  ["Ctrl-O", "show more of a tool's output"],
  ["Ctrl-L", "clear the screen"],
  [
    "Ctrl-C",
    "stop the answer; without one, clear the line (Up brings it back); on an empty line twice, leave",
  ],
  ["Ctrl-D", "leave, if the line is empty"],
  ["Ctrl-Z", "go to the shell; `fg` brings you back"],
];

/** In plain lines the terminal itself edits the line. */
const PLAIN_KEYS: typeof KEYS = [
  ["Enter", "send the message"],
  ["`\\` and Enter", "start a new line in the message"],
  ["y, n, a, then Enter", "answer the question that waits: yes, no, always here. `yes 2` answers question 2"],
  ["Ctrl-C", "stop the answer; without one, clear the message that you began, or twice, leave"],
  ["Ctrl-D", "leave, if the line is empty"],
];

export function keysHelp(isPlain: boolean): string {
  return (isPlain ? PLAIN_KEYS : KEYS).map(([keys, meaning]) => `- ${keys}: ${meaning}`).join("\n");
}
