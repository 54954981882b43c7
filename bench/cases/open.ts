/**
 * From a closed store to the first session: a new connection in this process, so without the start of Node, and with
 * the file still in the system's page cache.
 */
import { buildSessionKey, openSessions } from "../baton.js";
import { sourceOf } from "../corpus.js";
import { median } from "../measure.js";
import { openRaw } from "../raw.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

export async function open({ stores, sizes }: Bench): Promise<Outcome> {
  const stages = [];
  for (const count of sizes.open) {
    stages.push({
      count,
      ours: { url: await stores.withSessions(count), times: [] as number[] },
      raw: { url: await stores.withSessions(count), times: [] as number[] },
    });
  }
  for (let time = 0; time <= sizes.opens; time++) {
    for (const { count, ours, raw } of stages) {
      const source = sourceOf((time * 7) % count);
      let began = performance.now();
      const sessions = await openSessions({ url: ours.url });
      await sessions.getOrCreate(source);
      if (time > 0) ours.times.push(performance.now() - began);
      await sessions.close();

      began = performance.now();
      const database = openRaw(raw.url);
      database
        .prepare("SELECT s.* FROM routes r JOIN sessions s ON s.id = r.session_id WHERE r.key = ?")
        .get(buildSessionKey(source));
      if (time > 0) raw.times.push(performance.now() - began);
      database.close();
    }
  }
  const times = stages.map(({ ours }) => median(ours.times));
  return {
    lines: stages.map(({ count, raw }, index) => ({
      what: `open to first getOrCreate, ${count} sessions`,
      ours: times[index] ?? Number.NaN,
      raw: median(raw.times),
      unit: "ms",
    })),
    targets: [
      {
        what: `open at ${sizes.open.at(-1)} sessions, of one at ${sizes.open[0]}`,
        value: (times.at(-1) ?? Number.NaN) / (times[0] ?? Number.NaN),
        atMost: 1.5,
        unit: "×",
      },
    ],
  };
}
