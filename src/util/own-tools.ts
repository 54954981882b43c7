/** The names of all our own tools: no other tool may have one of these names. */
export const OWN_TOOLS: readonly string[] = [
  "terminal",
  "process",
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
  "search_files",
  "fetch_url",
  "session_search",
  "session_read",
  "send_message",
  "send_file",
  "schedule",
  "memory",
];
