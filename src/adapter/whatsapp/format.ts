/**
 * Markdown as WhatsApp has it: `*bold*`, `_italic_`, `~struck~`, `` `code` ``, fences, lists and quotes. WhatsApp has no
 * escape character: a mark that would be taken for one is kept from it by invisible word joiners around it.
 */
import { codeLines, LinePen, type PenLines, textOf } from "../markdown/line-pen.js";
import { JOINER, literalMarks, takesMark } from "../markdown/literal-marks.js";
import { type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";

const FENCE = "```";

export function formatText(markdown: string): string {
  return textOf(renderMarkdown(markdown, PEN));
}

interface WhatsAppWords {
  readonly marked: string;
  /** The same without marks: inside a word they are none to WhatsApp. */
  readonly bare: string;
  /** What was written, if it is plain text: right behind an address it is a part of that. */
  readonly written?: string;
}

const MARKS = { strong: "*", emphasis: "_", delete: "~" } as const;

class WhatsAppPen extends LinePen<WhatsAppWords, string> {
  protected override readonly bullet = "-";
  protected readonly empty = "";

  text(text: string): WhatsAppWords {
    return { ...same(literalMarks(text)), written: text };
  }

  /** A mark reaches no further than its line, and stands right beside what it marks. */
  mark(mark: TextMark, { marked, bare }: WhatsAppWords): WhatsAppWords {
    const sign = MARKS[mark];
    const lines = marked.split("\n").map((line) => {
      const inner = line.trim();
      const at = line.indexOf(inner);
      const isMarked = takesMark(inner) && !endsInAddress(inner);
      return isMarked ? line.slice(0, at) + sign + inner + sign + line.slice(at + inner.length) : line;
    });
    return { marked: lines.join("\n"), bare };
  }

  code(value: string): WhatsAppWords {
    const code = value.trim();
    const bare = literalMarks(value);
    return { marked: takesMark(code) && !code.includes("`") ? `\`${code}\`` : bare, bare };
  }

  /** Where it leads stands beside it, unless that is what it says. An address of the web is left exactly as it is. */
  link({ marked, bare }: WhatsAppWords, { url, said, isSaid }: LinkTarget): WhatsAppWords {
    if (isSaid) return same(address(said));
    return { marked: `${marked} (${address(url)})`, bare: `${bare} (${address(url)})` };
  }

  join(parts: readonly WhatsAppWords[]): WhatsAppWords {
    let [marked, bare] = ["", ""];
    for (const [index, part] of parts.entries()) {
      const isInWord = isWord(marked.at(-1)) || endsInAddress(marked) || isWord(parts[index + 1]?.bare.at(0));
      marked += behindAddress(marked, part) ?? (isInWord ? part.bare : part.marked);
      bare += behindAddress(bare, part) ?? part.bare;
    }
    return { marked, bare };
  }

  fence(code: string): PenLines<string> {
    if (code.trim() === "") return [];
    return codeLines(`${FENCE}\n${code.replace(/`(?=`)/g, `\`${JOINER}`)}\n${FENCE}`);
  }

  protected behind(sign: string, text: string): string {
    return sign + text;
  }

  /** What would be a quote or a list where a line begins is kept from it. */
  protected linesOf({ marked }: WhatsAppWords): readonly string[] {
    if (marked === "") return [];
    return marked.replace(/^([^\S\r\n\u2028\u2029]*)(?=>|[-*] )/gm, `$1${JOINER}`).split("\n");
  }
}

const PEN = new WhatsAppPen();

function same(text: string): WhatsAppWords {
  return { marked: text, bare: text };
}

function behindAddress(before: string, { written }: WhatsAppWords): string | undefined {
  if (written === undefined || !endsInAddress(before)) return undefined;
  const [rest = ""] = /^[^\s`]*/.exec(written) ?? [];
  return rest + literalMarks(written.slice(rest.length));
}

function address(url: string): string {
  return /^https?:\/\/[^\s/]/.test(url) ? url.replaceAll("`", "%60") : literalMarks(url);
}

/** What stands right behind an address would be taken for a part of it. */
function endsInAddress(text: string): boolean {
  let from = text.length;
  while (from > 0 && /\S/.test(text.charAt(from - 1))) from -= 1;
  return /https?:\/\//.test(text.slice(from));
}

/** A letter, or a mark, which will stand between joiners. */
function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}*_~`\u2060]/u.test(character);
}
