/**
 * A gateway with a real process host and the tools `terminal` and `process`. The agent does what the last message says:
 * `terminal {…}` and `process {…}` call the tool and say its result; anything else it repeats.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { terminalTool } from "../../src/agent/tools/terminal.js";
import { openDb } from "../../src/open-sessions.js";
import { Processes } from "../../src/process/processes.js";
import type { ProcessId } from "../../src/session/ids.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { type Chat, World, type WorldOptions } from "./gateway-world.js";
import { hostWorld } from "./process-host.js";
import { toolCaller } from "./tool-caller.js";

const PATH = process.env.PATH ?? "/usr/bin:/bin";

export type ProcessWorld = Awaited<ReturnType<typeof openProcessWorld>>;

export async function openProcessWorld(options: WorldOptions = {}) {
  const host = hostWorld();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-process-world-")));
  const store = await openSqlStore(await openDb(join(folder, "baton.db")), 0);
  const worlds: World[] = [];
  const stores = [store];
  const registries: Processes[] = [];
  const problems: string[] = [];

  const registryOver = (over: World["store"], home: string): Processes => {
    const processes = new Processes({
      folder: home,
      version: "test",
      start: () => host.start().then(() => null),
      store: over.processes,
      caps: { perSession: 16, inAll: 64 },
      keptMs: 1_800_000,
      graceMs: 1_000,
      clock: Date.now,
      onProblem: (problem) => problems.push(problem),
    });
    registries.push(processes);
    return processes;
  };
  /** Another gateway over the same store and the same home; in another home it can start nothing. */
  const gateway = async (more: WorldOptions = {}, home = host.folder): Promise<World> => {
    const own = worlds.length === 0 ? store : await openSqlStore(await openDb(join(folder, "baton.db")), 0);
    if (own !== store) stores.push(own);
    const processes = registryOver(own, home);
    const given = { processes, limits: { maxWaitSeconds: 30, outputCharacters: 200_000 } };
    const world = await World.open({
      ...options,
      ...more,
      on: own,
      gateway: {
        agent: toolCaller,
        tools: () => [terminalTool({ cwd: folder, environment: { PATH } })],
        toolLists: { members: ["terminal", "process"] },
        processes: given,
        ...options.gateway,
        ...more.gateway,
      },
    });
    world.now = Date.now();
    worlds.push(world);
    return world;
  };
  const world = await gateway();
  const [processes] = registries as [Processes];

  return {
    host,
    folder,
    store,
    world,
    processes,
    problems,
    gateway,
    /** Starts a command in the background in this chat; returns its id. */
    start: async (chat: Chat, command: string, more: object = {}): Promise<ProcessId> => {
      const said = await chat.ask(`terminal ${JSON.stringify({ command, background: true, ...more })}`);
      const [id] = /p_[0-9a-f]{10}/.exec(said) ?? [];
      if (!id) throw new Error(said);
      return id as ProcessId;
    },
    use: (chat: Chat, args: object): Promise<string> => chat.ask(`process ${JSON.stringify(args)}`),
    close: async (): Promise<void> => {
      for (const { kept, status } of await processes.list({}))
        if (status && status.end === null) await processes.kill(kept.id, "person").catch(() => {});
      for (const one of worlds) await one.close();
      for (const one of registries) await one.shut();
      await host.remove();
      for (const one of stores) await one.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
