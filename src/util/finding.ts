/** One line of a check-up: what was looked at, how it is, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "broken";
  readonly finding: string;
  /** What to do where it is not well. */
  readonly fix?: string;
}
