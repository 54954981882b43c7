/** Which files of a message did not come, and why. Until now only the end of its text said so. */
import type { Dialect } from "../db.js";

export function missingFiles({ text }: Dialect): readonly string[] {
  return [`ALTER TABLE inbox ADD COLUMN missing ${text}`];
}
