/** When commands that delete, change or find many files are dangerous. */
import { first, has, isBroad, isRecursive, type Look, operands, sensitiveTarget } from "./danger-words.js";
import { whySecret } from "./sensitive-places.js";
import type { SimpleCommand } from "./shell-parse.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

const OUTSIDE = "deletes whole folders outside the working folder";
const HERE = "deletes everything in this folder";
const ANYWHERE = "deletes folders whose names are only known when it runs";

export function removes(args: readonly Word[], look: Look): string | null {
  const targets = operands(args);
  if (isRecursive(args))
    return first(targets, (target) => whyBroad(target, look)) ?? sensitiveTarget(targets);
  const everything = targets.some((word) => word.isPattern && /^(?:\.?\/)*[.*?]+$/.test(word.text));
  return everything ? "deletes all files in a folder" : sensitiveTarget(targets);
}

function whyBroad(target: Word, look: Look): string | null {
  if (!isBroad(target, look)) return null;
  if (target.text.includes(UNKNOWN)) return ANYWHERE;
  const isHere = !look.isElsewhere && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(target.text);
  return isHere ? HERE : OUTSIDE;
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
  const isFiltered = args.some(
    ({ text }, at) =>
      /^-(?:i?name|i?path|i?regex|[amc](?:time|min)|empty|size|newer\w*)$/.test(text) &&
      !/^[*.]+$/.test(args[at + 1]?.text ?? ""),
  );
  if (has(args, /^-delete$/) && (isWide || look.isElsewhere || !isFiltered))
    return "deletes every file that it finds";
  for (const [at, { text }] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const inner = (end < 0 ? rest : rest.slice(0, end)).map((word) =>
      word.text.includes("{}") ? { ...word, text: UNKNOWN } : word,
    );
    const reason = look.words(inner);
    if (reason) return reason;
    if (
      (isWide || !isFiltered) &&
      /^(?:rm|mv|chmod|chown|shred|truncate)$/.test(inner[0]?.text.split("/").at(-1) ?? "")
    )
      return "changes every file that it finds";
  }
  return null;
}

/** `cd` to a place where relative paths matter: the root, a home folder, upwards, keys, or an unknown place. */
export function leavesFolder({ words }: SimpleCommand): boolean {
  const [first, ...args] = words.slice(/^(?:command|builtin)$/.test(words[0]?.text ?? "") ? 1 : 0);
  if (first?.text !== "cd" && first?.text !== "pushd") return false;
  const target = args.find(({ text }) => !/^-[LPe@]+$/.test(text))?.text;
  if (target === undefined || target === "-" || target.includes(UNKNOWN)) return true;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(target) || /^~[^/]*\/?$/.test(target)) return true;
  if (whySecret(`${target}/*`)) return true;
  return target.startsWith("/") && !/^\/tmp\/./.test(target) && target.split("/").filter(Boolean).length <= 2;
}
