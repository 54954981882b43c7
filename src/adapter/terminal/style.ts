/**
 * Styled text: spans in rows. A row is painted whole and ends its own colours, so rows can be cut, dropped and redrawn.
 * Painting is the last gate to the terminal: nothing that a terminal acts on passes it, whatever came before.
 */
import { printableText } from "../../util/text.js";
import type { Span as StyledSpan } from "../markdown/spans.js";

export interface Style {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly color?: "red" | "yellow" | "cyan";
}

export type Span = StyledSpan<Style>;

export type Row = readonly Span[];

/** A row as the bytes that show it. */
export type Painter = (row: Row) => string;

const PLAIN: Style = {};
const COLORS = { red: 31, yellow: 33, cyan: 36 } as const;

export function span(text: string, style: Style = PLAIN): Span {
  return { text, style };
}

export function painter(color: boolean): Painter {
  return (row) =>
    row
      .map(({ text, style }) => {
        const shown = printableText(text).replace(/[\n\t]/g, " ");
        const codes = color ? sgr(style) : "";
        return codes === "" || shown === "" ? shown : `\u001b[${codes}m${shown}\u001b[0m`;
      })
      .join("");
}

function sgr(style: Style): string {
  const codes = [
    style.bold && 1,
    style.dim && 2,
    style.italic && 3,
    style.underline && 4,
    style.strike && 9,
    style.color && COLORS[style.color],
  ];
  return codes.filter(Boolean).join(";");
}
