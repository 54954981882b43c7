/**
 * Opens a person's editor on a text, in a private folder inside the home folder: tools of the agent can't reach it there.
 * The folder is gone afterwards, with all that the editor left in it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../failure.js";

export interface OpenEditor {
  /** Lets the person edit it, and returns what is in the file then. */
  run(mostBytes: number): Promise<string>;
  close(): Promise<void>;
}

/** `editor` is a command of the shell, as other programs take it. */
export async function openEditor(editor: string, home: string, text: string): Promise<OpenEditor> {
  const folder = await mkdtemp(join(home, "edit-"));
  const file = join(folder, "notes.txt");
  await writeFile(file, text, { mode: 0o600 });
  return {
    async run(mostBytes) {
      await edit(editor, file);
      const { size } = await stat(file);
      if (size > mostBytes)
        throw new CliError("too_large", "That is far too much for notes. Nothing was changed.");
      return readFile(file, "utf8");
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function edit(editor: string, file: string): Promise<void> {
  const ignore = () => {}; // Ctrl-C is for the editor.
  process.on("SIGINT", ignore);
  try {
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    const [code, signal] = await once(child, "close");
    if (code === 0) return;
    const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
    throw new CliError(
      "editor_failed",
      `The editor ${how}, so nothing was changed. Set VISUAL or EDITOR to the editor that you want.`,
    );
  } finally {
    process.off("SIGINT", ignore);
  }
}
