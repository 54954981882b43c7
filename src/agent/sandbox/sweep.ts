/**
 * Deletes old files from the folder that commands see as /tmp. Commands may have put anything into it, and others may
 * be running: a link in place of a folder would make us delete somewhere else. So this runs in a sandbox that can
 * change nothing else. The age of a file is its last change of any kind, which no command can set back.
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openSandbox, outcomeOf } from "./open-sandbox.js";
import { unlessOutOfReach } from "./real-path.js";
import type { Walls } from "./sandbox.js";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A folder that nobody may read is opened first, and deleted the next time. */
const SWEEP = `old=$(mktemp) && touch -t "$1" "$old" || exit 1
find "$TMPDIR" -mindepth 1 -type d ! -cnewer "$old" ! -perm -700 -exec chmod 700 {} +
find "$TMPDIR" -mindepth 1 ! -cnewer "$old" -delete
rm -f "$old"`;

/** Runs at most as long as a sandbox may take to start; the rest waits for the next time. */
export async function sweepTemporary(walls: Walls, before = Date.now() - DAY_MS): Promise<void> {
  const { temporary, path } = walls;
  const isOld = (name: string) => lstatSync(join(temporary, name)).ctimeMs < before;
  if (!unlessOutOfReach(() => readdirSync(temporary).some(isOld), false)) return;
  // Without a home: mounts in /tmp would be created there.
  const { sandbox } = await openSandbox({ ...walls, folders: [], home: "/", network: false });
  const sweep = ["/bin/sh", "-c", SWEEP, "sh", stamp(before)] as const;
  if (sandbox !== null) await outcomeOf(sandbox.launch([...sweep], "/", { PATH: path, TZ: "UTC" }));
}

/** As `touch -t` reads it, in UTC: `CCYYMMDDhhmm.SS`. */
function stamp(at: number): string {
  const digits = new Date(at).toISOString().replace(/\D/g, "");
  return `${digits.slice(0, 12)}.${digits.slice(12, 14)}`;
}
