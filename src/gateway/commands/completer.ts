/**
 * Completes a line that begins with a slash: the commands at once, their arguments when they have been looked up. The
 * look-up begins when the name of the command stands there, and is made once for each line; until it is done, what the
 * last one found is shown.
 */
import type { Command, Commands, CommandWord, CompletionCall } from "./commands.js";

export interface CompleterOptions {
  readonly commands: Pick<Commands, "completions" | "table">;
  /** For the person at the terminal; null if they have no access. */
  readonly call: () => Promise<CompletionCall | null>;
  /** There is more to complete with. */
  readonly onArrived: () => void;
}

export class Completer {
  readonly #options: CompleterOptions;
  readonly #found = new Map<string, readonly CommandWord[]>();
  /** The command whose arguments were looked up for this line. */
  #lookedUp: string | null = null;

  constructor(options: CompleterOptions) {
    this.#options = options;
  }

  complete(line: string): readonly CommandWord[] {
    const { commands } = this.#options;
    const [, name = "", gap = ""] = /^\/(\S*)(\s?)/.exec(line) ?? [];
    const command = commands.table.find((each) => each.name === name.toLowerCase());
    if (command) this.#lookUp(command);
    else this.#lookedUp = null;
    if (gap === "") return commands.completions(line).map(commandWord);
    return (command && this.#found.get(command.name)) ?? [];
  }

  /** Without an answer there is nothing to complete; the command itself says what is wrong. */
  #lookUp({ name, completes }: Command): void {
    if (!completes || this.#lookedUp === name) return;
    this.#lookedUp = name;
    this.#options
      .call()
      .then((call) => (call ? completes(call) : []))
      .then((words) => {
        this.#found.set(name, words);
        this.#options.onArrived();
      })
      .catch(() => {});
  }
}

function commandWord({ name, usage, description }: Command): CommandWord {
  return { text: `/${name}`, description: description.replaceAll("`", ""), ends: usage === "" };
}
