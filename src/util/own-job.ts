/**
 * Shell text that runs a command and waits for it. The shell itself says nothing, such as "Killed", and `$code` is the
 * command's exit code.
 */
export function waitedFor(command: string): string {
  return `exec 3>&2 2>/dev/null; (exec 2>&3 3>&-; exec ${command}); code=$?`;
}

/**
 * The same as the job that has the terminal, so that Ctrl-C reaches only the command and not what waits for it. The shell
 * must have job control (`-m`). Nobody could continue a command that Ctrl-Z has stopped, so it continues at once.
 */
export function asOwnJob(command: string): string {
  return `${waitedFor(command)}; while jobs %% >/dev/null; do fg >/dev/null; code=$?; done`;
}
