/** One line as rows that fit a terminal, broken at spaces. */

export async function wrapLine(line: string, width: number): Promise<string[]> {
  if (line.length * 2 <= width) return [line]; // No character is wider than two columns.
  const [{ wrapWords }, { span }] = await Promise.all([
    import("../adapter/terminal/wrap.js"), // Only if it may be needed: it takes long to load.
    import("../adapter/terminal/style.js"),
  ]);
  return wrapWords([span(line)], width).map((row) => row.map(({ text }) => text).join(""));
}
