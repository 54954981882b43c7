/** Finds the script that has the session of a lane. */
export function lentLanes(): readonly string[] {
  return ["CREATE INDEX terminals_by_lent_lane ON terminals (back_to) WHERE back_to IS NOT NULL"];
}
