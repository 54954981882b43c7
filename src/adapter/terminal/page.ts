/** What is printed for good, waiting to be drawn: an empty row between one kind of thing and the next. */
import type { ScreenRow } from "./style.js";

export type PrintKind = "said" | "text" | "reasoning" | "tool" | "notice" | "mark";

export class PrintedPage {
  #rows: ScreenRow[] = [];
  #last: PrintKind | null = null;

  /** `continues`: more of what was printed last by the same hand, which keeps its own distances. */
  print(kind: PrintKind, rows: readonly ScreenRow[], continues = false): void {
    if (rows.length === 0) return;
    if (!continues && this.isApart(kind)) this.#rows.push([]);
    this.#rows.push(...rows);
    this.#last = kind;
  }

  /** An empty row belongs before this kind. */
  isApart(kind: PrintKind): boolean {
    return this.#last !== null && !(kind === "tool" && this.#last === "tool");
  }

  /** What was printed since the last call. */
  take(): readonly ScreenRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
