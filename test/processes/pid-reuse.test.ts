/** The pid of a process that has ended is given to another one: that one is never touched. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("../support/pid-reuse-child.mjs", import.meta.url));
/** The shell is the first process of the namespace, and takes note of those that lost their parent. */
const NAMESPACE = [
  "--user",
  "--map-root-user",
  "--pid",
  "--fork",
  "--mount-proc",
  "--kill-child",
  "/bin/bash",
  "-c",
];

function inNamespace(command: string, ...args: string[]) {
  return spawnSync("unshare", [...NAMESPACE, `${command}; exit $?`, "sh", ...args], {
    encoding: "utf8",
    timeout: 120_000,
  });
}

const trial = inNamespace("echo 100 > /proc/sys/kernel/ns_last_pid");
const why = trial.status === 0 ? null : (trial.error?.message ?? trial.stderr.trim());
if (why !== null)
  console.warn(`SKIPPED: pid reuse, because pids cannot be chosen in a namespace here: ${why}`);

test.skipIf(why !== null)(
  "a reused pid is never touched, after a crash of the host and after an end that was seen",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "baton-reuse-"));
    try {
      const { stdout, stderr } = inNamespace('"$1" "$2" "$3"', process.execPath, CHILD, folder);
      expect(stderr).toBe("");
      const ends = [{ kind: "lost" }, { kind: "exited", code: 3, by: "itself", leftBehind: false }];
      // The innocent one leads its group; then it is in a group whose leader is gone.
      expect(JSON.parse(stdout)).toMatchObject([
        { ends, isAlive: [true, true] },
        { ends, isAlive: [true, true] },
        { ends: [{ kind: "exited", code: 4 }], isAlive: [true] },
        { ends: [{ kind: "exited", by: "person" }], isAlive: [true] },
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
