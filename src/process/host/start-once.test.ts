/** Two that ask for the same id at the very same time, before the first one can be answered. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { localSpec } from "../../../test/support/process-host.js";
import { newProcessId } from "../../session/ids.js";
import { Host } from "./host.js";

test("an id that is just being started is not started again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-once-"));
  const onEnded = vi.fn();
  const host = new Host({ folder, pty: null, clock: Date.now, onOutput: () => {}, onEnded });
  const spec = { ...localSpec("echo started; read -r go"), id: newProcessId() };
  const asked = [host.do("spawn", { spec }), host.do("spawn", { spec })];
  const pids = (await Promise.all(asked)).map(({ pid }) => pid);
  try {
    expect(pids[1]).toBe(pids[0]);
    await host.do("write", { id: spec.id, text: "\n" });
    await expect.poll(() => onEnded.mock.calls.length).toBe(1);
    expect((await host.do("read", { id: spec.id, from: 0, limit: 100 })).text).toBe("started\n");
    await host.do("forget", { id: spec.id }); // So that nobody looks at it after the end of the test.
  } finally {
    for (const pid of new Set(onEnded.mock.calls.length === 0 ? pids : [])) process.kill(-pid, "SIGKILL");
    host.close();
    rmSync(folder, { recursive: true });
  }
});
