/**
 * What a person would see of the output of a PTY: the text is fed into a terminal that nobody looks at. So `less`, `top` or
 * an editor is read as its screen, not as the drawing of it. The cost is bounded, whatever the program prints.
 */
import type { Terminal } from "@xterm/headless";
import type { TerminalSize } from "./process.js";

/** Other work runs between two pieces. */
const PIECE = 1_024;
const MOST: TerminalSize = { cols: 500, rows: 200 };

/** Rows without the blank ends of lines and without blank rows at the end. The text may begin anywhere in the output. */
export async function screenOf(text: string, size: TerminalSize): Promise<string> {
  const { default: xterm } = await import("@xterm/headless"); // Only if somebody looks at a PTY.
  const [cols, rows] = [Math.min(size.cols, MOST.cols), Math.min(size.rows, MOST.rows)];
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  try {
    boundRepeats(terminal);
    for (let from = 0; from < text.length; from += PIECE) terminal.write(text.slice(from, from + PIECE));
    await new Promise<void>((resolve) => terminal.write("", resolve));
    const { active } = terminal.buffer;
    const lines = Array.from(
      { length: rows },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return lines.join("\n").trimEnd();
  } finally {
    terminal.dispose();
  }
}

/** The sequences that repeat something as often as they say, each with the dimension that bounds what can be seen of it. */
const REPEATS: readonly (readonly [keyof TerminalSize, intermediates: string, finals: string])[] = [
  ["rows", "", "LMST"],
  ["cols", "", "@IPXZb"],
  ["cols", " ", "@A"],
  ["cols", "'", "}~"],
];

/** Without this, ten characters that say "repeat two thousand million times" would keep the whole process busy. */
function boundRepeats(terminal: Terminal): void {
  for (const [dimension, intermediates, finals] of REPEATS) {
    for (const final of finals) {
      terminal.parser.registerCsiHandler(
        { ...(intermediates ? { intermediates } : {}), final },
        (parameters) => parameters.flat().some((count) => count > terminal[dimension]),
      );
    }
  }
}
