/** Tries a program that reaches another place, before something is run there. */
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { EnvironmentUse } from "../../util/environment-config.js";
import { cleanLine, shorten } from "../../util/text.js";
import { withoutDescriptors } from "../../util/without-descriptors.js";

const LONGEST_REASON = 300;

/** Null if it worked; otherwise why it did not. */
export function tried(
  [program, ...words]: readonly [string, ...string[]],
  variables: EnvironmentUse["variables"],
  patienceMs: number,
): Promise<string | null> {
  const [file, ...args] = withoutDescriptors(program, words);
  return new Promise((resolve) => {
    const options = {
      cwd: "/",
      env: { ...variables },
      timeout: patienceMs,
      killSignal: "SIGKILL",
    } as const;
    const child = execFile(file, args, options, (error, _, said) => {
      if (error === null) return resolve(null);
      if (error.killed) return resolve(`it did not answer within ${patienceMs / 1_000} s`);
      const reason = said.trim().split("\n").at(-1) || `it failed with code ${error.code ?? error.signal}`;
      resolve(cleanLine(shorten(reason, LONGEST_REASON)));
    });
    child.stdin?.end();
  });
}

/** True if the program can be found as `variables` say. */
export function isInstalled(program: string, { PATH }: EnvironmentUse["variables"]): boolean {
  if (program.includes("/")) return canRun(program);
  return PATH === undefined || PATH.split(":").some((folder) => canRun(join(folder, program)));
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
