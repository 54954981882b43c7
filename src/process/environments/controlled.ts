/** A command on the other side with what controls it there, whatever reaches that side. */
import { randomBytes } from "node:crypto";
import type { LaunchMode, LaunchThere } from "../../util/command-environment.js";
import { shellWords } from "./encoded-words.js";
import { FORGET, LEAD, RUN, SIGNAL, STATUS } from "./there.js";

/** The words that run these words on the other side. */
export type ReachThere = (
  words: readonly string[],
  mode: LaunchMode | "control",
) => readonly [string, ...string[]];

export function controlledCommand(
  reach: ReachThere,
  { command, workdir, mode }: { command: string; workdir: string | null; mode: LaunchMode },
): Pick<LaunchThere, "file" | "args" | "remote"> {
  // Names the command there; nobody can guess it.
  const mark = randomBytes(16).toString("hex");
  const pipes = mode === "terminal" ? "terminal" : "pipes";
  const [file, ...args] = reach(shellWords(RUN, [mark, pipes, workdir ?? "", command, LEAD]), mode);
  const control = (script: string) => reach(shellWords(script, [mark]), "control");
  return {
    file,
    args,
    remote: { signal: control(SIGNAL), status: control(STATUS), forget: control(FORGET) },
  };
}
