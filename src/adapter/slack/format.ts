/**
 * Markdown as Slack's mrkdwn. `&`, `<` and `>` are escaped wherever they stand for themselves, so no text of a model's
 * can name a person, a channel or everybody; only links to the web and to mail addresses are made. What mrkdwn does not
 * have becomes what comes closest: headings are bold, tables are code, a fence loses its language.
 */
import { parsedUrl } from "../../util/parsed-url.js";
import { codeLines, type PenLines, TextPen, textOf } from "../markdown/line-pen.js";
import { JOINER, literalMarks, takesMark } from "../markdown/literal-marks.js";
import { type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";
import { RULED_COLUMNS } from "../markdown/text-table.js";
import { LIMITS } from "./limits.js";

/** Stands beside a mark where a letter, a joiner or the same mark would keep Slack from seeing it, and between backticks in code. */
const GAP = "\u200b";
const NEEDLESS_GAP = /(?<![\p{L}\p{N}\u2060])\u200b(?![\p{L}\p{N}\u2060])(?!(?<=([*_~`])\u200b)\1)/gu;

export function toMrkdwn(markdown: string): string {
  return textOf(renderMarkdown(markdown, PEN)).trim() || "…"; // Slack takes no empty text.
}

/** In UTF-16 units, as it is sent. A text whose words alone are too long is not rendered to find out: that takes a while. */
export function mrkdwnLength(markdown: string): number {
  const least = markdown.replace(NO_WORDS, "").length;
  return least > LIMITS.maxText ? least : toMrkdwn(markdown).length;
}

const NO_WORDS = /[^\p{L}\p{N} ]+|(?<= ) +/gu;

/** Text that stands for itself. A quote is one however its sign is written, so that is kept from beginning a line. */
export function escaped(text: string): string {
  return literalMarks(entities(text)).replace(/^([ \t]*)(?=&gt;)/gm, `$1${JOINER}`);
}

/** Text that stands for itself, bold where it can be. */
export function bold(text: string): string {
  const said = escaped(text);
  return takesMark(said) ? `*${said}*` : said;
}

function entities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const MARKS = { strong: "*", emphasis: "_", delete: "~" } as const;

class SlackPen extends TextPen {
  protected override readonly indent = "    ";
  protected override readonly isTight = true;
  protected override readonly columns = RULED_COLUMNS;

  text(text: string): string {
    return escaped(text);
  }

  /** A mark holds within one line, and beside a letter only with a gap. */
  mark(mark: TextMark, words: string): string {
    const sign = MARKS[mark];
    return words
      .split("\n")
      .map((text) => {
        const inner = withoutGaps(text);
        return takesMark(inner) ? text.replace(inner, () => GAP + sign + inner + sign + GAP) : text;
      })
      .join("\n");
  }

  code(code: string): string {
    const text = oneLine(code);
    // There is no inline code with a backtick in it.
    return !takesMark(text) || text.includes("`") ? escaped(code) : `${GAP}\`${entities(text)}\`${GAP}`;
  }

  /** Only what is surely an address becomes one: `<!channel>` would call everybody. */
  link(_words: string, { url, said, isSaid }: LinkTarget): string {
    const label = oneLine(said);
    const address = webAddress(url);
    if (address === null) return escaped(isSaid ? label : `${label} (${url})`);
    const isShown = entities(label).replace(/\/$/, "") === address.replace(/^mailto:|\/$/g, "");
    if (isShown || label === "") return `<${address}>`;
    return `<${address}|${entities(label)
      .replaceAll("|", "¦")
      .replace(/`(?=`)/g, `\`${GAP}`)}>`;
  }

  protected override linesOf(words: string): readonly string[] {
    return super.linesOf(words).map((line) => line.replace(/\u200b+/g, GAP).replace(NEEDLESS_GAP, ""));
  }

  fence(code: string): PenLines<string> {
    if (code.trim() === "") return [];
    return codeLines(`\`\`\`\n${entities(code).replace(/``(?=`)/g, `\`\`${GAP}`)}\n\`\`\``);
  }

  /** Code is not quoted: Slack would show the marks. */
  override quote(inner: PenLines<string>): PenLines<string> {
    return inner.map((line) => (line.kind === "code" ? line : { text: `> ${line.text}`, kind: "quote" }));
  }
}

const PEN = new SlackPen();

function withoutGaps(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s\u200b]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).replace(/^[\s\u200b]+/, "");
}

function webAddress(url: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)\S/i.test(url) || !parsedUrl(url)) return null;
  return new URL(url).href.replaceAll("&", "&amp;").replace(/[<>|`]/g, encodeURIComponent);
}

function oneLine(text: string): string {
  return text.replaceAll(GAP, "").replace(/\s+/g, " ").trim();
}
