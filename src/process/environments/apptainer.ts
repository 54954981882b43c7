/**
 * A container of Apptainer or Singularity: one for each command, which ends with it. It is a child of what starts it, so
 * signals and exit codes are its own; it reports a signal as 128 plus its number. It sees no file of this machine but what
 * the settings mount, no variable of ours, and gets no privileges.
 */
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { ApptainerConfig, EnvironmentUse } from "../../util/environment-config.js";
import { containerWords } from "./container.js";

/**
 * Arguments: the folder, if there is one, and the command. Nobody could continue a command that Ctrl-Z has stopped, so
 * that key is a key like others.
 */
const RUN = `if [ -n "$1" ]; then case $1 in /*) ;; *) set -- "./$1" "$2" ;; esac; CDPATH= cd -- "$1" || exit 126; fi
if [ -t 0 ]; then stty susp "^-" 2>/dev/null; fi
exec 2>&1
if [ -x /bin/bash ]; then exec /bin/bash -c -- "$2"; else exec /bin/sh -c -- "$2"; fi`;

export function apptainerEnvironment(
  options: ApptainerConfig & Omit<EnvironmentUse, "home">,
): CommandEnvironment {
  const { name, program, image, mounts, workdir, variables } = options;
  return {
    name,
    where: containerWords(program, image, mounts),
    workdir,
    launch: async (command, folder, mode) => ({
      file: program,
      args: [
        ...["--silent", "exec", "--containall", "--no-home", "--no-privs", "--pwd", "/"],
        ...(mode === "terminal" ? ["--env", "TERM=xterm-256color"] : []),
        ...mounts.flatMap((mount) => ["--bind", mount]),
        ...[image, "/bin/sh", "-c", RUN, "sh", folder ?? "", command],
      ],
      environment: variables,
      remote: null,
    }),
  };
}
