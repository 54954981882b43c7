/**
 * What a person would see of the output of a PTY: the text is fed into a terminal that nobody looks at. So `less`, `top` or
 * an editor is read as its screen, not as the drawing of it. The cost is bounded, whatever the program prints.
 */
import type { Terminal } from "@xterm/headless";
import { switchScreens } from "./other-screen.js";
import type { TerminalSize } from "./process.js";

/** How much of the end of an output is enough to know what a program has drawn, though it draws only what has changed. */
export const SCREEN_BYTES = 256 * 1024;

/** Other work runs between two pieces. */
const PIECE = 1_024;
const MOST: TerminalSize = { cols: 500, rows: 200 };
/**
 * How many rows may be redrawn by sequences that redraw several: each takes some microseconds. It is more than one piece
 * can ask for, and more than programs do that draw for people.
 */
const MOST_ROWS = 120_000;

/** Rows without the blank ends of lines and without blank rows at the end. The text may begin anywhere in the output. */
export async function screenOf(text: string, size: TerminalSize): Promise<string> {
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, n) =>
    text.slice(n * PIECE, (n + 1) * PIECE),
  );
  const { screen, redrawn } = await draw(pieces, size);
  const first = firstWithin(redrawn, MOST_ROWS);
  return first === 0 ? screen : (await draw(pieces.slice(first), size)).screen;
}

/** Where to begin so that no more is left than that. */
function firstWithin(costs: readonly number[], most: number): number {
  let left = most;
  return (
    costs.findLastIndex((cost) => {
      left -= cost;
      return left < 0;
    }) + 1
  );
}

interface Drawing {
  readonly screen: string;
  /** How many rows each piece asks to redraw. After too many it is not done, and the screen is wrong. */
  readonly redrawn: readonly number[];
}

async function draw(pieces: readonly string[], size: TerminalSize): Promise<Drawing> {
  const { default: xterm } = await import("@xterm/headless"); // Only if somebody looks at a PTY.
  const [cols, rows] = [Math.min(size.cols, MOST.cols), Math.min(size.rows, MOST.rows)];
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  try {
    const redrawn = pieces.map(() => 0);
    let [piece, sum] = [0, 0];
    onRedraw(terminal, (count) => {
      redrawn[piece] = (redrawn[piece] ?? 0) + count;
      sum += count;
      return sum <= MOST_ROWS;
    });
    boundRepeats(terminal);
    for (const text of pieces) {
      terminal.write(text, () => {
        piece += 1;
      });
    }
    await new Promise<void>((resolve) => terminal.write("", resolve));
    const { active } = terminal.buffer;
    const lines = Array.from(
      { length: rows },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return { screen: lines.join("\n").trimEnd(), redrawn };
  } finally {
    terminal.dispose();
  }
}

/** Asks before each sequence that redraws several rows; it says how many. */
function onRedraw(terminal: Terminal, mayRedraw: (rows: number) => boolean): void {
  const { parser, rows } = terminal;
  const isRefused = () => !mayRedraw(rows);
  for (const final of "LMST") {
    parser.registerCsiHandler({ final }, ([count]) => !mayRedraw(Number(count) || 1));
  }
  for (const final of "hl") {
    parser.registerCsiHandler({ prefix: "?", final }, (modes) => switchScreens(modes.flat()) && isRefused());
  }
  for (const prefix of ["", "?"]) parser.registerCsiHandler({ prefix, final: "J" }, isRefused);
  for (const final of "@A") parser.registerCsiHandler({ intermediates: " ", final }, isRefused);
  for (const final of "}~") parser.registerCsiHandler({ intermediates: "'", final }, isRefused);
  parser.registerEscHandler({ final: "c" }, isRefused);
  parser.registerEscHandler({ intermediates: "#", final: "8" }, isRefused);
}

/** The sequences that repeat something as often as they say, each with the dimension that bounds what can be seen of it. */
const REPEATS: readonly (readonly [keyof TerminalSize, intermediates: string, finals: string])[] = [
  ["rows", "", "LMST"],
  ["cols", "", "@IPXZb"],
  ["cols", " ", "@A"],
  ["cols", "'", "}~"],
];

/**
 * Without this, ten characters that say "repeat two thousand million times" would keep the whole process busy. What is
 * registered last is asked first: so these are not counted.
 */
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
