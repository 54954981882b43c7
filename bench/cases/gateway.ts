/**
 * What the gateway itself costs: from a message that comes in to its answer that is out, with an agent that answers at
 * once and an adapter in memory, on a SQLite file. First one message at a time, then many chats at once for a while, in
 * a process of its own, whose event loop and memory are watched.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const CHILD = fileURLToPath(new URL("./gateway-child.mjs", import.meta.url));
const CHATS = 200;
const MB = 2 ** 20;

/** What the child prints. */
interface Figures {
  readonly alone: { readonly median: number; readonly withFullWindow: number; readonly commits: number };
  readonly stop: { readonly median: number; readonly max: number };
  readonly load: {
    readonly seconds: number;
    readonly messages: number;
    readonly answered: number;
    readonly outOfOrder: number;
    /** Of this process, for each message. */
    readonly cpuMs: number;
    readonly median: number;
    readonly p99: number;
    readonly loopP99: number;
    readonly afterStart: NodeJS.MemoryUsage;
    readonly atEnd: NodeJS.MemoryUsage;
  };
}

export async function gateway({ stores, sizes }: Bench): Promise<Outcome> {
  const url = await stores.withSessions(0);
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    CHILD,
    JSON.stringify({ url, chats: CHATS, messages: sizes.gatewayMessages, seconds: sizes.gatewaySeconds }),
  ]);
  const { alone, stop, load } = JSON.parse(stdout) as Figures;
  const many = `${CHATS} chats for ${sizes.gatewaySeconds} s`;
  return {
    lines: [
      { what: "gateway, accepted to delivered", ours: alone.median, raw: alone.commits, unit: "ms" },
      {
        what: "gateway, the same with 500 messages of history",
        ours: alone.withFullWindow,
        raw: alone.commits,
        unit: "ms",
      },
      { what: "gateway, /stop while a tool hangs, median", ours: stop.median, raw: null, unit: "ms" },
      { what: `gateway, ${many}, messages`, ours: load.messages / load.seconds, raw: null, unit: "/s" },
      { what: `gateway, ${many}, CPU for a message`, ours: load.cpuMs, raw: null, unit: "ms" },
      { what: `gateway, ${many}, median`, ours: load.median, raw: null, unit: "ms" },
      { what: `gateway, ${many}, p99`, ours: load.p99, raw: null, unit: "ms" },
      { what: `gateway, ${many}, memory`, ours: load.atEnd.rss / MB, raw: null, unit: "MB" },
    ],
    targets: [
      { what: "gateway, accepted to delivered", value: alone.median, atMost: 5, unit: "ms" },
      { what: "/stop while a tool hangs, the slowest of 20", value: stop.max, atMost: 200, unit: "ms" },
      { what: `${many}: not answered`, value: load.messages - load.answered, atMost: 0, unit: "" },
      { what: `${many}: out of order`, value: load.outOfOrder, atMost: 0, unit: "" },
      { what: `${many}: event loop delay, p99`, value: load.loopP99, atMost: 30, unit: "ms" },
      {
        what: `${many}: heap, over that after a sixth of it`,
        value: (load.atEnd.heapUsed - load.afterStart.heapUsed) / MB,
        atMost: 5,
        unit: "MB",
      },
      {
        what: `${many}: resident memory, over that after a sixth of it`,
        value: (load.atEnd.rss - load.afterStart.rss) / MB,
        atMost: 20,
        unit: "MB",
      },
    ],
  };
}
