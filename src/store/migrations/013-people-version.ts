/** How often persons were changed: who was looked up before is who they are as long as this is the same. */
import type { Dialect } from "../db.js";

export function peopleVersion({ int }: Dialect): readonly string[] {
  return [`ALTER TABLE people_state ADD COLUMN version ${int} NOT NULL DEFAULT 0`];
}
