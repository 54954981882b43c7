/** Paths with links resolved, as far as we can reach them: what we can't reach, a command can't reach either. */
import { realpathSync, statSync } from "node:fs";

const OUT_OF_REACH = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** Null if we can reach nothing there. */
export function realPath(path: string): string | null {
  return unlessOutOfReach(() => realpathSync(path), null);
}

export function isFolder(path: string): boolean {
  const real = realPath(path);
  return real !== null && statSync(real).isDirectory();
}

export function unlessOutOfReach<Value, Other>(look: () => Value, otherwise: Other): Value | Other {
  try {
    return look();
  } catch (error) {
    if (OUT_OF_REACH.includes((error as NodeJS.ErrnoException).code ?? "")) return otherwise;
    throw error;
  }
}
