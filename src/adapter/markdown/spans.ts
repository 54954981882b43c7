/** Text in pieces, each with its style, for platforms that keep style and text apart. */

export interface Span<Style> {
  readonly text: string;
  readonly style: Style;
}

/** The same pieces with this style as well. */
export function styled<Style>(spans: readonly Span<Style>[], style: Style): Span<Style>[] {
  return spans.map((span) => ({ text: span.text, style: { ...span.style, ...style } }));
}

/** Line by line; the breaks themselves go. */
export function linesOf<Style>(spans: readonly Span<Style>[]): Span<Style>[][] {
  const lines: Span<Style>[][] = [[]];
  for (const { text, style } of spans)
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, style });
    }
  return lines;
}
