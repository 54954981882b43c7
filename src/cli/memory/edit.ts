/**
 * `baton memory edit`: all notes in an editor, or as lines from stdin; one note a line. A line that stays keeps its number.
 * What the agent noted meanwhile stays too.
 */
import type { Readable } from "node:stream";
import type { EditedLines } from "../../gateway/memory/desk.js";
import type { MemoryNote } from "../../memory/notes.js";
import { BatonError } from "../../session/errors.js";
import { withPlainBreaks } from "../../util/text.js";
import { counted } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { openEditor } from "../editor.js";
import { CliError, wrongUsage } from "../failure.js";
import type { JsonOption } from "../options.js";
import { withMemory } from "./open-memory.js";
import type { Whose } from "./who.js";

/** Far more than any memory has. */
const MOST_BYTES = 1_000_000;

export async function editMemory(cli: Cli, which: Whose | undefined, { json }: JsonOption): Promise<void> {
  const { terminal, streams } = cli;
  // Not open while somebody thinks: the agent goes on.
  const { seen, home } = await withMemory(cli, "write", which, async ({ desk, reader }, config) => ({
    seen: await desk.list(reader),
    home: config.home,
  }));
  const save = (text: string) => saved(cli, which, seen, text);
  const edited = streams.stdin.isTTY
    ? await inEditor(cli, home, seen, save)
    : await save(await piped(streams.stdin));
  const done = edited ?? { added: 0, removed: 0 };
  if (json) return terminal.json(done);
  if (done.added + done.removed === 0) return terminal.line("Nothing was changed.");
  const [added, removed] = [counted(done.added, "note"), counted(done.removed, "note")];
  if (done.removed === 0) return terminal.line(`Added ${added}.`);
  terminal.line(done.added === 0 ? `Removed ${removed}.` : `Added ${added}, removed ${removed}.`);
}

function saved(
  cli: Cli,
  which: Whose | undefined,
  seen: readonly MemoryNote[],
  text: string,
): Promise<EditedLines> {
  const lines = withPlainBreaks(text).split("\n");
  return withMemory(cli, "write", which, ({ desk, reader }) => desk.rewrite(reader, seen, lines, "person"));
}

/** Null if the file was not changed. If it can't be saved, the person may go on with it. */
async function inEditor(
  cli: Cli,
  home: string,
  seen: readonly MemoryNote[],
  save: (text: string) => Promise<EditedLines>,
): Promise<EditedLines | null> {
  const before = seen.map(({ text }) => `${text}\n`).join("");
  const editor = await openEditor(cli.environment.editor, home, "notes.txt", before);
  try {
    for (;;) {
      const after = await editor.run(MOST_BYTES);
      if (after === before) return null;
      try {
        return await save(after);
      } catch (error) {
        if (!(error instanceof BatonError) || !cli.terminal.canAsk) throw error;
        cli.terminal.problem(error.message);
        if (!(await cli.terminal.confirm("Edit it again?"))) return null;
      }
    }
  } finally {
    await editor.close();
  }
}

async function piped(stdin: Readable): Promise<string> {
  let text = "";
  for await (const piece of stdin.setEncoding("utf8")) {
    text += piece;
    if (text.length > MOST_BYTES) throw new CliError("too_large", "That is far too much for notes.");
  }
  if (text.trim() === "")
    throw wrongUsage("No line was piped in. To remove all notes, run `baton memory forget --all`.");
  return text;
}
