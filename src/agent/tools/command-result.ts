/** The result of a command as the tool `terminal` gives it: how it ended, then what it printed. Written and read here. */

const NOTHING = "(no output)";
const WRITTEN = /^(?:\([^)]*\) )?(?:Exit code (\d+)\.)?[^\n]*\n\n([\s\S]*)$/;

export interface CommandOutcome {
  /** Null if it did not end by itself. */
  readonly code: number | null;
  readonly printed: string;
}

export function commandResult(sentences: readonly (string | null)[], printed: string): string {
  return `${sentences.filter(Boolean).join(" ")}\n\n${printed || NOTHING}`;
}

/** Null if it was not run. */
export function commandOutcome(result: string): CommandOutcome | null {
  const [, code, printed] = WRITTEN.exec(result) ?? [];
  if (printed === undefined) return null;
  return { code: code === undefined ? null : Number(code), printed: printed === NOTHING ? "" : printed };
}
