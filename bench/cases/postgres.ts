/**
 * Turns of the library (two commits each) on a PostgreSQL server of its own, by 1, 2 and 4 processes at once, each with
 * several chats, beside the same statements by the bare driver: what the machine's cores do to both is not ours. The server
 * does not wait for the disk, so that the processes and what they do to one another is measured.
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
  const rate = async (count: number, bare: boolean) =>
    turnsPerSecond(await server.createDatabase(), count, sizes.postgresSeconds, bare);
  try {
    const rates: { count: number; ours: number; raw: number }[] = [];
    for (const count of PROCESSES)
      rates.push({ count, ours: await rate(count, false), raw: await rate(count, true) });
    const [alone] = rates;
    return {
      lines: rates.map(({ count, ours, raw }) => ({
        what: `turns on PostgreSQL, ${count} process${count === 1 ? "" : "es"}`,
        ours,
        raw,
        unit: "/s" as const,
      })),
      targets: rates.slice(1).map(({ count, ours, raw }) => ({
        what: `${count} processes beside one: ours falls no more than the bare driver`,
        value: raw / (alone?.raw ?? Number.NaN) / (ours / (alone?.ours ?? Number.NaN)),
        atMost: 1.15,
        unit: "×" as const,
      })),
    };
  } finally {
    await server.stop();
  }
}

async function turnsPerSecond(url: string, count: number, seconds: number, bare: boolean): Promise<number> {
  const children: ChildProcess[] = [];
  for (let number = 0; number < count; number++) {
    const child = fork(CHILD, [JSON.stringify({ url, number, chats: CHATS, seconds, bare })]);
    await once(child, "message"); // It is ready.
    children.push(child);
  }
  const gone = children.map((child) => once(child, "exit"));
  const done = children.map((child) => once(child, "message") as Promise<[number]>);
  for (const child of children) child.send("go");
  const turns = (await Promise.all(done)).map(([made]) => made);
  await Promise.all(gone);
  return turns.reduce((sum, made) => sum + made, 0) / seconds;
}
