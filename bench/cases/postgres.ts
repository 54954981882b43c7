/**
 * Turns of the library (two commits each) on a PostgreSQL server of its own, by 1, 2 and 4 processes at once, each with
 * several chats. The server does not wait for the disk, so that the processes and what they do to one another is measured.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../../test/support/postgres.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const CHILD = fileURLToPath(new URL("./postgres-child.mjs", import.meta.url));
const PROCESSES = [1, 2, 4];
const CHATS = 10;

export async function postgres({ sizes }: Bench): Promise<Outcome> {
  const server = await startPostgres();
  try {
    const rates: number[] = [];
    for (const count of PROCESSES)
      rates.push(await turnsPerSecond(await server.createDatabase(), count, sizes.postgresSeconds));
    return {
      lines: PROCESSES.map((count, index) => ({
        what: `turns on PostgreSQL, ${count} process${count === 1 ? "" : "es"}`,
        ours: rates[index] ?? Number.NaN,
        raw: null,
        unit: "/s" as const,
      })),
      targets: [],
    };
  } finally {
    await server.stop();
  }
}

async function turnsPerSecond(url: string, count: number, seconds: number): Promise<number> {
  const children: ChildProcess[] = [];
  for (let number = 0; number < count; number++) {
    const child = fork(CHILD, [JSON.stringify({ url, number, chats: CHATS, seconds })]);
    await once(child, "message"); // It is ready.
    children.push(child);
  }
  const done = children.map((child) => once(child, "message") as Promise<[number]>);
  for (const child of children) child.send("go");
  const turns = (await Promise.all(done)).map(([made]) => made);
  return turns.reduce((sum, made) => sum + made, 0) / seconds;
}
