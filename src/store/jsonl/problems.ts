/**
 * What an import could not take, gathered on the way: a damaged line costs that line, never the rest. However damaged a
 * source is, the list stays short: what is beyond it is counted.
 */
import type { ImportProblem } from "../../session/transfer.js";
import { shorten } from "../../util/text.js";

const LISTED = 1_000;

export class Problems {
  readonly list: ImportProblem[] = [];
  /** How many there are, also those that are not listed. */
  count = 0;
  /** How many lines hold nothing that was said: settings, snapshots, progress. */
  bookkeeping = 0;

  add(file: string, line: number | null, reason: string): void {
    this.count += 1;
    if (this.list.length < LISTED) this.list.push({ file, line, reason: shorten(reason, 1_000) });
  }
}
