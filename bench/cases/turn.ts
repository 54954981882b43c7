/**
 * A turn: a message comes in (`receive`) and the answer is recorded (`record`), in two commits, for a random session
 * each time. Beside it the same rows read and written by bare statements, in two commits.
 */
import { randomFrom } from "../../test/support/random.mjs";
import { buildSessionKey, openSessions, type Sessions } from "../baton.js";
import { sourceOf } from "../corpus.js";
import { interleave } from "../measure.js";
import { openRaw, type RawDatabase } from "../raw.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const ASKED = "What did we decide about the gateway yesterday, and who was going to write it down?";
const ANSWERED = "You decided to keep one file, and Ann was going to write it down. ".repeat(4);
const USAGE = { inputTokens: 1_200, outputTokens: 80, cacheReadTokens: 900, cost: 0.004 };

export async function turn({ stores, sizes, rounds }: Bench): Promise<Outcome> {
  const opened: { count: number; sessions: Sessions; database: RawDatabase }[] = [];
  for (const count of sizes.turn) {
    const sessions = await openSessions({ url: await stores.withSessions(count) });
    opened.push({ count, sessions, database: openRaw(await stores.withSessions(count)) });
  }
  const steps = opened.flatMap(({ count, sessions, database }) => [
    oursOn(sessions, randomly(count)),
    rawOn(database, randomly(count)),
  ]);
  const times = await interleave(steps, rounds, sizes.turns);
  for (const { sessions, database } of opened) {
    await sessions.close();
    database.close();
  }
  const ours = times.filter((_, index) => index % 2 === 0);
  const raw = times.filter((_, index) => index % 2 === 1);
  const [first = Number.NaN] = ours;
  return {
    lines: sizes.turn.map((count, index) => ({
      what: `turn, ${count} sessions`,
      ours: ours[index] ?? Number.NaN,
      raw: raw[index] ?? Number.NaN,
      unit: "ms",
    })),
    targets: [
      ...sizes.turn.map((count, index) => ({
        what: `turn at ${count} sessions, of raw`,
        value: (ours[index] ?? Number.NaN) / (raw[index] ?? Number.NaN),
        atMost: 1.6,
        unit: "×" as const,
      })),
      {
        what: `turn at ${sizes.turn.at(-1)} sessions, of one at ${sizes.turn[0]}`,
        value: (ours.at(-1) ?? Number.NaN) / first,
        atMost: 1.3,
        unit: "×",
      },
    ],
  };
}

function randomly(count: number): () => number {
  const random = randomFrom(7);
  return () => Math.floor(random() * count);
}

function oursOn(sessions: Sessions, pick: () => number) {
  return async () => {
    const { entry } = await sessions.receive(sourceOf(pick()), { role: "user", content: ASKED });
    await sessions.record(entry.sessionId, [{ role: "assistant", content: ANSWERED }], USAGE);
  };
}

function rawOn(database: RawDatabase, pick: () => number) {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const current = database.prepare(
    "SELECT s.* FROM routes r JOIN sessions s ON s.id = r.session_id WHERE r.key = ?",
  );
  const touch = database.prepare(
    "UPDATE sessions SET updated_at = ?, display_name = ?, next_seq = next_seq + 1, message_count = message_count + 1 WHERE id = ?",
  );
  const count = database.prepare(
    `UPDATE sessions SET next_seq = next_seq + 1, message_count = message_count + 1, updated_at = ?,
       input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, cost = cost + ? WHERE id = ? RETURNING next_seq`,
  );
  const insert = database.prepare(
    "INSERT INTO messages (session_id, seq, role, content, at) VALUES (?, ?, ?, ?, ?)",
  );
  return () => {
    const source = sourceOf(pick());
    const key = buildSessionKey(source);
    begin.run();
    const row = current.get(key) as { id: string; next_seq: number };
    const now = Date.now();
    touch.run(now, source.userName ?? "", row.id);
    insert.run(row.id, row.next_seq, "user", ASKED, now);
    commit.run();
    begin.run();
    const { inputTokens, outputTokens, cacheReadTokens, cost } = USAGE;
    const next = count.get(now, inputTokens, outputTokens, cacheReadTokens, 0, cost, row.id) as {
      next_seq: number;
    };
    insert.run(row.id, next.next_seq - 1, "assistant", ANSWERED, now);
    commit.run();
  };
}
