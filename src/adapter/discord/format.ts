/**
 * Markdown in Discord's own: most of it is the same, and what is not (tables, deep headings, quotes in quotes, pictures,
 * HTML) is said in what there is. What was plain text stays plain text: every character that Discord would read as
 * markup, a mention or an emoji is escaped.
 */
import { parsedUrl } from "../../util/parsed-url.js";
import { codeLines, type PenLines, TextPen, textOf } from "../markdown/line-pen.js";
import { type Around, type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";

/** As a message's content; never empty, since Discord takes no empty text. */
export function formatMarkdown(text: string): string {
  const shown = textOf(renderMarkdown(text, PEN));
  return shown.trim() === "" ? "…" : shown;
}

/** Beyond this nobody looks: it does not fit anyway. */
const CERTAINLY_TOO_LONG = 5_000;

export function lengthOf(text: string): number {
  return text.length > CERTAINLY_TOO_LONG ? text.length : formatMarkdown(text).length;
}

/** Nobody sees it; it keeps marks from each other, and from letters that would undo them. */
const APART = "\u200b";

class DiscordPen extends TextPen {
  protected override readonly bullet = "-";
  protected override readonly indent = "  ";
  protected override readonly isTight = true;
  protected override readonly isBelowHeading = true;

  /** Discord takes the backslash off any character that is neither a letter, a digit nor a blank. */
  text(text: string): string {
    return text.replace(/[\\*_~`|<>[\]]/g, "\\$&");
  }

  mark(mark: TextMark, words: string, { marks }: Around): string {
    if (mark === "delete") return marked(words, "~~");
    if (mark === "strong") return marked(words, "**");
    return marked(words, marks.includes("strong") || unescaped(words).includes("*") ? "_" : "*");
  }

  /** Three backticks would open a block, so runs of them are kept apart. */
  code(value: string): string {
    const code = withoutRuns(value);
    if (!code.includes("`")) return `\`${code}\``;
    return `\`\`${code.startsWith("`") ? " " : ""}${code}${code.endsWith("`") ? " " : ""}\`\``;
  }

  link(words: string, { url, said, isSaid }: LinkTarget): string {
    const address = webAddress(url);
    // Nothing else is a link to Discord: it stands beside the words.
    if (address === null) return isSaid ? words : `${words} (${this.text(url)})`;
    if (isSaid) return `<${address}>`;
    // Brackets in code cannot be escaped.
    return `[${/[[\]]/.test(unescaped(words)) ? this.text(said) : words}](<${address}>)`;
  }

  override join(parts: readonly string[]): string {
    return parts.reduce((text, next) => text + (isApart(text, next) ? "" : APART) + next, "");
  }

  /** What makes a heading, a list, a quote or small print only where a line begins. */
  protected override linesOf(words: string): readonly string[] {
    return super
      .linesOf(words)
      .map((line) =>
        line.replace(
          /^([ \t]*)(?:([#+-])|(\d+)(\.))/,
          (_, blanks: string, mark = "", number = "", dot = "") =>
            mark ? `${blanks}\\${mark}` : `${blanks}${number}\\${dot}`,
        ),
      );
  }

  /** A heading begins a line, which an item's does not. */
  override heading(words: string, level: number, around: Around): PenLines<string> {
    const text = words.replaceAll("\n", " ").trim();
    if (around.item !== null) return super.heading(text, level, around);
    return text === "" ? [] : [{ text: `${"#".repeat(Math.min(level, 3))} ${text}`, kind: "heading" }];
  }

  fence(code: string, language: string): PenLines<string> {
    const name = /^[\w+#.-]{1,30}$/.test(language) ? language : "";
    const body = code.trim() === "" ? APART : withoutRuns(code);
    return codeLines(`\`\`\`${name}\n${body}\n\`\`\``);
  }

  /** Discord has no quotes in quotes. */
  override quote(inner: PenLines<string>, around: Around): PenLines<string> {
    return around.isQuoted ? inner : super.quote(inner, around);
  }
}

const PEN = new DiscordPen();

function withoutRuns(code: string): string {
  return code.replace(/`(?=`)/g, `\`${APART}`);
}

/** Marks right at blanks would not be read as marks, and the same ones inside, as in code, would end them. */
function marked(inner: string, mark: string): string {
  const core = inner.trim();
  const at = inner.indexOf(core);
  const [before, after] = [inner.slice(0, at), inner.slice(at + core.length)];
  // Of what is struck out an escaped one would be the end, too.
  const inside = mark === "~~" ? core : unescaped(core);
  const isMarked = core !== "" && !inside.includes(mark.slice(0, 1));
  return isMarked ? `${before}${mark}${core}${mark}${after}` : inner;
}

/** What is left where every escaped character is taken out. */
function unescaped(text: string): string {
  return text.replace(/\\[^0-9A-Za-z\s]/g, "");
}

function isApart(text: string, next: string): boolean {
  const mark = /(?<!\\)[*_~`]$/.exec(text)?.[0];
  if (mark === undefined) return true;
  return !(mark === "_" ? /^[\w*~`]/ : /^[*_~`]/).test(next);
}

/** Null for what is no address of the web; nothing in it ends a link early. */
function webAddress(target: string): string | null {
  if (!parsedUrl(target) || !/^https?:\/\/[^\s/]/i.test(target)) return null;
  return target.replace(/[\s<>\\()[\]]/g, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(""),
  );
}
