/** Text in pieces, each with its style, for platforms that keep style and text apart. */

export interface StyledSpan<Style> {
  readonly text: string;
  readonly style: Style;
}

/** The same pieces with this style as well. */
export function styled<Style>(spans: readonly StyledSpan<Style>[], style: Style): StyledSpan<Style>[] {
  return spans.map((span) => ({ text: span.text, style: { ...span.style, ...style } }));
}

/** Line by line; the breaks themselves go. */
export function linesOf<Style>(spans: readonly StyledSpan<Style>[]): StyledSpan<Style>[][] {
  const lines: StyledSpan<Style>[][] = [[]];
  for (const { text, style } of spans)
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, style });
    }
  return lines;
}
