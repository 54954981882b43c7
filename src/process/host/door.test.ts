/** Where a host listens, if somebody removes its socket. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { takeLock } from "../../util/file-lock.js";
import { lockFileOf, socketPath } from "../places.js";
import { Door } from "./door.js";

test("it listens anew and writes down where, but only while the host has the lock", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-door-"));
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const door = await Door.open(folder, (socket) => socket.destroy());
  onTestFinished(async () => {
    vi.useRealTimers();
    await new Promise<void>((resolve) => door.close(resolve));
    rmSync(folder, { recursive: true });
  });
  const first = socketPath(folder) ?? "";
  rmSync(first);
  vi.advanceTimersByTime(2_000);
  await aSocketLater(join(folder, "other.sock"));
  expect(socketPath(folder)).toBe(first); // Another host may be about to write down its own.

  const lock = takeLock(lockFileOf(folder), Date.now());
  if (lock.kind === "taken") onTestFinished(() => lock.release());
  vi.advanceTimersByTime(2_000);
  await vi.waitUntil(() => socketPath(folder) !== first);
  const client = connect(socketPath(folder) ?? "");
  await once(client, "connect");
  client.destroy();
});

/** What begins to listen after something else does is ready after it. */
async function aSocketLater(path: string): Promise<void> {
  const server = createServer().listen(path);
  await once(server, "listening");
  for (let round = 0; round < 10; round++) await nextRound();
  await new Promise((resolve) => server.close(resolve));
}
