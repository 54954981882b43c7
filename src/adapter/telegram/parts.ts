/**
 * A Markdown text in parts that look the same apart as together: cut at blank lines, outside of fences, before a line that
 * stands at the margin. A long text is measured many times while it is split; so only its last part is new each time.
 */

/** A fence, also one in a quote or at the beginning of a list's item. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/;
/** What is defined anywhere holds for the whole text. */
const DEFINITION = /^[ \t>]*\[[^\]]+\]:/m;

export function partsOfText(given: string): readonly string[] {
  const text = given.replace(/\r\n?/g, "\n");
  if (DEFINITION.test(text)) return [text];
  const parts: string[][] = [[]];
  let fence = "";
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    if (isAfterBlank && fence === "" && /^\S/.test(line)) parts.push([]);
    parts.at(-1)?.push(line);
    const [, marks = "", info = ""] = FENCE.exec(line) ?? [];
    if (fence === "" && !(marks.startsWith("`") && info.includes("`"))) fence = marks;
    else if (marks[0] === fence[0] && marks.length >= fence.length && info.trim() === "") fence = "";
    isAfterBlank = line.trim() === "";
  }
  return parts.map((lines) => lines.join("\n"));
}
