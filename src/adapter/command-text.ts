/** Whether a text is a command: the one rule for chats, the terminal and scripts. */

/** The first word, without its slash. */
const FIRST_WORD = /^\s*\/([a-z]\S*)/i;
/** A second slash, or a dot inside the word: `/etc/hosts`, `/notes.md`. */
const PATH = /[/\\]|\.\w/;

/**
 * Any text that begins like a command is one, known or not: a typing mistake must not reach the agent. A text that begins
 * with a path is a message.
 */
export function beginsCommand(text: string): boolean {
  const [, word] = FIRST_WORD.exec(text) ?? [];
  return word !== undefined && !PATH.test(word);
}

/** Whether a text begins with a command that there is: in a group, such a text is for us. */
export function namesCommand(text: string, commands: ReadonlySet<string>): boolean {
  const [, name = ""] = /^\/([a-z]+)(?:\s|$)/i.exec(text) ?? [];
  return commands.has(name.toLowerCase());
}
