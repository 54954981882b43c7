/**
 * Failures that somebody can act on. Each class says who can fix it, each `code` is stable and safe to match on, and
 * each message says what to do. Messages never contain secrets or message text.
 */

export type ErrorCode =
  // the call is wrong
  | "unknown_platform"
  | "missing_chat_id"
  | "missing_user_id"
  | "missing_thread_id"
  | "invalid_platform"
  | "invalid_source"
  | "invalid_address"
  | "invalid_session_key"
  | "invalid_session_id"
  | "invalid_end_reason"
  | "invalid_scope"
  | "invalid_reset_policy"
  | "invalid_schedule"
  | "invalid_target"
  | "invalid_job"
  | "job_limit"
  | "job_not_found"
  | "ambiguous_job"
  | "job_changed"
  | "invalid_note"
  | "invalid_time_zone"
  | "invalid_message"
  | "invalid_metadata"
  | "invalid_usage"
  | "invalid_config"
  | "invalid_cursor"
  | "invalid_search"
  | "invalid_handoff"
  | "unknown_role"
  | "title_too_long"
  | "viewer_required"
  | "import_unreadable"
  | "backup_unusable"
  | "backup_exists"
  // nothing there, or not for this viewer
  | "session_not_found"
  | "handoff_not_found"
  | "process_not_found"
  | "note_not_found"
  // the state of things forbids it
  | "ambiguous_session"
  | "ambiguous_process"
  | "title_taken"
  | "handoff_active"
  | "handoff_refused"
  | "home_refused"
  | "lock_unreadable"
  | "home_unusable"
  | "store_in_use"
  | "session_left"
  | "turn_running"
  | "summary_failed"
  | "lane_changed"
  | "scopes_in_use"
  | "not_yours"
  | "memory_full"
  | "process_elsewhere"
  | "process_limit"
  | "process_not_started"
  | "process_input_closed"
  | "process_input_full"
  | "process_input_changed"
  | "process_still_running"
  | "process_without_terminal"
  // the process host cannot do its work
  | "process_host_failed"
  | "process_host_lost"
  | "process_host_slow"
  | "process_host_unavailable"
  | "process_host_version"
  // the store cannot do its work
  | "store_foreign"
  | "archive_failed"
  | "store_corrupt"
  | "store_missing"
  | "store_gone"
  | "store_readonly"
  | "store_full"
  | "store_busy"
  | "store_unreachable"
  | "store_unsupported"
  | "store_closed"
  | "store_failed"
  | "schema_too_new"
  | "schema_too_old";

export class BatonError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The caller passed something invalid: fix the call. */
export class InputError extends BatonError {}

/** It does not exist, or not for this viewer; the error does not say which. */
export class NotFoundError extends BatonError {}

/** The request is valid, but the current state forbids it: look again, then decide. */
export class ConflictError extends BatonError {}

/** The store could not do its work. Nothing was confirmed, and nothing was half-written. */
export class StoreError extends BatonError {
  /** True if it may pass by itself, for example while a server starts: callers that can wait should wait. */
  readonly mayPass: boolean;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; mayPass?: boolean }) {
    super(code, message, options);
    this.mayPass = options?.mayPass ?? false;
  }
}

/** The same words whether the session is missing or belongs to somebody else. */
export function sessionNotFound(which: string): NotFoundError {
  const shown = JSON.stringify(which.slice(0, 120));
  return new NotFoundError(
    "session_not_found",
    `There is no session ${shown} here. Run \`baton sessions list\` to see which there are.`,
  );
}

/** `found`: those that it may mean, or the first of them. */
export function ambiguousSession(
  which: string,
  found: readonly { readonly sessionId: string; readonly title: string | null }[],
): ConflictError {
  const names = found.map(({ sessionId, title }) =>
    title === null ? sessionId : `"${title}" (${sessionId})`,
  );
  const shown = JSON.stringify(which.slice(0, 120));
  return new ConflictError(
    "ambiguous_session",
    `${shown} matches several sessions: ${names.join(", ")}. Give one id.`,
  );
}
