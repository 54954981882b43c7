/** Two gateways with connections of their own over one store, as two terminals have: what one runs, the other can stop. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endedHolder } from "../../test/support/ended-holder.js";
import { type Chat, until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import { openDb } from "../open-sessions.js";
import { openSqlStore } from "../store/sql-store.js";

let folder: string;
const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-two-"));
});
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true });
});

async function closeAll(): Promise<void> {
  for (const each of open.splice(0).reverse()) await each.close();
}

/** Ann, as one more process has her. Its leases are long: what it sees in time, it was told. */
async function terminal(
  account: string,
  gateway: WorldOptions["gateway"] = {},
): Promise<Chat & { world: World }> {
  const on = await openSqlStore(await openDb(join(folder, "baton.db")), 0);
  open.push(on);
  const world = await World.open({ on, account, gateway: { leaseMs: 600_000, ...gateway } });
  open.push(world);
  return Object.assign(world.chat("ann"), { world });
}

const isIdle = ({ world, key }: Chat & { world: World }) => world.gateway.lane(key).run === undefined;

describe("a turn of another process", () => {
  it("is seen and stopped, and what it said is kept", async () => {
    const [a, b] = [await terminal("a"), await terminal("b")];
    await a.begin("wait");
    expect(await b.ask("/status")).toContain("working on an answer in another process (stop it with /stop)");
    expect(await b.ask("/stop")).toBe("Stopping it. It runs in another process.");
    await until(() => isIdle(a));
    expect(await a.transcript()).toEqual(["user: wait", "assistant: waited"]);
    expect(await b.ask("/status")).toContain("directed, idle.");
    expect(await b.ask("/stop")).toBe("Nothing is running.");
    expect([...a.world.problems, ...b.world.problems]).toEqual([]);
  });

  it("is stopped by /new there, and stays behind in its session", async () => {
    const [a, b] = [await terminal("a"), await terminal("b")];
    await a.begin("hang");
    const { sessionId } = await a.session();
    expect(await b.ask("/new")).toMatch(/^A new session begins\. I stopped what I was doing\./);
    await until(() => isIdle(a));
    expect(await b.ask("hello")).toBe("hello (1)");
    expect(await a.transcript(sessionId)).toHaveLength(3);
  });

  it("is over before /undo there takes back what it answers", async () => {
    const [a, b] = [await terminal("a"), await terminal("b")];
    await a.ask("first");
    await a.begin("wait");
    expect(await b.ask("/undo")).toMatch(/^Taken back, from "wait" on: 2 messages/);
    expect(isIdle(a)).toBe(true);
    expect(await a.transcript()).toEqual(["user: first", "assistant: first (1)"]);
  });

  it("is interrupted by a message there, where messages interrupt; otherwise the message waits", async () => {
    const [a, b, c] = [await terminal("a"), await terminal("b"), await terminal("c")];
    await a.begin("wait");
    expect(await c.ask("/queue later")).toBe("Queued: I will answer it after the current one.");
    expect(isIdle(a)).toBe(false);
    expect(await b.ask("now")).toMatch(/^now/);
    expect(await c.next(1)).toMatch(/^later/);
    expect((await a.transcript()).slice(0, 2)).toEqual(["user: wait", "assistant: waited"]);
  });

  it("is stopped when its lease is renewed, where nothing told its process", async () => {
    const a = await terminal("a", { leaseMs: 30 });
    await a.begin("wait");
    const running = await a.world.gateway.forCommands.running(a.key);
    if (!running) throw new Error("It does not run.");
    await a.world.store.turns.askToStop(running.turn, "stopped"); // By its own connection, which tells nobody.
    await until(() => isIdle(a));
    expect(await a.transcript()).toEqual(["user: wait", "assistant: waited"]);
  });

  it("is not there to be stopped once its process is gone", async () => {
    const a = await terminal("a", { holder: endedHolder() });
    await a.begin("wait");
    const b = await terminal("b");
    expect(await b.ask("/status")).toContain("directed, idle.");
    expect(await b.ask("/stop")).toBe("Nothing is running.");
  });

  it("ends with whoever takes it over, where it was to end and its process did not come to it", async () => {
    const a = await terminal("a");
    await a.begin("wait");
    const running = await a.world.gateway.forCommands.running(a.key);
    if (!running) throw new Error("It does not run.");
    await a.world.store.turns.askToStop(running.turn, "stopped");
    await closeAll();
    const b = await terminal("b");
    expect(await b.ask("hello")).toMatch(/^hello/); // After one that would never end.
  });
});
