/** One line of a check-up: what was looked at, how it is, and what to do about it. What is not well has a fix. */
export type Finding = Looked &
  (
    | { readonly status: "ok" }
    /** `hint`: nothing is wrong, but something could be better. */
    | { readonly status: "hint" | "warning" | "broken"; readonly fix: string }
  );

interface Looked {
  readonly check: string;
  readonly finding: string;
}
