/** When commands that remove, change or find many files are dangerous. */
import { has, isBroad, isRecursive, type Look, operands, sensitiveTarget } from "./danger-words.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

const REMOVES =
  "removes folders with all that is in them, outside the working folder or more than a part of it";

export function removes(args: readonly Word[], look: Look): string | null {
  const targets = operands(args);
  if (isRecursive(args))
    return targets.some((target) => isBroad(target, look)) ? REMOVES : sensitiveTarget(targets);
  const everything = targets.some((word) => word.isPattern && /^(?:\.?\/)*[.*?]+$/.test(word.text));
  return everything ? "removes all files in a folder" : sensitiveTarget(targets);
}

export function recursively(args: readonly Word[], look: Look, reason: string): string | null {
  if (!isRecursive(args)) return null;
  return operands(args).some((word) => word.text !== "." && isBroad({ ...word, isPattern: false }, look))
    ? reason
    : null;
}

export function finds(args: readonly Word[], look: Look): string | null {
  const start = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const places = start < 0 ? args : args.slice(0, start);
  const isWide = places.some((place) => !/^\.\/?$/.test(place.text) && isBroad(place, look));
  const isFiltered = has(args, /^-(?:i?name|i?path|i?regex|[amc](?:time|min)|empty|size|newer\w*)$/);
  if (has(args, /^-delete$/) && (isWide || look.isElsewhere || !isFiltered))
    return "deletes all it finds, in many places";
  for (const [at, { text }] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const inner = (end < 0 ? rest : rest.slice(0, end)).map((word) =>
      word.text.includes("{}") ? { ...word, text: UNKNOWN } : word,
    );
    const reason = look.words(inner);
    if (reason) return reason;
    if (isWide && /^(?:rm|mv|chmod|chown|shred|truncate)$/.test(inner[0]?.text.split("/").at(-1) ?? ""))
      return "changes all it finds, in many places";
  }
  return null;
}
