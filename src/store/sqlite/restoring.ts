/**
 * The mark of a restore, a file beside the store that names its process. Who opens the store looks for it after having
 * opened it: whoever came earlier is seen by the restore, which then leaves the store alone, and whoever comes later
 * sees the mark and goes. A mark whose process has ended means nothing.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { StoreError } from "../../session/errors.js";
import { processHolder } from "../../util/holder.js";
import { giveSigns, isStillOf } from "../../util/life-sign.js";

function markOf(path: string): string {
  return `${path}.restoring`;
}

/** Runs the work while the store is marked. */
export async function whileRestoring<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  mark(path);
  const end = giveSigns(
    markOf(path),
    () => existsSync(markOf(path)),
    () => {},
  );
  try {
    return await work();
  } finally {
    end();
    rmSync(markOf(path), { force: true });
  }
}

function mark(path: string): void {
  try {
    writeFileSync(markOf(path), processHolder(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    refuseWhileRestoring(path);
    rmSync(markOf(path), { force: true });
    mark(path);
  }
}

export function refuseWhileRestoring(path: string): void {
  let holder: string;
  try {
    holder = readFileSync(markOf(path), "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return;
    throw error;
  }
  if (holder === "" || !isStillOf(markOf(path), holder, Date.now())) return;
  throw new StoreError("store_busy", `${path} is being restored from a backup. Try again when that is done.`);
}
