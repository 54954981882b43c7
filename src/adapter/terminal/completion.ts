/** Completion of slash commands: which fit what is written, and what Tab makes of it. */
export interface Completion {
  /** Without the slash; with a second word where that is being written. */
  readonly name: string;
  readonly description: string;
}

const COMMAND_WORD = /^\/(\S*(?: \S*)?)$/;

/** The commands that begin like the line, up to their second word. */
export function fitting(
  line: string,
  complete: (line: string) => readonly Completion[],
): readonly Completion[] {
  const word = COMMAND_WORD.exec(line)?.[1];
  if (word === undefined) return [];
  return complete(line).filter(({ name }) => name.startsWith(word));
}

/** The line as far as the fitting commands agree; a space ends it where there is only one. */
export function completed(line: string, candidates: readonly Completion[]): string {
  const [first, ...rest] = candidates.map(({ name }) => name);
  if (first === undefined) return line;
  if (rest.length === 0) return `/${first} `;
  let common = first;
  for (const name of rest) while (!name.startsWith(common)) common = common.slice(0, -1);
  return `/${common}`;
}
