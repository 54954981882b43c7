/** What a case found: lines of figures, and the targets they are held to; printed for people or as JSON. */

/** Of "/s" more is better, of all others less. */
export type Unit = "×" | "ms" | "MB" | "/s" | "";

export interface Line {
  readonly what: string;
  readonly ours: number;
  /** The same work by bare statements of the same driver, where that makes sense. */
  readonly raw: number | null;
  readonly unit: Unit;
}

export interface Target {
  readonly what: string;
  readonly value: number;
  readonly atMost: number;
  readonly unit: Unit;
}

export interface Outcome {
  readonly lines: readonly Line[];
  readonly targets: readonly Target[];
}

function isMet(target: Target): boolean {
  return target.value <= target.atMost;
}

export function printOutcome(outcome: Outcome): void {
  printTable(
    ["", "ours", "raw", "ours/raw"],
    outcome.lines.map(({ what, ours, raw, unit }) => [
      what,
      figure(ours, unit),
      raw === null ? "" : figure(raw, unit),
      raw === null ? "" : figure(ours / raw, "×"),
    ]),
  );
  printTable(
    ["target", "measured", "at most", ""],
    outcome.targets.map((target) => [
      target.what,
      figure(target.value, target.unit),
      figure(target.atMost, target.unit),
      isMet(target) ? "met" : "MISSED",
    ]),
  );
}

export function jsonOf(outcome: Outcome, about: object): string {
  const lines = outcome.lines.map((line) => ({
    ...line,
    ratio: line.raw === null ? null : line.ours / line.raw,
  }));
  const targets = outcome.targets.map((target) => ({ ...target, met: isMet(target) }));
  return JSON.stringify({ ...about, lines, targets }, null, 2);
}

export function figure(value: number, unit: Unit): string {
  if (unit === "") return String(value);
  if (unit === "/s") return `${Math.round(value)}/s`;
  if (unit === "×") return `${value.toFixed(2)} ×`;
  return `${value.toFixed(unit === "MB" ? 1 : value < 10 ? 3 : 1)} ${unit}`;
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 || cell === "met" || cell === "MISSED"
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  console.log(`\n${lineOf(head)}\n${widths.map((width) => "─".repeat(width)).join("  ")}`);
  for (const row of rows) console.log(lineOf(row));
}
