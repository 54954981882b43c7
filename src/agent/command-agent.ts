/**
 * The agent of a job that is a command: it runs the command with the tool `terminal`, so that everything that holds for
 * that tool holds here, and says what it printed. Then it is done, or another agent goes on with that. If the process that
 * ran it ended, the command is not run again.
 */
import type { Message, ToolCall } from "../session/transcript.js";
import { type Agent, AgentError, type AgentEvent, type ToolMessage, type TurnInput } from "./agent.js";
import { runToolCall } from "./tool-call.js";
import { commandOutcome } from "./tools/command-result.js";

const TERMINAL = "terminal";
const CALL_ID = "job_command";

export interface JobCommand {
  readonly command: string;
  readonly timeoutMs: number;
  /** Goes on if the command printed something; null if what it printed is the answer. */
  readonly then: Agent | null;
}

export function commandAgent({ command, timeoutMs, then }: JobCommand): Agent {
  return {
    name: "command",
    async *run(turn) {
      const known = resultAtEnd(turn.history);
      const result = known ?? (yield* runOnce(turn, command, timeoutMs));
      if (turn.signal.aborted) return yield { kind: "done", stopped: true };
      const outcome = commandOutcome(result.content);
      if (outcome === null || outcome.code !== 0) throw new AgentError(result.content);
      if (then && outcome.printed !== "")
        yield* then.run({
          ...turn,
          history: [...turn.history, ...(known ? [] : stepOf(command, timeoutMs, result))],
        });
      else {
        yield { kind: "text", text: outcome.printed };
        yield { kind: "message", message: { role: "assistant", content: outcome.printed }, results: [] };
        yield { kind: "done", stopped: false };
      }
    },
  };
}

async function* runOnce(
  turn: TurnInput,
  command: string,
  timeoutMs: number,
): AsyncGenerator<AgentEvent, ToolMessage> {
  const call = callOf(command, timeoutMs);
  yield { kind: "tool call", call };
  const content = await runToolCall(call, turn.tools, turn.signal);
  yield { kind: "tool result", call, content };
  const result: ToolMessage = { role: "tool", toolCallId: call.id, name: call.name, content };
  yield {
    kind: "message",
    message: { role: "assistant", content: "", toolCalls: [call] },
    results: [result],
  };
  return result;
}

/** True if these are the arguments with which this agent runs the command: in the usual place, with nothing else. */
export function isCommandCall(args: unknown, { command, timeoutMs }: Omit<JobCommand, "then">): boolean {
  const { command: given, timeout, ...more } = (args ?? {}) as Record<string, unknown>;
  return given === command && timeout === timeoutMs / 1_000 && Object.keys(more).length === 0;
}

function callOf(command: string, timeoutMs: number): ToolCall {
  return { id: CALL_ID, name: TERMINAL, arguments: JSON.stringify({ command, timeout: timeoutMs / 1_000 }) };
}

function stepOf(command: string, timeoutMs: number, result: ToolMessage): Message[] {
  return [{ role: "assistant", content: "", toolCalls: [callOf(command, timeoutMs)] }, result];
}

/** What the command gave before the process that ran it ended; null if it has not run. */
function resultAtEnd(history: readonly Message[]): ToolMessage | null {
  const last = history.at(-1);
  return last?.role === "tool" && last.toolCallId === CALL_ID ? last : null;
}
