/** How the person calls this process; looked up when a sentence first needs it. */
import { realpathSync } from "node:fs";
import { commandName } from "./command-name.js";
import type { Environment } from "./environment.js";

export function commandHere(main: string, { path, npmEvent }: Environment): () => string {
  let known: string | undefined;
  return () => {
    known ??= commandName({
      ...{ main, path, npmEvent },
      script: process.argv[1] ?? main,
      workingFolder: orNull(() => process.cwd()),
      realPath: (file) => orNull(() => realpathSync(file)),
    });
    return known;
  };
}

/** Null if the file system says no. */
function orNull(look: () => string): string | null {
  try {
    return look();
  } catch {
    return null;
  }
}
