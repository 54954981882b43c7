/** The words of a piece of shell syntax: quotes removed, braces expanded, variables filled in. */
import type { Word as WordNode, WordPart } from "unbash";
import { CLOSE, COMMA, expandBraces, OPEN, UNKNOWN } from "./shell-text.js";

export interface Word {
  readonly text: string;
  /** Contains a `*`, `?` or `[` that is a shell pattern. */
  readonly isPattern: boolean;
  /** Contains `<(…)` or `>(…)`. */
  readonly isFed: boolean;
}

export function asWord(text: string): Word {
  return { text, isPattern: false, isFed: false };
}

/** One word; several if it contains `{a,b}`; none if it is an empty variable. */
export function wordsOf(word: WordNode, variable: (name: string) => string): Word[] {
  const { parts } = word;
  if (!parts) return [asWord(word.value)];
  const [only] = parts;
  if (only?.type === "SimpleExpansion" && parts.length === 1) {
    // A value that contains blanks becomes several words.
    const value = variable(only.text.slice(1));
    if (/\s/.test(value) && !/[*?[\ue000]/.test(value)) return value.trim().split(/\s+/).map(asWord);
  }
  const isPattern = parts.some(({ type }) => type === "Glob" || type === "ExtendedGlob");
  const isFed = parts.some(({ type }) => type === "ProcessSubstitution");
  const text = parts.map((part) => textOf(part, variable, false)).join("");
  return expandBraces(text).map((one) => ({ text: one, isPattern, isFed }));
}

function textOf(part: WordPart, variable: (name: string) => string, isQuoted: boolean): string {
  switch (part.type) {
    case "Literal":
    case "Glob":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((inner) => textOf(inner, variable, true)).join("");
    case "SimpleExpansion":
      return split(variable(part.text.replaceAll("\\\n", "").slice(1)), isQuoted);
    case "ParameterExpansion": {
      const isPlain = !part.operation && part.prefix === undefined && !part.index;
      return isPlain ? split(variable(part.parameter), isQuoted) : UNKNOWN;
    }
    case "ExtendedGlob":
      return part.text;
    case "BraceExpansion":
      return part.parts
        ? `${OPEN}${part.parts.map((inner) => (inner.type === "Literal" ? marked(inner.text) : textOf(inner, variable, isQuoted))).join("")}${CLOSE}`
        : marked(part.text);
    default:
      return UNKNOWN;
  }
}

/** Without quotes, a value with blanks becomes several words, and one with `*` becomes other words. */
function split(value: string, isQuoted: boolean): string {
  return !isQuoted && /[\s*?[]/.test(value) ? UNKNOWN : value;
}

/** Braces and commas that are not quoted, as marks. */
function marked(text: string): string {
  return text.replace(/\\([\s\S])|[{,}]/g, (char, escaped?: string) => {
    if (escaped !== undefined) return escaped === "\n" ? "" : escaped;
    return { "{": OPEN, ",": COMMA, "}": CLOSE }[char] ?? char;
  });
}
