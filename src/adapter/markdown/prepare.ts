/** Reads a long text beforehand, so that the pen that writes it next finds it read. The parser is loaded with the first one. */

/** A shorter text is read in a moment. */
const SHORT = 1_000;

export async function prepareMarkdown(markdown: string): Promise<void> {
  if (markdown.length < SHORT) return;
  const { readInTurns } = await import("./read.js");
  await readInTurns(markdown);
}
