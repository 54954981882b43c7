/** `sessions list --platform` reads one page of this index, also if the platform has few sessions or none. */
export function platformLists(): readonly string[] {
  return ["CREATE INDEX sessions_by_platform ON sessions (platform, updated_at, id)"];
}
