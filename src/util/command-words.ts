/** Sentences that name a command to type, with the command as the person calls it. Written texts say `baton`. */

export const USUAL_COMMAND = "baton";

const NAMED = /(^ *|`|: )baton(?=[ `]|$)/gm;

/** The text with the command as the person calls it: in backquotes, after a colon, and where a line begins with it. */
export function withCommand(text: string, command: string): string {
  return command === USUAL_COMMAND ? text : text.replace(NAMED, (_, before: string) => `${before}${command}`);
}

/** The same for help, where every `baton` is the command. */
export function helpWithCommand(text: string, command: string): string {
  return command === USUAL_COMMAND ? text : text.replace(/(?<![\w./-])baton(?=[ `])/g, command);
}
