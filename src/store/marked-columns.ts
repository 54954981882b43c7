/**
 * Which column the value of each `?` in a statement of ours is written into or compared with; null where it is none, as
 * in a sum or a limit. It reads `INSERT INTO t (a, b) VALUES (?, ?)`, the same with `SELECT ?, ?`, and `a = ?`.
 */

export function markedColumns(sql: string): readonly (string | null)[] {
  const insert = /^\s*INSERT INTO \w+\s*\(([^)]*)\)\s*(?:VALUES\s*\(|SELECT\s)/.exec(sql);
  const [inserted, rest] = insert ? insertedMarks(sql, insert) : [[], 0];
  const compared = [...sql.slice(rest).matchAll(/(?:\b(\w+) *(?:=|<>) *)?\?/g)];
  return [...inserted, ...compared.map(([, column]) => column ?? null)];
}

/** The columns of the marks in the list of new values, and where that list ends. */
function insertedMarks(sql: string, insert: RegExpExecArray): [(string | null)[], number] {
  const columns = (insert[1] ?? "").split(",").map((column) => column.trim());
  const marked: (string | null)[] = [];
  let nth = 0;
  let depth = 0;
  let at = insert[0].length;
  for (; at < sql.length && depth >= 0; at++) {
    const sign = sql[at];
    if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (sign === "," && depth === 0) nth++;
    else if (sign === "?") marked.push(columns[nth] ?? null);
    else if (depth === 0 && sql.startsWith(" FROM ", at)) break;
  }
  return [marked, at];
}
