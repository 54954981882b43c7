import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { SessionsProcess } from "../../../test/support/sessions-process.js";
import { storeErrorOf } from "./errors.js";
import { lockHolderText } from "./lock-holder.js";

let folder = "";
let holder: SessionsProcess | undefined;
afterEach(async () => {
  await holder?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it.runIf(process.platform === "linux")(
  "names the process that holds a store, and says if it is stopped",
  async () => {
    folder = mkdtempSync(join(tmpdir(), "baton-holder-"));
    const path = join(folder, "baton.db");
    holder = new SessionsProcess();
    await holder.open(path);
    expect(lockHolderText(path)).toBeNull();
    await holder.holdLock(path, 100);
    expect(lockHolderText(path)).toMatch(/^Process \d+ holds it\.$/);
    holder.signal("SIGSTOP");
    const stopped =
      /^Process (\d+) holds it and is stopped: `kill -CONT \1` lets it go on, `kill -9 \1` ends it\.$/;
    await vi.waitUntil(() => stopped.test(lockHolderText(path) ?? ""), { timeout: 20_000 });
    const error = storeErrorOf(Object.assign(new Error("database is locked"), { errcode: 5 }), path);
    expect(error).toMatchObject({ code: "store_busy", message: expect.stringContaining("`kill -CONT ") });
    holder.signal("SIGCONT");
    expect(lockHolderText(join(folder, "none.db"))).toBeNull();
  },
);
