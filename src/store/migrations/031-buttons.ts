/** The buttons under a message, with the command that each one sends. */
export function buttons(): readonly string[] {
  return ["ALTER TABLE outbox ADD COLUMN buttons TEXT"];
}
