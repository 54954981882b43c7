/**
 * The names of links and footnotes: explained in one part of a text (`[name]: address`), used in any other. To read a part
 * alone, it is enough to know which names are explained elsewhere.
 */

/** Also in a quote or in an item. */
const EXPLAINED = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*\[([^[\]]{1,200})\]:/;
const USED = /\[([^[\]]{1,200})\]/g;
/** More than that is no list of links that somebody wrote. */
const MAX_NAMES = 1_000;

/** The names that are explained, as they are compared, and in which part; in several of them: -1. */
export type ExplainedNames = ReadonlyMap<string, number>;

export function namesIn(parts: readonly (readonly string[])[]): ExplainedNames {
  const names = new Map<string, number>();
  for (const [index, lines] of parts.entries())
    for (const line of lines) {
      const explained = line.includes("]:") ? EXPLAINED.exec(line)?.[1] : undefined;
      if (explained === undefined || names.size === MAX_NAMES) continue;
      const name = compared(explained);
      names.set(name, (names.get(name) ?? index) === index ? index : -1);
    }
  return names;
}

/** Lines that explain, with nothing, the names that this part uses and others explain. */
export function needed(names: ExplainedNames, text: string, index: number): string {
  if (names.size === 0 || !text.includes("[")) return "";
  const used = new Map<string, string>();
  for (const [, name = ""] of text.matchAll(USED)) {
    const part = names.get(compared(name));
    if (part !== undefined && part !== index) used.set(compared(name), name);
  }
  return [...used.values()].map((name) => `[${name.replace(/\s+/g, " ")}]: x`).join("\n");
}

/** Letters count the same, large or small, and so do blanks of any kind. */
function compared(name: string): string {
  return name.replace(/\s+/g, " ").trim().toLowerCase().toUpperCase();
}
