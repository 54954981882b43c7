/** How soon the first output of a process is heard: nothing waits for a timer, which stands still here. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { localSpec } from "../../../test/support/process-host.js";
import { newProcessId, type ProcessId } from "../../session/ids.js";
import { Host } from "./host.js";

test("the first output is heard at once, though there was none at the start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-first-output-"));
  let hear: (output: [ProcessId, number]) => void = () => {};
  // Awaited as it is: `waitUntil` and `poll` would move the timers on.
  const heard = new Promise<[ProcessId, number]>((resolve) => {
    hear = resolve;
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  const host = new Host({
    ...{ folder, pty: null, clock: Date.now, onEnded: () => {} },
    onOutput: (id, to) => hear([id, to]),
  });
  const spec = { ...localSpec("read -r go; printf x; exec sleep 600"), id: newProcessId() };
  onTestFinished(async () => {
    vi.useRealTimers();
    await host.do("kill", { id: spec.id, by: "person", graceMs: 0 });
    await host.do("forget", { id: spec.id });
    host.close();
    rmSync(folder, { recursive: true });
  });
  const { output } = await host.do("spawn", { spec });
  expect(output.to).toBe(0);
  await host.do("write", { id: spec.id, text: "\n" });
  expect(await heard).toEqual([spec.id, 1]);
});
