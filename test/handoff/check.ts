/** What must hold of a handoff once everything has settled, whatever happened on the way. */

import { isDeepStrictEqual } from "node:util";
import type { Handoff, HandoffStep } from "../../src/session/handoff.js";
import type { HandoffId } from "../../src/session/ids.js";
import type { Stage, Typed } from "./stage.js";
import type { DeliveryRow, HandoffRow } from "./witness.js";

export type Outcome = "completed" | "failed" | "not asked";

interface Said {
  readonly session_id: string;
  readonly seq: number;
  readonly role: string;
  readonly content: string;
}

/** Throws at the first thing that is not as it should be. */
export async function checkOutcome(stage: Stage, before: readonly string[]): Promise<Outcome> {
  const { witness } = stage;
  witness.look({ step: "the end", side: "after", args: [] });
  witness.mustBeContent();
  const handoffs = witness.handoffs();
  if (handoffs.length > 1) fail("a handoff that nobody asked for", handoffs);
  const [handoff] = handoffs;
  const outbox = witness.rows<DeliveryRow>("SELECT * FROM outbox ORDER BY id");
  const said = witness.rows<Said>(
    "SELECT session_id, seq, role, content FROM messages ORDER BY session_id, seq",
  );
  checkTyped(stage.typed, said, outbox);
  if (!handoff) return "not asked";
  if (handoff.state !== "completed" && handoff.state !== "failed")
    fail("a handoff that is not over", handoff);
  checkTranscript(handoff, said, before);
  const early = stage.typed.filter(({ isEarly }) => isEarly).map(({ text }) => text);
  const isLeft = said.some(
    ({ session_id, content }) => early.includes(content) && session_id !== handoff.session_id,
  );
  if (isLeft) fail("a message that the conversation left behind", { early, said });
  checkTold(stage, handoff, outbox);
  checkPlatform(stage, handoff);
  await checkLate(stage, handoff);
  checkLastWords(stage, handoff, said);
  return handoff.state;
}

/** Whoever writes where the conversation is now goes on with it. */
function checkLastWords({ typed }: Stage, { session_id, state }: HandoffRow, said: readonly Said[]): void {
  const where = state === "completed" ? "there" : "here";
  if (!typed.some(({ text }) => text === `last words ${where}`)) return;
  const last = said.find(({ content }) => content === `last words ${where}`);
  if (last?.session_id !== session_id) fail("a conversation that does not go on", { state, last });
}

/** In one transcript once, answered there once, and the answer is to be sent once. */
function checkTyped(typed: readonly Typed[], said: readonly Said[], outbox: readonly DeliveryRow[]): void {
  for (const { text } of typed) {
    const kept = said.filter(({ role, content }) => role === "user" && content === text);
    const answers = said.filter(({ role, content }) => role === "assistant" && content === `re: ${text}`);
    if (kept.length !== 1) fail(`a message that is kept ${kept.length} times`, text);
    const isThere =
      answers[0]?.session_id === kept[0]?.session_id && Number(answers[0]?.seq) > Number(kept[0]?.seq);
    if (answers.length !== 1 || !isThere) fail(`a message with ${answers.length} answers`, { kept, answers });
    const replies = outbox.filter((row) => row.text === `re: ${text}`);
    const isSent = replies.every(({ state }) => state === "sent" || state === "unknown");
    if (replies.length !== 1 || !isSent)
      fail(`an answer that is said ${replies.length} times`, { text, replies });
  }
}

function checkTranscript(
  { session_id, state }: HandoffRow,
  said: readonly Said[],
  before: readonly string[],
): void {
  const now = said.filter((message) => message.session_id === session_id);
  const beginning = now.slice(0, before.length).map(({ content }) => content);
  if (!isDeepStrictEqual(beginning, before))
    fail("a transcript that does not begin as it did", { before, now });
  const confirmed = now.filter(({ content }) => content.startsWith("[This conversation")).length;
  const answered = now.filter(({ content }) => content.startsWith("re: [This conversation")).length;
  const expected = state === "completed" ? 1 : 0;
  if (confirmed !== expected || answered !== expected)
    fail(`a handoff confirmed ${confirmed}, ${answered} times`, now);
}

/** Who asked was told what is true, once. */
function checkTold(
  { here, variant }: Stage,
  { id, state }: HandoffRow,
  outbox: readonly DeliveryRow[],
): void {
  const told = outbox.filter(({ delivery_id }) => delivery_id === `${id}.told`);
  if (variant.from === "script" && told.length === 0) return; // It looks by itself.
  const [only] = told;
  const beginning = state === "completed" ? "Moved to " : "The handoff to ";
  if (told.length !== 1 || !only?.text.startsWith(beginning))
    fail(`somebody who was told ${told.length} times`, { state, told });
  const seen = [...here.messages.values()].filter(({ deliveryId }) => deliveryId === `${id}.told`).length;
  const isRight = only.state === "sent" ? seen === 1 : only.state === "unknown" && seen <= 1;
  if (!isRight) fail(`an outcome that was seen ${seen} times`, only);
  const others = [...here.messages.values()].filter(({ text }) =>
    /^(Moved to|The handoff to) /.test(text),
  ).length;
  if (others !== seen) fail("an outcome that was told beside the outbox", others);
}

/** One thread, one notice, and one that takes it back where it failed. */
function checkPlatform({ there }: Stage, { id, state, error }: HandoffRow): void {
  const messages = [...there.messages.values()];
  const count = (end: string): number =>
    messages.filter(({ deliveryId }) => deliveryId === `${id}.${end}`).length;
  const [announced, retracted] = [count("here"), count("back.0")];
  if (there.threads.size > 1) fail("more than one thread", [...there.threads]);
  if (announced > 1 || retracted > 1)
    fail(`a place that was told ${announced} and ${retracted} times`, messages);
  const isTakenBack = state === "failed" && announced === 1;
  if (isTakenBack !== (retracted === 1))
    fail(`a notice with ${retracted} retractions`, { state, error, messages });
}

/** Whoever comes late changes nothing. */
async function checkLate(stage: Stage, { id }: HandoffRow): Promise<void> {
  const { handoffs } = stage.actor("gateway").store;
  const now = stage.clock();
  const before = (await handoffs.find(id as HandoffId, now)) as Handoff;
  for (let fence = 0; fence <= before.fence; fence++) {
    const late: HandoffStep[] = [
      { kind: "claim", fence, holder: "late", leaseMs: 1, left: true },
      { kind: "complete", fence },
      { kind: "fail", fence, error: "too late" },
      { kind: "cancel", error: "too late" },
    ];
    for (const step of late)
      if ((await handoffs.step(before.id, step, now, stage.destination))?.ok !== false)
        fail("something that was done too late", step);
  }
  if (!isDeepStrictEqual(await handoffs.find(id as HandoffId, now), before))
    fail("a handoff that changed after its end", before);
}

function fail(what: string, about: unknown): never {
  throw new Error(`There is ${what}: ${JSON.stringify(about)}`);
}
