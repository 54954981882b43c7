/** Which key `submit` presses: a terminal sends another one for Enter than a pipe, and a program in raw mode sees it. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Chat } from "../../../test/support/gateway-world.js";
import { openProcessWorld, type ProcessWorld } from "../../../test/support/process-world.js";
import { pty } from "../../../test/terminal/pty-chat.js";

let world: ProcessWorld;
let ann: Chat;
beforeEach(async () => {
  world = await openProcessWorld();
  ann = world.world.chat("ann");
});
afterEach(() => world.close());

it.skipIf(!pty)("presses Enter as a terminal does", async () => {
  const id = await world.start(ann, "stty raw -echo; echo ready; od -An -c -N3", { pty: true });
  await expect.poll(async () => (await world.processes.read(id, 0, 100)).text).toContain("ready");
  expect(await world.use(ann, { action: "submit", id, text: "ab" })).toContain("Written to");
  expect(await world.use(ann, { action: "wait", id })).toContain("exited with code 0");
  expect((await world.processes.read(id, 0, 100)).text).toMatch(/ a +b +\\r\s*$/);
});

it("ends a line where there is no terminal", async () => {
  const id = await world.start(ann, "od -An -c -N3");
  expect(await world.use(ann, { action: "submit", id, text: "ab" })).toContain("Written to");
  expect(await world.use(ann, { action: "wait", id })).toContain("exited with code 0");
  expect((await world.processes.read(id, 0, 100)).text).toMatch(/ a +b +\\n\s*$/);
});
