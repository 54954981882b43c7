/**
 * The columns that Baton reads of a table, by name. If a statement asked for all columns, a migration would change what it
 * returns: then a gateway of the version before could not go on with its prepared statements in the middle of an upgrade.
 */
const names = (list: string): readonly string[] => list.split(/\s+/);

const COLUMNS = {
  sessions:
    names(`id key owner lane_owner chat platform chat_type origin display_name title created_at updated_at ended_at
    end_reason parent_id reset_reason next_seq message_count active_from consolidated_through summary standing input_tokens
    output_tokens cache_read_tokens cache_write_tokens cost metadata`),
  routes: names("key session_id owner chat origin display_name"),
  messages: names(
    `id session_id seq role content name author note tool_call_id tool_calls reasoning attachments at superseded_at`,
  ),
  inbox:
    names(`id platform account chat message_id kind key source text attachments missing awaited said_by made_by made_of
    in_background bound_to received_at state owner`),
  outbox:
    names(`id delivery_id platform account address kind text session_id turn_id reply_to handoff_id run_id attachments buttons state
    owner attempts not_before wait_ms created_at`),
  tool_calls: names("id turn_id call_id name arguments said state result process"),
  persons: names("id name created_at"),
  processes:
    names(`id home session_id source command workdir environment pty walled check_interval_ms patterns completion state
    started_at ended_at exit_code exit_signal ended_by left_behind error reported_through matched_through
    matched_at`),
  jobs: names(`id owner source origin_key origin_source origin_account setting state paused_why next_at wake_at runs_left
    failures spent_day spent_tokens created_at version`),
  job_runs: names(
    `id job_id scheduled_for state error inbox_id session_id said made_at started_at ended_at tokens output`,
  ),
  memory_notes: names("id owner text made_at made_by"),
  web_posts: names(
    "id chat position delivery_id thread purpose text buttons attachments session_id at is_gone",
  ),
  web_devices: names("id identity alias called name created_at seen_at"),
  work: names("id what unit done total started_at told_at ended_at outcome owner"),
  pairings: names("identity called asked_at expires_at answers denied"),
};

export function columnsOf(table: keyof typeof COLUMNS, as: string = table): string {
  return COLUMNS[table].map((column) => `${as}.${column}`).join(", ");
}
