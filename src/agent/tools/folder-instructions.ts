/**
 * What the file AGENTS.md in the agent's working folder says. It is read like any other file there: a link that leads out
 * of the folder, a pipe or one of Baton's own files is not read.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { printableText, shorten } from "../../util/text.js";
import { grouped } from "../../util/words.js";
import { Confined, type ConfinedOptions } from "./confined.js";
import { Refused } from "./refused.js";
import { readText } from "./text-file.js";

const INSTRUCTIONS_FILE = "AGENTS.md";

/** More than people write, and a small part of what models take. */
const MOST_CHARACTERS = 32_000;

export interface FolderInstructions {
  readonly text: string;
  /** A sentence for the person, if all of it or its end is missing. */
  readonly problem: string | null;
}

/** Null if there is no such file. */
export async function folderInstructions(
  folder: string,
  places: Pick<ConfinedOptions, "forbidden" | "home">,
  most = MOST_CHARACTERS,
): Promise<FolderInstructions | null> {
  if (!(await lstat(join(folder, INSTRUCTIONS_FILE)).catch(() => null))) return null;
  const confined = new Confined({ ...places, folders: [folder], base: folder });
  try {
    const { text } = await readText(await confined.openFile(INSTRUCTIONS_FILE, async () => {}));
    const words = printableText(text).trim();
    if (words.length <= most) return { text: words, problem: null };
    return {
      text: shorten(words, most),
      problem: `${INSTRUCTIONS_FILE} in ${folder} has ${grouped(words.length)} characters. The agent gets the first ${grouped(most)}.`,
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { text: "", problem: `Can't use ${INSTRUCTIONS_FILE} in ${folder}: ${error.message}` };
  }
}
