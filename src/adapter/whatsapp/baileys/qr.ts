/** A QR code for a terminal: two rows of it a line, in black and white whatever colours the terminal has. */
import { renderUnicodeCompact } from "uqr";

/** So much white that phones find its edge. */
const BORDER = 2;

export function qrLines(content: string): string[] {
  return renderUnicodeCompact(content, { border: BORDER }).split("\n");
}

export function inBlackAndWhite(line: string): string {
  return `\u001b[97;40m${line}\u001b[0m`;
}
