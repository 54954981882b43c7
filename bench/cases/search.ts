/** The first page of a search, for words that few, some and most messages have. */
import { OWNER, openSessions } from "../baton.js";
import { WORDS } from "../corpus.js";
import { interleave } from "../measure.js";
import { openRaw } from "../raw.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const PAGE = 20;

export async function search({ stores, sizes, rounds }: Bench): Promise<Outcome> {
  const sessions = await openSessions({ url: await stores.withSessions(sizes.search) });
  const database = openRaw(await stores.withSessions(sizes.search));
  const select = database.prepare(
    `SELECT m.* FROM message_terms JOIN messages m ON m.id = message_terms.rowid
     WHERE message_terms MATCH ? ORDER BY message_terms.rowid DESC LIMIT ?`,
  );
  const words = Object.values(WORDS);
  for (const word of words) {
    const found = await sessions.search(word, OWNER);
    if (found.items.length === 0)
      throw new Error(`Search does not find ${word}: the benchmark would be void.`);
  }
  const steps = words.flatMap((word) => [
    () => sessions.search(word, OWNER, { limit: PAGE }),
    () => select.all(`"${word}"`, PAGE + 1),
  ]);
  const times = await interleave(steps, rounds, sizes.reads);
  const { n } = database.prepare("SELECT count(*) AS n FROM messages").get() as { n: number };
  await sessions.close();
  database.close();
  const names = { rare: "a rare word", hundredth: "a word in 1 %", most: "a word in 60 %" };
  const what = Object.values(names).map((name) => `search ${n} messages, ${name}`);
  return {
    lines: what.map((name, index) => ({
      what: name,
      ours: times[index * 2] ?? Number.NaN,
      raw: times[index * 2 + 1] ?? Number.NaN,
      unit: "ms",
    })),
    targets: what.map((name, index) => ({
      what: name,
      value: times[index * 2] ?? Number.NaN,
      atMost: 20,
      unit: "ms",
    })),
  };
}
