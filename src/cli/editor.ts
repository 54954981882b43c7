/**
 * Opens a person's editor on a text, in a private folder inside the home folder: tools of the agent can't reach it there.
 * The folder is gone afterwards, with all that the editor left in it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../util/make-folder.js";
import { cleanLine } from "../util/text.js";
import { CliError } from "./failure.js";

export interface OpenEditor {
  /** Lets the person edit it, and returns what is in the file then. */
  run(mostBytes: number): Promise<string>;
  close(): Promise<void>;
}

/** `editor` is a command of the shell, as other programs take it. `name`: of the file, for the editor to go by. */
export async function openEditor(
  editor: string,
  home: string,
  name: string,
  text: string,
): Promise<OpenEditor> {
  makeFolder(home);
  const folder = await mkdtemp(join(home, "edit-"));
  const file = join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  return {
    async run(mostBytes) {
      await edit(editor, file);
      const { size } = await stat(file);
      if (size > mostBytes) throw new CliError("too_large", "The text is too long. Nothing was changed.");
      return readFile(file, "utf8");
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The text as the person leaves it. */
export async function editText(editor: string, home: string, name: string, text: string): Promise<string> {
  const opened = await openEditor(editor, home, name, text);
  try {
    return await opened.run(MOST_BYTES);
  } finally {
    await opened.close();
  }
}

/** How a shell ends if it finds no such program. */
const NOT_FOUND = 127;
const MOST_BYTES = 1_000_000;

async function edit(editor: string, file: string): Promise<void> {
  const ignore = () => {}; // Ctrl-C is for the editor.
  process.on("SIGINT", ignore);
  try {
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    const [code, signal] = await once(child, "close");
    if (code === 0) return;
    if (code === NOT_FOUND)
      throw new CliError(
        "editor_failed",
        `There is no editor "${cleanLine(editor)}" here, so nothing was changed. Set VISUAL or EDITOR to the editor that you want.`,
      );
    const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
    throw new CliError(
      "editor_failed",
      `The editor ${how}, so nothing was changed. Set VISUAL or EDITOR to the editor that you want.`,
    );
  } finally {
    process.off("SIGINT", ignore);
  }
}
