/** What an import could not take, gathered on the way: a damaged line costs that line, never the rest. */

import type { ImportProblem } from "../../session/transfer.js";

export class Problems {
  readonly list: ImportProblem[] = [];

  add(file: string, line: number | null, reason: string): void {
    this.list.push({ file, line, reason });
  }
}
