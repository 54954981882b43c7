/** `baton-gateway/markdown`: Markdown in a platform's own spelling, for adapters. Apart from the rest, since it loads a parser. */

// Extend TextPen if the markup is in the text itself, or LinePen if style and text are apart.
export { codeLines, LinePen, type PenLine, type PenLines, TextPen, textOf } from "./line-pen.js";
// For platforms that have no character to escape marks with.
export { JOINER, literalMarks, takesMark } from "./literal-marks.js";
// Implement Pen if blocks are nested, as in HTML.
export {
  type Align,
  type Around,
  type Cell,
  type Item,
  type LinkTarget,
  type Pen,
  renderMarkdown,
  type TextMark,
} from "./render.js";
// Text in styled pieces, and tables as text.
export { linesOf, type StyledSpan, styled } from "./spans.js";
export { type Columns, OPEN_COLUMNS, RULED_COLUMNS, textTable } from "./text-table.js";
