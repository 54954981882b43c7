/**
 * What model calls used. `noteUsageIn` is called in the transaction that adds the same to the session's totals: a call is
 * counted once, or not at all. Its rows outlive their session; a day's totals, which limits are compared with, are in
 * `spending`.
 */
import type { NewDelivery } from "../../gateway/delivery.js";
import type {
  LimitNotice,
  Measured,
  Spend,
  UsageBy,
  UsageRange,
  UsageReader,
  UsageStore,
  UsageSum,
} from "../../gateway/usage-store.js";
import type { SessionId } from "../../session/ids.js";
import { completeUsage, type ModelUse, tokensIn } from "../../session/session.js";
import { cleanLine, storableText } from "../../util/text.js";
import type { Db, Queries, SqlValue } from "../db.js";
import { insertDeliveries } from "./outbox.js";
import { addSpending, monthBefore } from "./spending.js";
import { number, text } from "./values.js";

export interface NotedUse extends ModelUse {
  readonly sessionId: SessionId;
  /** Who wrote what the call answers; empty if nobody knows. */
  readonly identity: string;
  /** The job that asked for it; empty or absent if none did. */
  readonly jobId?: string;
  readonly at: number;
}

const LONGEST_MODEL = 100;
const COUNTS =
  "model_calls unpriced_calls input_tokens output_tokens cache_read_tokens cache_write_tokens cost".split(
    " ",
  );
/** What is counted already for the same person, day, session, job and model grows. */
const ADDED_UP = `ON CONFLICT (identity, day, session_id, job_id, model) DO UPDATE SET
  ${COUNTS.map((count) => `${count} = model_usage.${count} + excluded.${count}`).join(", ")}`;

export async function noteUsageIn(tx: Queries, use: NotedUse): Promise<void> {
  const { identity, sessionId, jobId = "", model = "", usage, at } = use;
  const day = new Date(at).toISOString().slice(0, 10);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost } = completeUsage(usage);
  await tx.run(
    `INSERT INTO model_usage (identity, day, session_id, job_id, model, model_calls, unpriced_calls, input_tokens,
       output_tokens, cache_read_tokens, cache_write_tokens, cost) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?) ${ADDED_UP}`,
    identity,
    day,
    sessionId,
    jobId,
    storableText(cleanLine(model)).slice(0, LONGEST_MODEL).toWellFormed(),
    usage.cost === undefined ? 1 : 0,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cost,
  );
  await addSpending(tx, identity, { tokens: tokensIn(usage), cost }, day);
}

/** What was used in a session stays its people's, without the session. */
export async function forgetSessionOfUsage(tx: Queries, sessionId: SessionId): Promise<void> {
  await tx.run(
    `INSERT INTO model_usage (identity, day, session_id, job_id, model, ${COUNTS.join(", ")})
     SELECT identity, day, '', job_id, model, ${COUNTS.join(", ")} FROM model_usage WHERE session_id = ? ${ADDED_UP}`,
    sessionId,
  );
  await tx.run("DELETE FROM model_usage WHERE session_id = ?", sessionId);
}

const KEYS: Readonly<Record<UsageBy, string>> = {
  day: "day",
  identity: "identity",
  session: "session_id",
  job: "job_id",
  model: "model",
  platform: "coalesce((SELECT s.platform FROM sessions s WHERE s.id = model_usage.session_id), '')",
};

const TOKENS = "input_tokens + output_tokens + cache_read_tokens + cache_write_tokens";

export class SqlUsage implements UsageStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async measure(what: Measured): Promise<Spend> {
    const [sql, ...values] = measuring(what);
    const row = await this.#db.get(sql, ...values);
    return { tokens: number(row?.tokens ?? 0), cost: number(row?.cost ?? 0) };
  }

  async sums(reader: UsageReader, by: UsageBy, { fromDay, sessionId }: UsageRange): Promise<UsageSum[]> {
    if (reader.kind === "person" && reader.identities.length === 0) return [];
    const theirs = reader.kind === "owner" ? [] : reader.identities;
    const which = [
      "day >= ?",
      ...(sessionId === undefined ? [] : ["session_id = ?"]),
      ...(reader.kind === "owner" ? [] : [`identity IN (${marks(theirs)})`]),
    ];
    const rows = await this.#db.all(
      `SELECT ${KEYS[by]} AS key, sum(model_calls) AS model_calls, sum(unpriced_calls) AS unpriced_calls,
         sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens,
         sum(cache_write_tokens) AS cache_write_tokens, sum(${TOKENS}) AS tokens, sum(cost) AS cost
       FROM model_usage WHERE ${which.join(" AND ")} GROUP BY 1
       ORDER BY ${by === "day" ? "1" : `sum(${TOKENS}) DESC, 1`}`,
      fromDay,
      ...(sessionId === undefined ? [] : [sessionId]),
      ...theirs,
    );
    return rows.map((row) => ({
      key: text(row.key),
      modelCalls: number(row.model_calls),
      unpricedCalls: number(row.unpriced_calls),
      inputTokens: number(row.input_tokens),
      outputTokens: number(row.output_tokens),
      cacheReadTokens: number(row.cache_read_tokens),
      cacheWriteTokens: number(row.cache_write_tokens),
      totalTokens: number(row.tokens),
      cost: number(row.cost),
    }));
  }

  tell({ identities, limit, of }: LimitNotice, deliveries: readonly NewDelivery[], now: number) {
    const [sessionId, day] = "day" in of ? ["", of.day] : [of.sessionId, ""];
    return this.#db.transaction(async (tx) => {
      const told = await tx.get(
        `SELECT identity FROM limit_notices
         WHERE session_id = ? AND day = ? AND limit_name = ? AND identity IN (${marks(identities)}) LIMIT 1`,
        sessionId,
        day,
        limit,
        ...identities,
      );
      if (told) return false;
      // The first one stands for the person: of two processes at once, one is refused by the key.
      const isNew = await tx.run(
        `INSERT INTO limit_notices (session_id, day, identity, limit_name) VALUES (?, ?, ?, ?)
         ON CONFLICT (session_id, day, identity, limit_name) DO NOTHING`,
        sessionId,
        day,
        identities[0] ?? "",
        limit,
      );
      if (isNew === 0) return false;
      if (day !== "")
        await tx.run("DELETE FROM limit_notices WHERE session_id = '' AND day < ?", monthBefore(day));
      await insertDeliveries(tx, deliveries, now);
      return true;
    });
  }
}

function measuring(what: Measured): [string, ...SqlValue[]] {
  const day = "SELECT sum(tokens) AS tokens, sum(cost) AS cost FROM spending WHERE day = ?";
  switch (what.kind) {
    case "person":
      return [`${day} AND identity IN (${marks(what.identities)})`, what.day, ...what.identities];
    case "everyone":
      return [day, what.day];
    case "session":
      return [`SELECT ${TOKENS} AS tokens, cost FROM sessions WHERE id = ?`, what.sessionId];
    default:
      return what satisfies never;
  }
}

/** At least one: a list without any matches nothing. */
function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ") || "NULL";
}
