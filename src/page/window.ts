/** Which part of a long list is drawn: what can be seen, and a little around it. */

export interface ListWindow {
  readonly from: number;
  /** Not drawn any more. */
  readonly to: number;
  /** What is left out above and below, in pixels. */
  readonly above: number;
  readonly below: number;
}

const AROUND = 8;

export function windowOf(count: number, rowHeight: number, scrollTop: number, height: number): ListWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const seen = Math.ceil(height / rowHeight);
  const from = Math.max(0, Math.min(first, Math.max(0, count - seen)) - AROUND);
  const to = Math.min(count, from + seen + 2 * AROUND + 1);
  return { from, to, above: from * rowHeight, below: (count - to) * rowHeight };
}
