/** What a message waits for, and how it is fetched: a process that ends before that leaves it to the next one. */
export function awaitedFiles(): readonly string[] {
  return ["ALTER TABLE inbox ADD COLUMN awaited TEXT"];
}
