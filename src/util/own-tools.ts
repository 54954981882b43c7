/** The names of all tools of our own, whoever has them: nobody else's tool is called so. */
export const OWN_TOOLS: readonly string[] = [
  "terminal",
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
  "search_files",
  "fetch_url",
  "session_search",
  "session_read",
  "send_message",
];
