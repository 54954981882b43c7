import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type OpenOptions, openSessions, openStore } from "./open-sessions.js";
import { newProcessId } from "./session/ids.js";
import type { SessionKey } from "./session/session-key.js";
import type { Sessions } from "./session/sessions.js";
import { localSource } from "./session/source.js";

const HOUR = 3_600_000;
const opened: Sessions[] = [];
let folder: string;
let now: number;
let options: OpenOptions;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-open-"));
  now = Date.UTC(2026, 0, 1);
  const reset = { default: { mode: "idle", idleMinutes: 60 } } as const;
  options = { url: join(folder, "baton.db"), clock: () => now, config: { reset } };
});
afterEach(async () => {
  for (const sessions of opened.splice(0)) await sessions.close();
  rmSync(folder, { recursive: true });
});

/** A session with a process that runs, in a store that was closed since. */
async function withProcess(): Promise<SessionKey> {
  const { store, sessions } = await openStore(options);
  const { key, sessionId } = await sessions.getOrCreate(localSource());
  const watch = { checkIntervalMs: null, notifyOnComplete: false, patterns: [] };
  const shown = { command: "npm start", workdir: "/", environment: "local", pty: false, walled: false };
  const process = { id: newProcessId(), home: "h", sessionId, by: localSource(), ...shown, watch };
  await store.processes.add(process, { perSession: 1, inAll: 1 }, now);
  await sessions.close();
  return key;
}

async function open(more: Partial<OpenOptions> = {}): Promise<Sessions> {
  const sessions = await openSessions({ ...options, ...more });
  opened.push(sessions);
  return sessions;
}

it("knows of the processes that hold a session, no matter who started them", async () => {
  const key = await withProcess();
  now += 23 * HOUR;
  const sessions = await open();
  expect(await sessions.explain(key)).toMatchObject({ heldBy: ["process"] });
  expect(await (await open({ readOnly: true })).explain(key)).toMatchObject({ heldBy: ["process"] });
  now += HOUR;
  expect(await sessions.explain(key)).toMatchObject({ heldBy: [] });
});

it.each([true, false])("asks the program too, which says %s", async (answer) => {
  const key = await withProcess();
  const sessions = await open({ hasActiveProcesses: () => answer });
  expect(await sessions.explain(key)).toMatchObject({ heldBy: ["process"] });
  now += 24 * HOUR;
  expect(await sessions.explain(key)).toMatchObject({ heldBy: answer ? ["process"] : [] });
});
