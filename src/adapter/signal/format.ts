/**
 * Markdown as Signal shows it: plain text, and ranges of it that are bold, italic, struck out or monospaced, counted in
 * UTF-16 units. Nothing in the text itself is markup, so nothing needs escaping.
 */
import { LinePen, type PenLines } from "../markdown/line-pen.js";
import { renderMarkdown, type Target, type TextMark } from "../markdown/render.js";
import { linesOf, type Span, styled } from "../markdown/spans.js";

export interface FormattedText {
  readonly text: string;
  /** `start:length:STYLE`, as signal-cli takes them. */
  readonly styles: readonly string[];
}

const STYLES = ["BOLD", "ITALIC", "STRIKETHROUGH", "MONOSPACE"] as const;
type Style = Partial<Record<(typeof STYLES)[number], true>>;
type Words = readonly Span<Style>[];

export function formatText(markdown: string): FormattedText {
  const lines = renderMarkdown(markdown, PEN).map(({ text }) => text);
  const spans = lines.flatMap((line, index) => (index === 0 ? line : [...plain("\n"), ...line]));
  const text = spans.map((span) => span.text).join("");
  const ranges = STYLES.flatMap((style) => rangesOf(style, spans, text));
  ranges.sort((one, other) => one.start - other.start);
  return { text, styles: ranges.map(({ start, end, style }) => `${start}:${end - start}:${style}`) };
}

interface Range {
  readonly start: number;
  end: number;
  readonly style: (typeof STYLES)[number];
}

/** A range goes on over the end of a line, if the next line has the style from its beginning. */
function rangesOf(style: Range["style"], spans: Words, text: string): Range[] {
  const ranges: Range[] = [];
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

class SignalPen extends LinePen<Words, Words> {
  protected readonly empty = [];

  text(text: string): Words {
    return plain(text);
  }

  mark(mark: TextMark, words: Words): Words {
    return styled(words, { [MARKS[mark]]: true });
  }

  code(code: string): Words {
    return styled(plain(code), { MONOSPACE: true });
  }

  /** Where it leads stands beside it, unless that is what it says. */
  link(words: Words, { url, isSaid }: Target): Words {
    return isSaid ? words : [...words, ...plain(` (${url})`)];
  }

  join(parts: readonly Words[]): Words {
    return parts.flat();
  }

  fence(code: string): PenLines<Words> {
    return this.linesOf(this.code(code)).map((text) => ({ text, kind: "code" }));
  }

  protected behind(sign: string, words: Words): Words {
    return [...plain(sign), ...words];
  }

  protected linesOf(words: Words): readonly Words[] {
    return words.every(({ text }) => text === "") ? [] : linesOf(words);
  }
}

const PEN = new SignalPen();

function plain(text: string): Words {
  return [{ text, style: {} }];
}
