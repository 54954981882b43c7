/** The sheets of a workbook as rows, with tabs between the cells, as people paste them. */
import { attribute, xmlPieces } from "./xml-text.js";

/** `files`: the XML of the workbook by path. */
export function sheetText(files: ReadonlyMap<string, string>, most: number): string {
  const shared = sharedStrings(files.get("xl/sharedStrings.xml") ?? "", most);
  const names = sheetNames(files.get("xl/workbook.xml") ?? "");
  const sheets = [...files].flatMap(([path, xml]) => {
    const number = /^xl\/worksheets\/sheet(\d{1,5})\.xml$/.exec(path)?.[1];
    return number === undefined ? [] : [{ number: Number(number), xml }];
  });
  sheets.sort((one, other) => one.number - other.number);
  const texts: string[] = [];
  let length = 0;
  for (const [place, { xml }] of sheets.entries()) {
    if (length > most) break;
    const rows = rowsOf(xml, shared, most).join("\n");
    if (rows === "") continue;
    texts.push(`Sheet ${names[place] ?? place + 1}\n\n${rows}`);
    length += rows.length;
  }
  return texts.join("\n\n");
}

/** Cells name their text by its place here; what is far behind would not be shown anyway. */
function sharedStrings(xml: string, most: number): string[] {
  const strings: string[] = [];
  let length = 0;
  let isInside = false;
  for (const piece of xmlPieces(xml)) {
    if (length > 8 * most) break;
    if (piece.kind === "text") {
      if (!isInside) continue;
      strings.push(`${strings.pop() ?? ""}${piece.text}`);
      length += piece.text.length;
    } else if (piece.name === "si" && piece.kind !== "close") strings.push("");
    else if (piece.name === "t") isInside = piece.kind === "open";
  }
  return strings;
}

function sheetNames(xml: string): string[] {
  return [...xmlPieces(xml)].flatMap((piece) => {
    if (piece.kind === "text" || piece.kind === "close" || piece.name !== "sheet") return [];
    return [attribute(piece.attributes, "name") ?? ""];
  });
}

function rowsOf(xml: string, shared: readonly string[], most: number): string[] {
  const rows: string[] = [];
  let cells: string[] = [];
  let isShared = false;
  let isValue = false;
  let length = 0;
  for (const piece of xmlPieces(xml)) {
    if (length > most) break;
    if (piece.kind === "text") {
      if (!isValue) continue;
      const value = isShared ? (shared[Number(piece.text)] ?? "") : piece.text;
      cells.push(`${cells.pop() ?? ""}${value.replace(/\s+/g, " ")}`);
    } else if (piece.name === "c" && piece.kind !== "close") {
      // Empty cells are not in the file: its place says how many are missing.
      const column = columnOf(attribute(piece.attributes, "r") ?? "");
      while (cells.length < column) cells.push("");
      cells.push("");
      isShared = attribute(piece.attributes, "t") === "s";
    } else if (piece.name === "v" || piece.name === "t") isValue = piece.kind === "open";
    else if (piece.name === "row" && piece.kind === "close") {
      const row = cells.join("\t").trimEnd();
      cells = [];
      if (row === "") continue;
      rows.push(row);
      length += row.length;
    }
  }
  return rows;
}

const MOST_COLUMNS = 200;

/** 0 for `A1`, 27 for `AB3`. */
function columnOf(place: string): number {
  const [letters = ""] = /^[A-Z]{1,3}/.exec(place) ?? [];
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return Math.min(Math.max(0, column - 1), MOST_COLUMNS);
}
