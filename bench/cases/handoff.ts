/**
 * A handoff between two processes on one machine: this one asks, a gateway carries it out with an agent that answers at
 * once and an adapter in memory, on a SQLite file. And what that gateway costs while it waits for nothing.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/open-sessions.js";
import type { HandoffId } from "../../src/session/ids.js";
import { localSource } from "../../src/session/source.js";
import { median } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const CHILD = fileURLToPath(new URL("./handoff-child.mjs", import.meta.url));
const PLATFORM = "telegram";

interface Told {
  readonly kind: "ready" | "claimed" | "confirmed" | "idle";
  readonly at: number;
  readonly percent: number;
}

export async function handoff({ stores, sizes }: Bench): Promise<Outcome> {
  const url = await stores.withSessions(0);
  const child = fork(CHILD, [url]);
  try {
    await told(child, "ready");
    const { store, sessions } = await openStore({ url });
    const claimed: number[] = [];
    const confirmed: number[] = [];
    for (let number = 0; number < sizes.handoffs; number++) {
      const { sessionId } = await sessions.getOrCreate({ ...localSource(), chatId: `asks ${number}` });
      const id = `ho_${number}` as HandoffId;
      await store.handoffs.request({ id, sessionId, target: `${PLATFORM}:chat${number}` }, Date.now());
      const asked = performance.timeOrigin + performance.now();
      child.send({ watch: id });
      const [claim, confirmation] = await Promise.all([told(child, "claimed"), told(child, "confirmed")]);
      claimed.push(claim.at - asked);
      confirmed.push(confirmation.at - asked);
    }
    child.send({ idleMs: sizes.handoffIdleMs });
    const { percent } = await told(child, "idle");
    await sessions.close();
    const p99 = [...claimed].sort((a, b) => a - b)[Math.ceil(claimed.length * 0.99) - 1] ?? Number.NaN;
    return {
      lines: [
        { what: "handoff, asked to claimed, median", ours: median(claimed), raw: null, unit: "ms" },
        { what: "handoff, asked to claimed, p99", ours: p99, raw: null, unit: "ms" },
        { what: "handoff, asked to confirmed there, median", ours: median(confirmed), raw: null, unit: "ms" },
      ],
      targets: [
        { what: "handoff, asked to claimed, median", value: median(claimed), atMost: 60, unit: "ms" },
        { what: "handoff, asked to claimed, p99", value: p99, atMost: 200, unit: "ms" },
        { what: "handoff, asked to confirmed, median", value: median(confirmed), atMost: 500, unit: "ms" },
        { what: "a gateway that waits: % of a core", value: Number(percent.toFixed(2)), atMost: 1, unit: "" },
      ],
    };
  } finally {
    child.kill();
  }
}

async function told(child: ChildProcess, kind: Told["kind"]): Promise<Told> {
  for (;;) {
    const [message] = (await once(child, "message")) as [Told];
    if (message.kind === kind) return message;
  }
}
