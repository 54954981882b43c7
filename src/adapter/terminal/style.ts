/**
 * Styled text: spans in rows. A row is painted whole and ends its own colours, so rows can be cut, dropped and redrawn.
 * Painting is the last gate to the terminal: nothing that a terminal acts on passes it, whatever came before.
 */
import { printableText } from "../../util/text.js";
import type { StyledSpan } from "../markdown/spans.js";
import { isHarmless } from "./link-target.js";

export interface ScreenStyle {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly color?: keyof typeof COLORS;
  /** Where it leads if it is clicked, as `link-target.ts` allows it. */
  readonly link?: string;
}

export type ScreenSpan = StyledSpan<ScreenStyle>;

export type ScreenRow = readonly ScreenSpan[];

/** A row as the bytes that show it. */
export type Painter = (row: ScreenRow) => string;

const PLAIN: ScreenStyle = {};
const COLORS = { red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36 } as const;

export function span(text: string, style: ScreenStyle = PLAIN): ScreenSpan {
  return { text, style };
}

/** `links`: the terminal makes links of what leads somewhere. */
export function painter(color: boolean, links = false): Painter {
  return (row) => {
    let painted = "";
    let open = "";
    for (const { text, style } of row) {
      const link = links && style.link && isHarmless(style.link) ? style.link : "";
      if (link !== open) painted += leadsTo(link);
      open = link;
      const shown = printableText(text).replace(/[\n\t]/g, " ");
      const codes = color ? sgr(style) : "";
      painted += codes === "" || shown === "" ? shown : `\u001b[${codes}m${shown}\u001b[0m`;
    }
    return open === "" ? painted : painted + leadsTo("");
  };
}

/** What follows leads there; an empty address ends that. */
function leadsTo(href: string): string {
  return `\u001b]8;;${href}\u001b\\`;
}

function sgr(style: ScreenStyle): string {
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
