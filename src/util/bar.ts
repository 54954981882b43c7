/** Bars of text for charts in a terminal or a chat. */

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * A bar of at most `width` columns, as long as this value is of the most. What is not nothing can be seen. Without
 * Unicode it is made of `#`.
 */
export function bar(value: number, most: number, width: number, unicode = true): string {
  if (!(value > 0) || !(most > 0) || width < 1) return "";
  const share = Math.min(1, value / most);
  if (!unicode) return "#".repeat(Math.max(1, Math.round(share * width)));
  const eighths = Math.max(1, Math.round(share * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
