/**
 * File name patterns: `*` and `?` within a name, `**` for any folders, `{a,b}` for either. A pattern without a `/`
 * matches the name only, in any folder. Matching takes time in proportion to the pattern times the path.
 */

const MOST_ALTERNATIVES = 100;
/** The most characters in all while braces are expanded. */
const MOST_CHARACTERS = 10_000;

/** Null if the pattern has more braces or alternatives than anybody would write. */
export function globMatcher(pattern: string): ((path: string) => boolean) | null {
  const alternatives = expanded(pattern);
  if (alternatives === null) return null;
  const matchers = alternatives.map((one) => {
    const parts = one.replace(/^\.?\//, "").split("/");
    return parts.length === 1
      ? (path: string) => nameMatches(one, path.slice(path.lastIndexOf("/") + 1))
      : (path: string) => pathMatches(parts, path.split("/"));
  });
  return (path) => matchers.some((matches) => matches(path));
}

/** `a.{ts,js}` → `a.ts`, `a.js`; the innermost braces first. */
function expanded(pattern: string): string[] | null {
  const done: string[] = [];
  let open = [pattern];
  let written = 0;
  while (open.length > 0) {
    if (open.length + done.length > MOST_ALTERNATIVES) return null;
    const next: string[] = [];
    for (const one of open) {
      written += one.length;
      if (written > MOST_CHARACTERS) return null;
      const [braces, inner] = /\{([^{}]*)\}/.exec(one) ?? [];
      if (braces === undefined || inner === undefined) done.push(one);
      else next.push(...inner.split(",").map((choice) => one.replace(braces, () => choice)));
    }
    open = next;
  }
  return done;
}

/** Which names of the pattern can be reached after each name of the path: a table, so nothing is tried twice. */
function pathMatches(parts: readonly string[], names: readonly string[]): boolean {
  let reached = spread(parts, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of reached) {
      const part = parts[at];
      if (part === "**") next.add(at);
      else if (part !== undefined && nameMatches(part, name)) next.add(at + 1);
    }
    reached = spread(parts, next);
  }
  return reached.has(parts.length);
}

/** `**` may also stand for no folder at all. */
function spread(parts: readonly string[], reached: Set<number>): Set<number> {
  for (const at of reached) if (parts[at] === "**") reached.add(at + 1);
  return reached;
}

/** Only the last `*` is ever tried again: earlier ones need not take more than they had to. */
export function nameMatches(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  let place = 0;
  while (place < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      from = place;
    } else if (pattern[at] === "?" || pattern[at] === name[place]) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++from;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
