/**
 * Markdown as Signal shows it: plain text, and ranges of it that are bold, italic, struck out or monospaced, counted in
 * UTF-16 units. Nothing in the text itself is markup, so nothing needs escaping.
 */
import { LinePen, type PenLines } from "../markdown/line-pen.js";
import { type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";
import { linesOf, type StyledSpan, styled } from "../markdown/spans.js";

export interface FormattedText {
  readonly text: string;
  /** `start:length:STYLE`, as signal-cli takes them. */
  readonly styles: readonly string[];
}

const STYLES = ["BOLD", "ITALIC", "STRIKETHROUGH", "MONOSPACE"] as const;
type SignalStyle = Partial<Record<(typeof STYLES)[number], true>>;
type SignalWords = readonly StyledSpan<SignalStyle>[];

export function formatText(markdown: string): FormattedText {
  const lines = renderMarkdown(markdown, PEN).map(({ text }) => text);
  const spans = lines.flatMap((line, index) => (index === 0 ? line : [...plain("\n"), ...line]));
  const text = spans.map((span) => span.text).join("");
  const ranges = STYLES.flatMap((style) => rangesOf(style, spans, text));
  ranges.sort((one, other) => one.start - other.start);
  return { text, styles: ranges.map(({ start, end, style }) => `${start}:${end - start}:${style}`) };
}

interface StyleRange {
  readonly start: number;
  end: number;
  readonly style: (typeof STYLES)[number];
}

/** A range goes on over the end of a line, if the next line has the style from its beginning. */
function rangesOf(style: StyleRange["style"], spans: SignalWords, text: string): StyleRange[] {
  const ranges: StyleRange[] = [];
  let start = 0;
  for (const span of spans) {
    const end = start + span.text.length;
    const last = ranges.at(-1);
    if (span.style[style] && last && /^\n*$/.test(text.slice(last.end, start))) last.end = end;
    else if (span.style[style] && end > start) ranges.push({ start, end, style });
    start = end;
  }
  return ranges;
}

const MARKS = { strong: "BOLD", emphasis: "ITALIC", delete: "STRIKETHROUGH" } as const;

class SignalPen extends LinePen<SignalWords, SignalWords> {
  protected readonly empty = [];

  text(text: string): SignalWords {
    return plain(text);
  }

  mark(mark: TextMark, words: SignalWords): SignalWords {
    return styled(words, { [MARKS[mark]]: true });
  }

  code(code: string): SignalWords {
    return styled(plain(code), { MONOSPACE: true });
  }

  /** Where it leads stands beside it, unless that is what it says. */
  link(words: SignalWords, { url, isSaid }: LinkTarget): SignalWords {
    return isSaid ? words : [...words, ...plain(` (${url})`)];
  }

  join(parts: readonly SignalWords[]): SignalWords {
    return parts.flat();
  }

  fence(code: string): PenLines<SignalWords> {
    return this.linesOf(this.code(code)).map((text) => ({ text, kind: "code" }));
  }

  protected behind(sign: string, words: SignalWords): SignalWords {
    return [...plain(sign), ...words];
  }

  protected linesOf(words: SignalWords): readonly SignalWords[] {
    return words.every(({ text }) => text === "") ? [] : linesOf(words);
  }
}

const PEN = new SignalPen();

function plain(text: string): SignalWords {
  return [{ text, style: {} }];
}
