/**
 * Buttons under a letter. A press means that whoever pressed sends the button's command in that chat, with their own
 * rights. What comes back is text from outside: forged data can do no more than typing the command would.
 */
import type { LetterButton } from "./adapter.js";

/** Tells our buttons from those of another program with the same account. */
const PREFIX = "baton ";
/** What every platform carries. */
const MAX_DATA = 64;
/** WhatsApp shows no more. */
export const MAX_LABEL = 20;
const COMMAND = /^\/[a-z]{1,20}(?: [\w.:/@+!#$-]{1,50}){0,2}$/;

/** Whether the platforms carry its command. */
export function fitsButton(button: LetterButton): boolean {
  return pressedCommand(pressData(button)) !== null;
}

/** What a button carries to the platform and back. */
export function pressData({ command }: LetterButton): string {
  return `${PREFIX}${command}`;
}

/** The command of a button that was pressed; null if it is none of ours. */
export function pressedCommand(data: unknown): string | null {
  if (typeof data !== "string" || data.length > MAX_DATA || !data.startsWith(PREFIX)) return null;
  const command = data.slice(PREFIX.length);
  return COMMAND.test(command) ? command : null;
}
