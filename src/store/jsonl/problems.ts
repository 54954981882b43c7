/** What an import could not take, gathered on the way: a damaged line costs that line, never the rest. */

export interface ImportProblem {
  readonly file: string;
  /** Counted from 1; null where it is not about one line. */
  readonly line: number | null;
  readonly reason: string;
}

export class Problems {
  readonly list: ImportProblem[] = [];

  add(file: string, line: number | null, reason: string): void {
    this.list.push({ file, line, reason });
  }
}
