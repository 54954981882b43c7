/** A disk that refuses something for a while: a folder stands where the host wants to remove or write a file. */
import { mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localSpec } from "../../../test/support/process-host.js";
import { hostOfTest as world } from "../../../test/support/process-registry.js";
import { newProcessId } from "../../session/ids.js";

const filesOf = (folder: string, id: string) => readdirSync(folder).filter((file) => file.startsWith(id));

test.each([
  ["output", ".out.older"],
  ["record", ".json"],
])(
  "a process whose %s can't be removed stays known, stops no other, and can be forgotten later",
  async (_, ending) => {
    const { client, folder, spawn, ended, outputOf } = world();
    const { id: other } = await spawn("echo other; exec sleep 600");
    const { id } = await spawn("echo hello");
    await ended(id);
    await expect.poll(() => outputOf(other)).toBe("other\n");
    const obstacle = join(folder, `${id}${ending}`);
    rmSync(obstacle, { force: true });
    mkdirSync(obstacle);
    for (let time = 0; time < 2; time++) {
      await expect(client.request("forget", { id })).rejects.toMatchObject({ code: "process_host_failed" });
      const { id: next } = await spawn("exec sleep 600"); // It may get a descriptor that was closed too early.
      const known = await client.request("list", {});
      expect(known.map((each) => each.id)).toEqual(expect.arrayContaining([other, id, next]));
      expect(known.find((each) => each.id === id)).toMatchObject({
        end: { code: 0 },
        output: { from: 0, to: 6 },
      });
      await expect(outputOf(id)).rejects.toThrow("was removed"); // Never what its descriptor leads to now.
      expect(await outputOf(other)).toBe("other\n");
    }
    rmdirSync(obstacle);
    await client.request("forget", { id });
    expect(filesOf(folder, id)).toEqual([]);
    await expect(client.request("status", { id })).rejects.toMatchObject({ code: "process_not_found" });
  },
);

test("what cannot be started says why, also if what is left of it can't be removed", async () => {
  const { client, folder } = world();
  const spec = { ...localSpec("true"), id: newProcessId(), file: "/no/such/program" };
  mkdirSync(join(folder, `${spec.id}.out.older`));
  await expect(client.request("spawn", { spec })).rejects.toMatchObject({ code: "process_not_started" });
});
