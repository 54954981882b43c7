/** One gateway for each home folder. */
import { join } from "node:path";
import { BatonError } from "../session/errors.js";
import { type FileLock, type LockHolder, lockHolder, takeLock, UnreadableLock } from "../util/file-lock.js";
import { fileProblem } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";

export function homeLockFile(home: string): string {
  return join(home, "gateway.lock");
}

/** Takes the home folder for this process, or says who has it. */
export function takeHome(home: string, now: number): FileLock {
  try {
    makeFolder(home);
    return readable(() => takeLock(homeLockFile(home), now));
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === null) throw error;
    throw new BatonError("home_unusable", `Baton can't write to its home folder ${home}: ${problem}.`, {
      cause: error,
    });
  }
}

/** The gateway of this home folder; null if none runs. */
export function homeHolder(home: string, now: number): LockHolder | null {
  return readable(() => lockHolder(homeLockFile(home), now));
}

function readable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnreadableLock)) throw error;
    const problem = fileProblem(error.cause);
    const message = `Baton can't read the gateway's lock ${error.path}${problem === null ? ". If no gateway is running here, delete it" : `: ${problem}`}.`;
    throw new BatonError("lock_unreadable", message, { cause: error.cause });
  }
}
