/** How soon the first output of a process is heard: nothing waits for a timer, which stands still here. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { localSpec } from "../../../test/support/process-host.js";
import { newProcessId } from "../../session/ids.js";
import { Host } from "./host.js";

test("the first output is heard at once, though there was none at the start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-first-output-"));
  const onOutput = vi.fn();
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  const host = new Host({ folder, pty: null, clock: Date.now, onOutput, onEnded: () => {} });
  const spec = { ...localSpec("read -r go; printf x; exec sleep 600"), id: newProcessId() };
  try {
    const { output } = await host.do("spawn", { spec });
    expect(output.to).toBe(0);
    await host.do("write", { id: spec.id, text: "\n" });
    await vi.waitUntil(() => onOutput.mock.calls.length > 0, { timeout: 60_000 });
    expect(onOutput).toHaveBeenCalledWith(spec.id, 1);
  } finally {
    vi.useRealTimers();
    await host.do("kill", { id: spec.id, by: "person", graceMs: 0 });
    await host.do("forget", { id: spec.id });
    host.close();
    rmSync(folder, { recursive: true });
  }
});
