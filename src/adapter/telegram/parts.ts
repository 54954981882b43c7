/**
 * A Markdown text in parts that look the same apart as together: cut at blank lines, outside of fences, before a line that
 * stands at the margin. A long text is measured many times while it is split; so only its last part is new each time.
 */

/** A fence, also one in a quote or at the beginning of a list's item. */
const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$/;
/** What stands further in does not close a fence. */
const MAX_INDENT = 3;
/** What is defined anywhere holds for the whole text. */
const DEFINITION = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*\[[^\]]+\]:/m;

export function partsOfText(given: string): readonly string[] {
  const text = given.replace(/\r\n?/g, "\n");
  if (DEFINITION.test(text)) return [text];
  const parts: string[][] = [[]];
  let fence = "";
  let margin = 0;
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    if (isAfterBlank && fence === "" && /^\S/.test(line)) parts.push([]);
    parts.at(-1)?.push(line);
    const [, before = "", marks = "", info = ""] = FENCE.exec(line) ?? [];
    if (fence === "" && !(marks.startsWith("`") && info.includes("`")))
      [fence, margin] = [marks, before.length];
    else if (closes(marks, fence) && info.trim() === "" && before.length <= margin + MAX_INDENT) fence = "";
    isAfterBlank = line.trim() === "";
  }
  return parts.map((lines) => lines.join("\n"));
}

function closes(marks: string, fence: string): boolean {
  return marks[0] === fence[0] && marks.length >= fence.length;
}
