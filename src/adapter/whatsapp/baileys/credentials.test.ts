import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { initAuthCreds, proto } from "baileys";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Credentials } from "./credentials.js";

const CHILD = fileURLToPath(new URL("../../../../test/support/credentials-child.mjs", import.meta.url));

describe("the credentials of a linked device", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "baton-credentials-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("come back as they were, keys and bytes", async () => {
    const creds = initAuthCreds();
    const first = new Credentials(folder, creds);
    const keyData = Buffer.from([1, 2, 3]);
    await first.save();
    await first.keys.set({
      session: { "a/../../b": Buffer.from([9]) },
      "app-state-sync-key": { k: proto.Message.AppStateSyncKeyData.fromObject({ keyData }) },
    });
    const second = await Credentials.open(folder);
    expect(second?.creds.noiseKey).toEqual(creds.noiseKey);
    expect(second?.creds.advSecretKey).toBe(creds.advSecretKey);
    expect(await second?.keys.get("session", ["a/../../b", "none"])).toEqual({
      "a/../../b": Buffer.from([9]),
    });
    const { k } = (await second?.keys.get("app-state-sync-key", ["k"])) ?? {};
    expect(Buffer.from(k?.keyData ?? [])).toEqual(keyData);
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it("are none where none were ever kept, and a key that was taken away is gone", async () => {
    expect(await Credentials.open(join(folder, "none"))).toBeNull();
    const credentials = new Credentials(folder);
    await credentials.keys.set({ session: { ann: Buffer.from([1]) } });
    await credentials.keys.set({ session: { ann: null } });
    expect(await credentials.keys.get("session", ["ann"])).toEqual({});
  });

  it("leave nothing behind where they are to be forgotten, not even what a crash left", async () => {
    const credentials = new Credentials(folder);
    await credentials.save();
    await credentials.keys.set({ session: { ann: Buffer.from([1]) } });
    await writeFile(join(folder, "credentials.json.4711.new"), "{");
    await credentials.forget();
    expect(await readdir(folder)).toEqual([]);
  });

  it("are written no more once they were closed: the next process has newer ones", async () => {
    const credentials = new Credentials(folder);
    await credentials.close();
    await credentials.save();
    await credentials.keys.set({ session: { ann: Buffer.from([1]) } });
    expect(await readdir(folder)).toEqual([]);
  });

  it("are whole, and no older than what was said to be written, wherever the process is killed", async () => {
    await new Credentials(folder).save();
    for (let kill = 0; kill < 12; kill++) {
      const child = fork(CHILD, [folder], { stdio: "inherit" });
      let last = 0;
      child.on("message", (n) => {
        last = Number(n);
        // Somewhere in the middle of one of the next.
        if (last === 3 + kill) setImmediate(() => child.kill("SIGKILL"));
      });
      await once(child, "exit");
      const { creds, keys } = (await Credentials.open(folder)) ?? {};
      expect(creds?.noiseKey.private).toHaveLength(32);
      expect(creds?.nextPreKeyId).toBeGreaterThanOrEqual(last);
      const { ann } = (await keys?.get("session", ["ann"])) ?? {};
      expect(new Set(ann).size).toBe(1);
      expect(ann).toHaveLength(20_000);
    }
  });
});
