/**
 * A background process: from asking for it to its first output. Of the process host alone, beside a bare `child_process`; and by
 * way of the registry, which saves a row before it starts anything, beside a bare insert in a commit of its own and then a bare
 * `child_process`. And a poll of a long output, beside one of a short output.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessId } from "../../src/session/ids.js";
import { interleave } from "../measure.js";
import { openRaw } from "../raw.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const { HostClient } = (await import(
  built("process/host-client.js")
)) as typeof import("../../src/process/host-client.js");
const { Processes } = (await import(
  built("process/processes.js")
)) as typeof import("../../src/process/processes.js");
const { openStore } = (await import(
  built("open-sessions.js")
)) as typeof import("../../src/open-sessions.js");
const PROGRAM = fileURLToPath(built("process-host.js"));
/** It prints and then only waits: a program that it starts next would compete with us for the processor. */
const WORDS = ["-c", "printf x; read -r go"];
const ENVIRONMENT = { PATH: process.env.PATH ?? "" };
const REST = { cwd: "/", pty: null, hasOwnProcesses: false, remote: null };
const SHORT = 1_000;
const LONG = 4_000_000;

export async function processes({ folder: parent, sizes, rounds }: Bench): Promise<Outcome> {
  const folder = join(parent, "processes");
  mkdirSync(folder, { recursive: true });
  const heard = new Map<string, () => void>();
  const host = spawn(process.execPath, [PROGRAM, folder], { stdio: "ignore", env: ENVIRONMENT });
  const client = new HostClient({
    folder,
    version: "bench",
    start: async () => null,
    onEvent: (event) => event.event === "output" && event.to > 0 && heard.get(event.id)?.(),
    onConnected: () => {},
    onLost: () => {},
  });
  let last = 0;
  const nextId = (): ProcessId => {
    last += 1;
    return `p_${last.toString(16).padStart(10, "0")}` as ProcessId;
  };
  const start = (id: ProcessId, args: readonly string[]) =>
    client.request("spawn", { spec: { id, file: "/bin/sh", args, environment: ENVIRONMENT, ...REST } });
  const end = async (id: ProcessId): Promise<void> => {
    await client.request("kill", { id, by: "person", graceMs: 0 });
    await client.request("forget", { id });
  };
  const { store, sessions } = await openStore({ url: join(folder, "baton.db") });
  const registry = new Processes({
    ...{ folder, version: "bench", start: async () => null, store: store.processes, clock: Date.now },
    ...{ caps: { perSession: 16, inAll: 64 }, keptMs: 0, graceMs: 0, onProblem: console.warn },
  });
  const database = openRaw(join(folder, "bare.db"));
  database.exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, command TEXT)");
  const by = { platform: "local", chatId: "bench", chatType: "dm", userId: "bench" } as const;
  const { sessionId } = await sessions.getOrCreate(by);
  const withStore = [
    async () => {
      const { kept } = await registry.start({
        ...{ sessionId, by, command: "", workdir: "/", walled: false, environment: "local" },
        watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
        spec: { file: "/bin/sh", args: WORDS, environment: ENVIRONMENT, ...REST },
      });
      await new Promise<void>((resolve, reject) => {
        registry.follow(kept.id, (to) => to > 0 && resolve()).catch(reject);
      });
      await registry.read(kept.id, 0, 100);
      return async () => {
        await registry.kill(kept.id, "person");
        await registry.tidy();
      };
    },
    async () => {
      database.exec(`INSERT INTO bare (command) VALUES ('printf x')`);
      return bareChild();
    },
  ];
  const ofHost = [
    async () => {
      const id = nextId();
      const first = new Promise<void>((resolve) => heard.set(id, resolve));
      const [, { output }] = await Promise.all([start(id, WORDS), client.request("follow", { id })]);
      if (output.to === 0) await first;
      await client.request("read", { id, from: 0, limit: 100 });
      return () => end(id);
    },
    bareChild,
  ];
  try {
    // One after the other: a host whose disk is busy with the store's commits is another thing to measure.
    const [spawned = Number.NaN, raw = Number.NaN] = await interleave(ofHost, rounds, sizes.spawns);
    const [kept = Number.NaN, rawKept = Number.NaN] = await interleave(withStore, rounds, sizes.spawns);
    const [long, short] = [await printed(LONG), await printed(SHORT)];
    const polls = [long, short].map((id) => async () => {
      await client.request("read", { id, from: -SHORT, limit: SHORT });
      await client.request("poll", { id, limit: SHORT });
    });
    const [longPoll = Number.NaN, shortPoll = Number.NaN] = await interleave(polls, rounds, sizes.reads);
    return {
      lines: [
        {
          what: "process host to a first output; raw: child_process",
          ours: spawned,
          raw,
          unit: "ms",
        },
        {
          what: "background process to its first output; raw: a commit, child_process",
          ours: kept,
          raw: rawKept,
          unit: "ms",
        },
        {
          what: `poll after ${LONG} bytes of output; raw: after ${SHORT}`,
          ours: longPoll,
          raw: shortPoll,
          unit: "ms",
        },
      ],
      targets: [
        {
          what: "first output of the host, of bare child_process",
          value: spawned / raw,
          atMost: 1.5,
          unit: "×",
        },
        { what: "with the store, of a bare commit and that", value: kept / rawKept, atMost: 1.5, unit: "×" },
        {
          what: `poll after ${LONG} bytes, of one after ${SHORT}`,
          value: longPoll / shortPoll,
          atMost: 1.5,
          unit: "×",
        },
      ],
    };
  } finally {
    for (const { id } of await client.request("list", {})) await end(id);
    client.close();
    await registry.shut();
    await sessions.close();
    database.close();
    host.kill("SIGKILL");
  }

  async function printed(bytes: number): Promise<ProcessId> {
    const { id } = await start(nextId(), [
      "-c",
      `head -c ${bytes} /dev/zero | tr '\\0' x; echo; exec sleep 600`,
    ]);
    let to = 0;
    while (to <= bytes) to = (await client.request("status", { id })).output.to;
    return id;
  }
}

async function bareChild(): Promise<() => Promise<void>> {
  const child = spawn("/bin/sh", WORDS, {
    cwd: "/",
    env: ENVIRONMENT,
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  return async () => {
    const exit = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await exit;
  };
}

function built(path: string): string {
  return new URL(`../../dist/${path}`, import.meta.url).href;
}
