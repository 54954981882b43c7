/** The model's window of 500 messages, from transcripts of very different lengths. */
import { openSessions } from "../baton.js";
import { interleave } from "../measure.js";
import { openRaw } from "../raw.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";
import { sessionIdOf } from "../stores.js";

const WINDOW = 500;

export async function history({ stores, sizes, rounds }: Bench): Promise<Outcome> {
  const lengths = sizes.history;
  const sessions = await openSessions({ url: await stores.withTranscripts(lengths) });
  const database = openRaw(await stores.withTranscripts(lengths));
  const select = database.prepare("SELECT * FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT ?");
  const steps = lengths.flatMap((_, number) => [
    () => sessions.history(sessionIdOf(number), { maxMessages: WINDOW }),
    () => select.all(sessionIdOf(number), WINDOW),
  ]);
  const times = await interleave(steps, rounds, sizes.reads);
  await sessions.close();
  database.close();
  const oursAt = (length: number) => times[lengths.indexOf(length) * 2] ?? Number.NaN;
  const longest = lengths.at(-1) ?? 0;
  return {
    lines: lengths.map((length, number) => ({
      what: `history(${WINDOW}) of ${length} messages`,
      ours: oursAt(length),
      raw: times[number * 2 + 1] ?? Number.NaN,
      unit: "ms",
    })),
    targets: [
      {
        what: `history(${WINDOW}) of ${longest} messages, of one of 1000`,
        value: oursAt(longest) / oursAt(1_000),
        atMost: 1.5,
        unit: "×",
      },
    ],
  };
}
