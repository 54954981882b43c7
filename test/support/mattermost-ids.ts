import { createHash } from "node:crypto";

/** Mattermost's ids have 26 letters and digits. */
export function idNamed(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 26);
}
