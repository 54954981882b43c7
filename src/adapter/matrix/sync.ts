/**
 * The sync, one batch after the other. It reads on while events of a batch are still being received, so that one slow
 * room holds up no other; what the account remembers is how far everything was received, so a batch that a line did
 * not finish comes again to the next. The SDK's own sync moves on before its events are handled, and skips those that
 * fail: that is why this one is ours.
 */

import type { Fields } from "../../util/json.js";
import type { Intake } from "../intake.js";
import { textOf } from "../untrusted.js";

export interface SyncOptions {
  /** Where the last line stopped; null at the very first time. */
  readonly since: string | null;
  /** What is being received; positions are the tokens of batches. */
  readonly intake: Intake<string>;
  /** What is new since then, waiting that long for something. */
  readonly pull: (since: string | null, waitMs: number) => Promise<Fields>;
  /** Gives its events to the intake, or fails; `next` is the token that comes after the batch. */
  readonly take: (batch: Fields, since: string | null, next: string) => Promise<void>;
  /** The homeserver has answered for the first time. */
  readonly onAnswer: () => void;
  readonly end: AbortSignal;
}

const WAIT_MS = 30_000;
/** How long events may take before what came behind them is asked for, and how many may be open then. */
const READ_ON_MS = 500;
const MOST_OPEN = 500;

/**
 * Until the end, or until the homeserver does not answer. It goes on where the last line stopped; at the very first time,
 * what was said before is not ours to answer.
 */
export async function sync({ since: from, intake, pull, take, onAnswer, end }: SyncOptions): Promise<void> {
  if (from !== null) intake.beginAt(from);
  let since = from;
  for (let isFirst = true; !end.aborted; isFirst = false) {
    const batch = await pull(since, isFirst ? 0 : WAIT_MS);
    const next = textOf(batch.next_batch);
    if (next === undefined) throw new Error("its answer has no next_batch");
    if (end.aborted) return;
    if (isFirst) onAnswer();
    await take(batch, since, next);
    since = next;
    intake.pass(next);
    await intake.quiet(READ_ON_MS);
    await intake.fewerThan(MOST_OPEN);
  }
}
