/** A table as plain lines with columns of one width, for platforms that have none but can show it monospaced. */
import type { Nodes, RootContent, Table } from "mdast";
import stringWidth from "string-width";
import { plainText } from "./markdown.js";

const GAP = "  ";
/** A wider column is not filled up: one long cell must not make every row as long. */
export const MAX_COLUMN = 60;

export function textTable({ children }: Table): string {
  const rows = children.map((row) => row.children.map((cell) => cellText(cell).replaceAll("\n", " ")));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(MAX_COLUMN, Math.max(...rows.map((row) => stringWidth(row[column] ?? "")))),
  );
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? "";
        return cell + " ".repeat(Math.max(0, width - stringWidth(cell)));
      })
      .join(GAP)
      .trimEnd();
  const [head = [], ...body] = rows;
  const rule = widths.map((width) => "─".repeat(width)).join(GAP);
  return [line(head), rule, ...body.map(line)].join("\n");
}

/** The words, and where they lead. */
function cellText(node: Nodes): string {
  if (node.type === "link" || node.type === "image") {
    const said = plainText(node as RootContent);
    if (said === "" || said === node.url) return node.url;
    const isSaid = node.url === "" || node.url === `mailto:${said}`;
    return isSaid ? said : `${said} (${node.url})`;
  }
  return "children" in node ? node.children.map(cellText).join("") : plainText(node as RootContent);
}
