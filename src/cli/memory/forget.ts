/** `baton memory forget`: removes notes by their numbers, or all notes about somebody. */
import { counted } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { wrongUsage } from "../failure.js";
import type { JsonOption } from "../options.js";
import { withMemory } from "./open-memory.js";
import { type Whose, whose } from "./who.js";

interface ForgetNotesOptions extends JsonOption {
  readonly all?: boolean;
  readonly yes?: boolean;
}

export async function forgetMemory(
  cli: Cli,
  words: readonly string[],
  options: ForgetNotesOptions,
): Promise<void> {
  const { terminal } = cli;
  const { which, numbers } = readWords(words);
  const { all, yes, json } = options;
  if (all && numbers.length > 0) throw wrongUsage("Give either numbers of notes or --all, not both.");
  if (!all && numbers.length === 0)
    throw wrongUsage("Give the numbers of notes, as `baton memory show` lists them, or --all.");
  const mayAsk = terminal.canAsk && !json;
  if (all && !yes && !mayAsk) throw wrongUsage("This removes all notes for good. Add --yes to confirm.");
  await withMemory(cli, "change", which, async ({ desk, reader, name }) => {
    if (all && !yes) {
      const there = (await desk.list(reader)).length;
      if (there === 0) return terminal.line(`Baton remembers nothing about ${name}.`);
      if (!(await terminal.confirm(`Remove ${counted(there, "note")} about ${name} for good?`)))
        return terminal.line("Nothing was removed.");
    }
    const removed = all ? await desk.forget(reader) : (await desk.remove(reader, numbers)).length;
    if (json) return terminal.json({ removed });
    terminal.line(`Removed ${counted(removed, "note")} about ${name}.`);
  });
}

/** A person or a chat always has a colon or `p_` in it, so the rest are numbers. */
function readWords(words: readonly string[]): { which: Whose | undefined; numbers: number[] } {
  const numbers = words.filter((word) => /^\d{1,15}$/.test(word)).map(Number);
  const [who, ...others] = words.filter((word) => !/^\d{1,15}$/.test(word));
  if (others.length > 0) throw wrongUsage("Give one person or chat.");
  return { which: who === undefined ? undefined : whose(who), numbers };
}
