/**
 * The agent that needs no model, no network and no key. It says so, answers from the session, and follows a few
 * directives, so that everything around an agent can be tried and tested:
 * - `run <command>` calls the tool `terminal` and reports the result;
 * - `background <command>` does so in the background, and is woken when the command has ended;
 * - `remind me in 10s to <do something>`, `every 1m say <words>` and `every monday at 8:30 <do something>` call the tool
 *   `schedule`. In the run of such a job, `say <words>` says the words;
 * - `slow <seconds>` writes a word every tenth of a second, and reads messages that arrive meanwhile;
 * - `fail` fails.
 * It is deterministic: the same turn gives the same events.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Usage } from "../session/session.js";
import type { Message, ToolCall } from "../session/transcript.js";
import { USUAL_COMMAND } from "../util/command-words.js";
import { timerMs } from "../util/timer-ms.js";
import {
  type Agent,
  AgentError,
  type AgentEvent,
  type AssistantMessage,
  type ToolMessage,
  type TurnInput,
} from "./agent.js";
import { answer, confirm, type Directive, directiveOf, mention, report } from "./offline-answers.js";
import { runToolCall } from "./tool-call.js";

const TERMINAL = "terminal";
const SCHEDULE = "schedule";
const WORD_MS = 100;

/** `command`: how the person calls Baton. */
export function offlineAgent(command: string = USUAL_COMMAND): Agent {
  return { name: "offline", run: (input) => run(input, command) };
}

/** The turn with all messages so far: its history, and what arrived since. */
interface OfflineTurn extends TurnInput {
  readonly seen: Message[];
  readonly command: string;
}

async function* run(input: TurnInput, command: string): AsyncGenerator<AgentEvent> {
  const turn: OfflineTurn = { ...input, seen: [...input.history], command };
  const { signal } = turn;
  for (let unanswered = true; unanswered && !signal.aborted; ) {
    yield* respond(turn);
    unanswered = hear(turn).some(({ role }) => role === "user");
  }
  yield { kind: "done", stopped: signal.aborted };
}

async function* respond(turn: OfflineTurn): AsyncGenerator<AgentEvent> {
  const directive = directiveOf(turn.seen);
  switch (directive.kind) {
    case "run":
      yield* runCommand(turn, directive);
      return;
    case "schedule":
      yield* makeJob(turn, directive);
      return;
    case "say":
      yield* step(turn, words(directive.text));
      return;
    case "slow":
      yield* step(turn, slowWords(turn, directive.seconds));
      return;
    case "fail":
      throw new AgentError("The offline agent failed because you asked it to.");
    case "answer":
      yield* step(turn, words(answer(turn.seen, turn.command)));
      return;
    default:
      directive satisfies never;
  }
}

async function* runCommand(
  turn: OfflineTurn,
  { command, isBackground }: Extract<Directive, { kind: "run" }>,
): AsyncGenerator<AgentEvent> {
  const wish = isBackground ? { background: true, notifyOnComplete: true } : {};
  const outcome = yield* use(turn, TERMINAL, { command, ...wish }, "Running that in the terminal.");
  if (outcome === null) yield* step(turn, words("I have no terminal here, so I can't run commands."));
  else if (!turn.signal.aborted) yield* step(turn, words(report(outcome, hear(turn))));
}

async function* makeJob(
  turn: OfflineTurn,
  { wish }: Extract<Directive, { kind: "schedule" }>,
): AsyncGenerator<AgentEvent> {
  const outcome = yield* use(turn, SCHEDULE, { action: "create", ...wish }, "");
  if (outcome === null) yield* step(turn, words("I can't schedule anything for you here."));
  else if (!turn.signal.aborted) yield* step(turn, words(confirm(outcome, hear(turn))));
}

/** Calls a tool, and returns what it answered; null if there is no such tool. */
async function* use(
  turn: OfflineTurn,
  tool: string,
  args: object,
  saying: string,
): AsyncGenerator<AgentEvent, string | null> {
  if (!turn.tools.some(({ name }) => name === tool)) return null;
  const call = { id: freshCallId(turn.seen), name: tool, arguments: JSON.stringify(args) };
  const known = resultsAtEnd(turn.seen);
  const results = known.length > 0 ? known : yield* step(turn, words(saying), [call]);
  return results.map(({ content }) => content).join("\n");
}

/** If a turn continues after its process ended, calls that were run are not run again. */
function resultsAtEnd(history: readonly Message[]): readonly Message[] {
  return history.slice(history.findLastIndex(({ role }) => role !== "tool") + 1);
}

/** Emits words, then the calls, then all of it as one message; after an abort, what there is. */
async function* step(
  turn: OfflineTurn,
  pieces: Iterable<string> | AsyncIterable<string>,
  calls: readonly ToolCall[] = [],
): AsyncGenerator<AgentEvent, readonly ToolMessage[]> {
  let content = "";
  for await (const text of pieces) {
    content += text;
    yield { kind: "text", text };
    if (turn.signal.aborted) break;
  }
  const toolCalls = turn.signal.aborted ? [] : calls;
  const results: ToolMessage[] = [];
  for (const call of toolCalls) {
    yield { kind: "tool call", call };
    const result = await runToolCall(call, turn.tools, turn.signal);
    yield { kind: "tool result", call, content: result };
    results.push({ role: "tool", toolCallId: call.id, name: call.name, content: result });
  }
  const message: AssistantMessage = {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
  // Before the message, so that both can be kept in one transaction.
  yield { kind: "usage", model: "offline", usage: usageOf(turn, message) };
  yield { kind: "message", message, results };
  turn.seen.push(message, ...results);
  return results;
}

async function* slowWords(turn: OfflineTurn, seconds: number): AsyncGenerator<string> {
  yield "Slowly:";
  const last = Math.floor((seconds * 1_000) / WORD_MS);
  for (let word = 1; word <= last; word++) {
    await pause(WORD_MS, turn.signal);
    if (turn.signal.aborted) return;
    for (const message of hear(turn)) yield ` ${mention(message)}`;
    yield ` ${word}`;
  }
  yield " Done.";
}

function words(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** Messages that arrived since the last call; none once the turn was stopped. */
function hear(turn: OfflineTurn): readonly Message[] {
  if (turn.signal.aborted) return [];
  const messages = turn.steer();
  turn.seen.push(...messages);
  return messages;
}

/** An abort ends the pause early. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(timerMs(ms), undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** An id that no call in the history has. */
function freshCallId(history: readonly Message[]): string {
  const used = new Set(
    history
      .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
      .map(({ id }) => id),
  );
  let number = history.length;
  while (used.has(`offline_${number}`)) number++;
  return `offline_${number}`;
}

/** A model counts about one token for four characters. */
function usageOf(turn: OfflineTurn, message: AssistantMessage): Usage {
  const read = turn.seen.reduce((length, { content }) => length + content.length, turn.prompt.length);
  return { inputTokens: Math.ceil(read / 4), outputTokens: Math.ceil(message.content.length / 4), cost: 0 };
}
