/** What must hold of handoffs and their conversations once everything has settled. Looks past our own code. */
import { DatabaseSync } from "@photostructure/sqlite";
import type { HandoffPlatform } from "../support/handoff-process.js";
import { inspect } from "./inspect.js";

export interface HandoffTally {
  readonly kills: number;
  /** Kills of a process by itself, around the step that it was told. */
  readonly atPoints: number;
  readonly messages: number;
  readonly parked: number;
  readonly handoffs: number;
  readonly completed: number;
  readonly failed: number;
  /** Of the failed ones, because nobody can tell whether a thread was made. */
  readonly inDoubt: number;
  readonly refused: number;
  readonly unknown: number;
}

interface Row {
  readonly [column: string]: string | number | null;
}

const OPEN = [
  "SELECT 'inbox' AS what, id, state FROM inbox WHERE state IN ('waiting', 'running')",
  "SELECT 'turn', id, state FROM turns WHERE state = 'running'",
  "SELECT 'outbox', id, state FROM outbox WHERE state IN ('pending', 'sending')",
  "SELECT 'handoff', id, state FROM handoffs WHERE state IN ('pending', 'running')",
].join(" UNION ALL ");

/** What is still open. */
export function isSettled(path: string): readonly Row[] {
  return reading(path, (all) => all(OPEN));
}

export function checkHandoffs(
  path: string,
  platforms: Readonly<Record<string, HandoffPlatform>>,
): Omit<HandoffTally, "kills" | "atPoints"> {
  inspect(path);
  return reading(path, (all) => {
    const outbox = all("SELECT * FROM outbox");
    checkOutbox(outbox, platforms);
    const parked = checkTyped(all, platforms);
    const handoffs = all("SELECT * FROM handoffs");
    for (const handoff of handoffs) checkHandoff(handoff, all, outbox, platforms);
    const unrouted = all(
      "SELECT s.id FROM sessions s WHERE s.ended_at IS NULL AND (SELECT count(*) FROM routes r WHERE r.session_id = s.id) <> 1",
    );
    if (unrouted.length > 0) fail("a session that is not in one lane", unrouted);
    const failed = handoffs.filter(({ state }) => state === "failed");
    return {
      messages: Object.values(platforms).flatMap(({ written }) => written.filter(isMessage)).length,
      parked,
      handoffs: handoffs.length,
      completed: handoffs.length - failed.length,
      failed: failed.length,
      inDoubt: failed.filter(({ error }) => String(error).includes("it is unknown whether the thread exists"))
        .length,
      refused: outbox.filter(({ text }) => /already being handed off/.test(String(text))).length,
      unknown: outbox.filter(({ state }) => state === "unknown").length,
    };
  });
}

/** What is sent was seen once; what is unknown at most once. */
function checkOutbox(outbox: readonly Row[], platforms: Readonly<Record<string, HandoffPlatform>>): void {
  const seen = Object.values(platforms).flatMap((platform) =>
    platform.seen.map(({ deliveryId }) => deliveryId),
  );
  for (const row of outbox) {
    const times = seen.filter((id) => id === row.delivery_id).length;
    const isRight =
      row.state === "sent"
        ? times === 1
        : row.state === "unknown"
          ? times <= 1
          : row.state === "failed" && times === 0;
    if (!isRight) fail(`a delivery that was seen ${times} times`, row);
  }
}

/** Each message is in one transcript once and answered there once, or was given up with a notice. */
function checkTyped(
  all: (sql: string, ...values: string[]) => Row[],
  platforms: Readonly<Record<string, HandoffPlatform>>,
): number {
  let parked = 0;
  const turns = all("SELECT i.text, t.state FROM inbox i JOIN turns t ON t.inbox_id = i.id");
  const messages = all("SELECT session_id, seq, role, content FROM messages");
  for (const { text } of Object.values(platforms).flatMap(({ written }) => written.filter(isMessage))) {
    const kept = messages.filter(({ role, content }) => role === "user" && content === text);
    const answers = messages.filter(({ role, content }) => role === "assistant" && content === `re: ${text}`);
    const isParked = turns.some((turn) => turn.text === text && turn.state === "parked");
    if (isParked) parked += 1;
    if (kept.length !== 1) fail(`a message that is kept ${kept.length} times`, text);
    const isThere = answers[0]?.session_id === kept[0]?.session_id;
    const isRight = isParked ? answers.length === 0 : answers.length === 1 && isThere;
    if (!isRight) fail(`a message with ${answers.length} answers`, { text, isParked });
  }
  return parked;
}

function checkHandoff(
  { id, state, error, session_id }: Row,
  all: (sql: string, ...values: string[]) => Row[],
  outbox: readonly Row[],
  platforms: Readonly<Record<string, HandoffPlatform>>,
): void {
  const told = outbox.filter(({ handoff_id, kind }) => handoff_id === id && kind === "outcome");
  const beginning = state === "completed" ? "Moved to " : "The handoff to ";
  if (told.length !== 1 || !String(told[0]?.text).startsWith(beginning))
    fail(`somebody who was told ${told.length} times`, { id, state, told });
  const confirmed = all("SELECT state FROM inbox WHERE message_id LIKE ?", `%${id}`).length;
  if (confirmed !== (state === "completed" ? 1 : 0)) fail(`a handoff with ${confirmed} turns`, { id, state });
  const seen = Object.values(platforms).flatMap((platform) => platform.seen);
  const count = (end: string): number =>
    seen.filter(({ deliveryId }) => deliveryId === `${id}.${end}`).length;
  if (count("here") > 1) fail("a place that was told twice", id);
  const taken = outbox.filter(({ handoff_id, kind }) => handoff_id === id && kind === "retraction").length;
  const mustBeTaken = state === "failed" && count("here") === 1;
  if (mustBeTaken ? taken !== 1 : taken > 0 && state === "completed")
    fail(`a notice with ${taken} retractions`, { id, state, error });
  for (const { threads } of Object.values(platforms)) {
    const made = threads.get(String(id)) ?? [];
    if (made.length > 1) fail("more than one thread", { id, session_id, made });
  }
}

function isMessage({ text }: { readonly text: string }): boolean {
  return !text.startsWith("/");
}

function reading<Result>(
  path: string,
  read: (all: (sql: string, ...values: string[]) => Row[]) => Result,
): Result {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    return read((sql, ...values) => database.prepare(sql).all(...values) as Row[]);
  } finally {
    database.close();
  }
}

function fail(what: string, about: unknown): never {
  throw new Error(`There is ${what}: ${JSON.stringify(about)}`);
}
