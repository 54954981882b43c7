/** How long a host serves its folder, and that it can be reached all that time. */
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { helloOf } from "../../../test/support/process-host.js";
import { hostOfTest as world } from "../../../test/support/process-registry.js";
import { socketPath } from "../places.js";

test.each([
  ["its socket", (folder: string) => socketPath(folder) ?? ""],
  ["the file that says where that is", (folder: string) => join(folder, "host.socket")],
])("a host can be reached again after somebody removed %s", async (_, fileOf) => {
  const made = world();
  const { id, pid } = await made.spawn("exec sleep 600");
  const before = await helloOf(made.client);
  const old = socketPath(made.folder);
  rmSync(fileOf(made.folder));
  await expect.poll(() => [null, old].includes(socketPath(made.folder))).toBe(false);
  expect(statSync(socketPath(made.folder) ?? "").mode & 0o777).toBe(0o600);
  const other = made.clientOf([1]);
  expect((await helloOf(other)).pid).toBe(before.pid);
  expect(await other.request("status", { id })).toMatchObject({ pid, end: null, takesInput: true });
  expect(await made.client.request("status", { id })).toMatchObject({ pid }); // Who was connected still is.
  expect(existsSync(old ?? "")).toBe(false);
});

test("a host does not end while a process runs, however long nobody asks for anything", async () => {
  const made = world();
  const { id, pid } = await made.spawn("while :; do echo .; sleep 0.1; done");
  const [first] = made.hosts;
  made.client.close();
  first?.kill("SIGKILL");
  await expect.poll(() => first?.signalCode).toBe("SIGKILL");
  let isOver = false;
  const { over } = await made.serve({ idleMs: 1 });
  const ended = over.then(() => {
    isOver = true;
  });
  const printed = () => statSync(join(made.folder, `${id}.out`)).size;
  const before = printed();
  await expect.poll(() => printed() - before).toBeGreaterThan(10); // It has looked many times meanwhile.
  expect(isOver).toBe(false);
  process.kill(-pid, "SIGKILL");
  await ended;
});
