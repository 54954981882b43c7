/**
 * A storm: writers on stores, killed with SIGKILL at random moments, again and again, each store inspected after each
 * kill. What a writer was told is done must be there; what it had begun must be there whole or not at all; nothing else.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { OWNER, openSessions } from "../../src/index.js";
import { randomFrom } from "../support/random.mjs";
import { inspect } from "./inspect.js";
import { apply, type Journal, readJournal, type State } from "./journal.js";

const WRITER = fileURLToPath(new URL("./writer.mjs", import.meta.url));
/** Two on one store, so that each kill also meets a neighbour's locks and log. */
const WRITERS = ["ann", "bob"];
const ROUNDS_A_STORE = 10;

export interface Tally {
  kills: number;
  /** Kills of writers that had finished at least one call. */
  afterWork: number;
  /** Kills in the middle of a call. */
  midCall: number;
  /** Calls in the middle of which a kill fell and that were nevertheless committed. */
  committed: number;
  callsDone: number;
}

/** Kills at least `kills` writers, in two lanes at once. Throws at the first thing that is not as it should be. */
export async function storm(kills: number, seed: number, onProgress: (tally: Tally) => void): Promise<Tally> {
  const tally: Tally = { kills: 0, afterWork: 0, midCall: 0, committed: 0, callsDone: 0 };
  let stores = 0;
  let failed = false;
  const lane = async () => {
    while (tally.kills < kills && !failed) {
      try {
        await stormStore(seed + ++stores, tally);
      } catch (error) {
        failed = true; // The other lane finishes its store, so that nothing of it is left behind.
        throw error;
      }
      onProgress(tally);
    }
  };
  for (const lived of await Promise.allSettled([lane(), lane()])) {
    if (lived.status === "rejected") throw lived.reason;
  }
  return tally;
}

async function stormStore(seed: number, tally: Tally): Promise<void> {
  const random = randomFrom(seed);
  const folder = await mkdtemp(join(tmpdir(), "baton-crash-"));
  const path = join(folder, "baton.db");
  let known: State = { sessions: {}, routes: {} };
  try {
    for (let round = 0; round < ROUNDS_A_STORE; round++) {
      const journals = await Promise.all(
        WRITERS.map((name) =>
          liveAndDie(path, name, round, Math.floor(random() * 2 ** 31), momentFrom(random)),
        ),
      );
      const found = inspect(path);
      known = explain(known, journals, found, tally);
      await checkSearch(path, journals);
    }
  } catch (error) {
    throw new Error(`Store with seed ${seed}, kept as ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  await rm(folder, { recursive: true, force: true });
}

/** When to kill: mostly soon after the first call, sometimes once the index is fed, sometimes while still opening. */
function momentFrom(random: () => number): { after: "start" | "first call"; ms: number } {
  const kind = random();
  if (kind < 0.1) return { after: "start", ms: random() * 300 };
  if (kind < 0.3) return { after: "first call", ms: 200 + random() * 250 };
  return { after: "first call", ms: random() * 40 };
}

async function liveAndDie(
  path: string,
  name: string,
  round: number,
  seed: number,
  moment: { after: "start" | "first call"; ms: number },
): Promise<Journal> {
  const child = spawn(process.execPath, [WRITER, path, name, String(round), String(seed)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let complaint = "";
  let timer: NodeJS.Timeout | undefined;
  const doom = () => {
    timer ??= setTimeout(() => child.kill("SIGKILL"), moment.ms);
  };
  if (moment.after === "start") doom();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.includes('{"done"')) doom();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  if (signal !== "SIGKILL") throw new Error(`The writer ended by itself (${code ?? signal}): ${complaint}`);
  return readJournal(output);
}

/** The state that follows from the journals, with or without the calls that the kills fell into; else an error. */
function explain(state: State, journals: readonly Journal[], found: State, tally: Tally): State {
  for (const { done, pending } of journals) {
    for (const { call, sessionId } of done) apply(state, call, sessionId);
    tally.kills += 1;
    tally.callsDone += done.length;
    if (done.length > 0) tally.afterWork += 1;
    if (pending) tally.midCall += 1;
  }
  let explained = state;
  for (const { pending } of journals) {
    if (!pending || isDeepStrictEqual(explained, found)) continue;
    // Each writer has chats of its own, so the kills explain themselves one by one.
    const named = "key" in pending ? found.routes[pending.key] : undefined;
    if ("key" in pending && named === undefined) continue;
    const withIt = structuredClone(explained);
    apply(withIt, pending, named);
    if (distance(withIt, found) >= distance(explained, found)) continue;
    explained = withIt;
    tally.committed += 1;
  }
  if (!isDeepStrictEqual(explained, found)) {
    throw new Error(`The store is not what was written: ${differences(explained, found)}`);
  }
  return explained;
}

/** In how many sessions and routes two states differ. */
function distance(one: State, other: State): number {
  return differing(one.sessions, other.sessions).length + differing(one.routes, other.routes).length;
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !isDeepStrictEqual(one[name], other[name]));
}

function differences(expected: State, found: State): string {
  const [id = ""] = differing(expected.sessions, found.sessions);
  const [key = ""] = differing(expected.routes, found.routes);
  return JSON.stringify({
    session: { id, expected: expected.sessions[id], found: found.sessions[id] },
    route: { key, expected: expected.routes[key], found: found.routes[key] },
  });
}

/** Search finds what was acknowledged last, whether the index was fed with it or not. */
async function checkSearch(path: string, journals: readonly Journal[]): Promise<void> {
  const sessions = await openSessions({ url: path });
  try {
    for (const { done, pending } of journals) {
      // A rewrite may since have superseded it, and then it is rightly not found.
      const last = pending?.call === "rewrite" ? undefined : done.at(-1)?.call;
      if (!last || !("messages" in last)) continue;
      const [word = ""] = last.messages.at(-1)?.content.split(" ") ?? [];
      const { items } = await sessions.search(word, OWNER);
      if (items.length !== 1) throw new Error(`Search finds ${items.length} messages with ${word}, not one.`);
    }
  } finally {
    await sessions.close();
  }
}
