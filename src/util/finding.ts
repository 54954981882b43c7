/** One line of a check-up: what was checked, its state, and what to do about it. Every problem has a fix. */
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
