/**
 * A program inherits every open descriptor of its starter that is not marked otherwise: those that Baton itself inherited,
 * and PTYs, which their package opens so. Here is what to start instead, so that it gets only its input and outputs.
 */
import { existsSync } from "node:fs";

/** Other shells cannot close descriptors above 9. */
const CLOSING_SHELL = "/bin/bash";

/** Closes all descriptors but the first three; to stand at the beginning of a script of that shell. */
const CLOSE = `for f in /dev/fd/*; do
  case "\${f##*/}" in [0-2]) ;; *) eval "exec \${f##*/}>&-" ;; esac
done
`;

/** False if this machine has no shell that can close them: then they are inherited. */
export function canCloseDescriptors(): boolean {
  return existsSync(CLOSING_SHELL);
}

export function withoutDescriptors(file: string, args: readonly string[]): readonly [string, ...string[]] {
  if (!canCloseDescriptors()) return [file, ...args];
  // If its input is a socket, it takes that for a remote login and reads settings of the user.
  return [CLOSING_SHELL, "--norc", "-c", `${CLOSE}exec "$@"`, "sh", file, ...args];
}
