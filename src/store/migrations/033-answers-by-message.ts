/** Finds the answer that a message of ours belongs to, for a reaction to it. */
export function answersByMessage(): readonly string[] {
  return ["CREATE INDEX outbox_by_message ON outbox (message_id, address) WHERE turn_id IS NOT NULL"];
}
