/** The first page of sessions, newest activity first, as the owner sees it. */
import { OWNER, openSessions, type Sessions } from "../baton.js";
import { interleave } from "../measure.js";
import { openRaw, type RawDatabase } from "../raw.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const PAGE = 50;

export async function list({ stores, sizes, rounds }: Bench): Promise<Outcome> {
  const opened: { count: number; sessions: Sessions; database: RawDatabase }[] = [];
  for (const count of sizes.list) {
    const sessions = await openSessions({ url: await stores.withSessions(count) });
    opened.push({ count, sessions, database: openRaw(await stores.withSessions(count)) });
  }
  const steps = opened.flatMap(({ sessions, database }) => {
    const select = database.prepare("SELECT * FROM sessions ORDER BY updated_at DESC, id DESC LIMIT ?");
    return [() => sessions.list({ limit: PAGE }, OWNER), () => select.all(PAGE + 1)];
  });
  const times = await interleave(steps, rounds, sizes.reads);
  for (const { sessions, database } of opened) {
    await sessions.close();
    database.close();
  }
  const [first = Number.NaN] = times;
  return {
    lines: sizes.list.map((count, index) => ({
      what: `list, first ${PAGE} of ${count} sessions`,
      ours: times[index * 2] ?? Number.NaN,
      raw: times[index * 2 + 1] ?? Number.NaN,
      unit: "ms",
    })),
    targets: [
      {
        what: `list at ${sizes.list.at(-1)} sessions, of one at ${sizes.list[0]}`,
        value: (times.at(-2) ?? Number.NaN) / first,
        atMost: 2,
        unit: "×",
      },
    ],
  };
}
