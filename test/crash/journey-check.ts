/**
 * What must hold of a store and its platform once a gateway has settled, however often it was killed before: every
 * message that was written is in its transcript once and in order, has one answer, and what was said was sent once or is
 * `unknown`. Looks past our own code.
 */
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import type { AtLeastOnce, Seen, Written } from "../support/at-least-once.js";
import { inspect } from "./inspect.js";

/** What a store says that fails now and then. */
const DISK_FULL = "The disk is full.";

export interface Settled {
  readonly messages: number;
  readonly commands: number;
  readonly answered: number;
  /** Interrupted by the next message, as its chat asked. */
  readonly interrupted: number;
  /** Given up, with a notice, because too many processes had ended of it. */
  readonly parked: number;
  /** Ended, with a notice, because the store could not be written. */
  readonly failed: number;
  readonly sent: number;
  readonly unknown: number;
  /** Notices that something may be missing. */
  readonly doubts: number;
  /** Beginnings of replies that a killed process had shown; the reply was sent anew beside them. */
  readonly beginnings: number;
}

interface InboxRow {
  readonly id: number;
  readonly message_id: string;
  readonly state: string;
  /** Of the turn that answered it; null where it was steered into another's, or is a command. */
  readonly turn: string | null;
  readonly attempt: number | null;
  readonly turn_id: string | null;
  readonly error: string | null;
}

interface MessageRow {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
}

interface OutboxRow {
  readonly id: number;
  readonly delivery_id: string;
  readonly address: string;
  readonly kind: string;
  readonly text: string;
  readonly state: string;
  readonly message_id: string | null;
}

export function checkSettled(path: string, platform: AtLeastOnce, effects: string): Settled {
  inspect(path);
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const inbox = database
      .prepare(
        `SELECT i.*, t.state AS turn, t.attempt, t.id AS turn_id, t.error FROM inbox i
         LEFT JOIN turns t ON t.inbox_id = i.id ORDER BY i.id`,
      )
      .all() as unknown as InboxRow[];
    const outbox = database.prepare("SELECT * FROM outbox ORDER BY id").all() as unknown as OutboxRow[];
    const transcript = database.prepare(
      `SELECT m.* FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.chat = ? ORDER BY s.created_at, m.seq`,
    );
    const done = existsSync(effects) ? readFileSync(effects, "utf8").split("\n").filter(Boolean) : [];
    if (new Set(done).size !== done.length) fail("something that was done twice", done);
    const rows = checkInbox(inbox, platform.written);
    const beginnings = checkOutbox(outbox, platform.seen);
    checkDoubts(outbox);
    for (const chat of new Set(platform.written.map((message) => message.chat))) {
      const messages = transcript.all(`telegram:${chat}`) as unknown as MessageRow[];
      const texts = outbox.filter(({ address }) => address === `telegram:${chat}`).map(({ text }) => text);
      checkChat(chat, platform.written, rows, messages, texts);
      checkEffects(messages, done, texts);
    }
    checkNotices(inbox, outbox, platform.written);
    const count = (holds: (row: InboxRow) => boolean) => inbox.filter(holds).length;
    const commands = platform.written.filter(isCommand).length;
    return {
      messages: inbox.length - commands,
      commands,
      answered: count((row) => isAnswered(row)) - commands,
      failed: count(({ turn }) => turn === "failed"),
      interrupted: count(({ turn }) => turn === "stopped"),
      parked: count(({ state }) => state === "parked"),
      sent: outbox.filter(({ state }) => state === "sent").length,
      unknown: outbox.filter(({ state }) => state === "unknown").length,
      doubts: outbox.filter(({ kind }) => kind === "doubt").length,
      beginnings,
    };
  } finally {
    database.close();
  }
}

/** All that was written was accepted once, and nothing is still open. */
function checkInbox(inbox: readonly InboxRow[], written: readonly Written[]): Map<string, InboxRow> {
  const rows = new Map(inbox.map((row) => [row.message_id, row]));
  expectSame("messages in the inbox", inbox.map((row) => row.message_id).sort(), written.map(idOf).sort());
  for (const row of inbox) {
    const isOver = row.state === "done" || (row.state === "parked" && row.turn === "parked");
    const isWrong = row.turn === "running" || (row.turn === "failed" && row.error !== DISK_FULL);
    if (!isOver || isWrong) fail("an item that is not over", row);
    if (row.state === "parked" && Number(row.attempt) <= 3) fail("a turn that was parked too early", row);
  }
  return rows;
}

/** What the platform has seen, it has seen once, in order within a chat, and we know of it. How many are beginnings. */
function checkOutbox(outbox: readonly OutboxRow[], seen: readonly Seen[]): number {
  const rows = new Map(outbox.map((row) => [row.delivery_id, row]));
  const byMessage = new Map(outbox.map((row) => [row.message_id, row]));
  const times = new Map<string, number>();
  const last = new Map<string, number>();
  let beginnings = 0;
  for (const send of seen) {
    if (send.deliveryId.startsWith("apology.")) continue; // Said past a store that failed.
    const row = rows.get(send.deliveryId) ?? byMessage.get(send.messageId);
    if (!row && /\.live\.\d+$/.test(send.deliveryId)) {
      beginnings += 1;
      continue;
    }
    if (!row || row.text !== send.text || row.address !== `telegram:${send.chat}`)
      fail("an unknown send", send);
    times.set(row.delivery_id, (times.get(row.delivery_id) ?? 0) + 1);
    // A reply that was begun while it was made has its place from then on; replies keep their order among themselves.
    const orders = [
      ...(send.isBegun ? [] : [send.chat]),
      ...(row.kind === "reply" ? [`replies ${send.chat}`] : []),
    ];
    for (const order of orders) {
      if (row.id < (last.get(order) ?? 0)) fail("a send out of order", send);
      last.set(order, row.id);
    }
  }
  for (const row of outbox) {
    const seenTimes = times.get(row.delivery_id) ?? 0;
    const isRight = row.state === "sent" ? seenTimes === 1 : row.state === "unknown" && seenTimes <= 1;
    if (!isRight) fail(`a delivery that was seen ${seenTimes} times`, row);
  }
  return beginnings;
}

/** Where something may be missing, the chat is told after it; and no more often than that. */
function checkDoubts(outbox: readonly OutboxRow[]): void {
  const doubts = outbox.filter(({ kind }) => kind === "doubt");
  const missing = outbox.filter(({ kind, state }) => kind !== "doubt" && state === "unknown");
  for (const row of missing)
    if (!doubts.some(({ address, id }) => address === row.address && id > row.id))
      fail("a message in doubt that nobody was told of", row);
  if (doubts.length > missing.length) fail(`${doubts.length} doubts`, missing);
}

function checkChat(
  chat: string,
  written: readonly Written[],
  rows: ReadonlyMap<string, InboxRow>,
  messages: readonly MessageRow[],
  texts: readonly string[],
): void {
  const asked = written.filter((message) => message.chat === chat && !isCommand(message));
  const users = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expectSame(
    `what was asked in ${chat}`,
    users,
    asked.map(({ text }) => text),
  );
  checkToolCalls(chat, messages);

  const answers: number[] = [];
  let last = 0;
  for (const { role, content } of messages) {
    if (role === "user") last = Number.parseInt(content, 10);
    const numbers = role === "assistant" ? answeredBy(content) : [];
    if (numbers.length > 0 && numbers.at(-1) !== last) fail(`an answer out of place in ${chat}`, content);
    answers.push(...numbers);
  }
  expectSame(
    `the order of answers in ${chat}`,
    answers,
    [...new Set(answers)].sort((a, b) => a - b),
  );

  for (const message of asked) {
    const row = rows.get(message.messageId);
    const number = Number.parseInt(message.text, 10);
    const hasAnswer = answers.includes(number);
    const isDone = row !== undefined && isAnswered(row);
    if (isDone && !hasAnswer) fail("a message without an answer", message);
    if (row?.state === "parked" && hasAnswer) fail("an answer to what was given up", message);
    const said = texts.filter((text) => answeredBy(text).includes(number)).length;
    const looked = texts.filter((text) => text === `looking ${number}`).length;
    const most = isDone || row?.turn === "failed" ? 1 : 0;
    if (said > most || (isDone && said === 0)) fail(`an answer that is to be sent ${said} times`, message);
    const hasStep = row?.turn === "done" && message.text.includes(" tool");
    if (hasStep ? looked !== 1 : looked > 1) fail(`a step that is to be sent ${looked} times`, message);
  }
}

/** Each call is made once, and its result comes right after it. */
function checkToolCalls(chat: string, messages: readonly MessageRow[]): void {
  const calls = new Set<string>();
  messages.forEach(({ role, tool_calls, tool_call_id }, index) => {
    if (role === "tool" && !calls.has(tool_call_id ?? ""))
      fail(`a result without a call in ${chat}`, tool_call_id);
    for (const { id } of JSON.parse(tool_calls ?? "[]") as { id: string }[]) {
      if (calls.has(id)) fail(`a call made twice in ${chat}`, id);
      if (messages[index + 1]?.tool_call_id !== id) fail(`a call without a result in ${chat}`, id);
      calls.add(id);
    }
  });
}

/** What the transcript says of a call is what happened; where nobody knows, the chat is told. */
function checkEffects(
  messages: readonly MessageRow[],
  done: readonly string[],
  texts: readonly string[],
): void {
  let unknown = 0;
  for (const { role, content, tool_call_id } of messages) {
    if (role !== "tool") continue;
    const isDone = done.includes(tool_call_id ?? "");
    if (content === "found" && !isDone) fail("a result of what was not done", tool_call_id);
    if (/not run/i.test(content) && isDone) fail("something done that is said not to be", tool_call_id);
    if (content.startsWith("Unknown")) unknown += 1;
  }
  const told = texts.filter((text) => text.startsWith("I was interrupted while this was running")).length;
  if (told !== unknown) fail(`${unknown} unknown calls of which ${told} were told`, messages);
}

/** It came to its end. */
function isAnswered({ state, turn }: InboxRow): boolean {
  return state === "done" && turn !== "stopped" && turn !== "failed";
}

/** Each command, and each turn that was given up, says one thing; one that failed says that it did. */
function checkNotices(
  inbox: readonly InboxRow[],
  outbox: readonly OutboxRow[],
  written: readonly Written[],
): void {
  const commands = new Set(written.filter(isCommand).map(idOf));
  for (const row of inbox) {
    const prefix = commands.has(row.message_id) ? `inbox.${row.id}.` : `${row.turn_id}.parked`;
    const said = outbox.filter(({ delivery_id }) => delivery_id.startsWith(prefix)).length;
    const expected = commands.has(row.message_id) || row.state === "parked" ? 1 : 0;
    if (said !== expected) fail(`an item with ${said} notices`, row);
    const isTold = ({ delivery_id, kind, text }: OutboxRow): boolean =>
      kind === "notice" && delivery_id.startsWith(`${row.turn_id}.`) && text.includes("/retry");
    if (row.turn === "failed" && !outbox.some(isTold)) fail("a failure that nobody was told of", row);
  }
}

function answeredBy(text: string): number[] {
  return (/answer ([\d ]+)$/.exec(text)?.[1] ?? "").split(" ").filter(Boolean).map(Number);
}

function isCommand({ text }: Written): boolean {
  return text.startsWith("/");
}

function idOf({ messageId }: Written): string {
  return messageId;
}

function expectSame(what: string, found: readonly unknown[], expected: readonly unknown[]): void {
  const place = expected.findIndex((each, index) => each !== found[index]);
  if (place < 0 && found.length === expected.length) return;
  const at = place < 0 ? expected.length : place;
  fail(`a difference in ${what}, at ${at}`, {
    found: found.slice(at, at + 3),
    expected: expected.slice(at, at + 3),
  });
}

function fail(what: string, about: unknown): never {
  throw new Error(`There is ${what}: ${JSON.stringify(about)}`);
}
