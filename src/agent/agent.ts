/**
 * The agent port: a turn in, a stream of events out. An agent keeps no conversation of its own: what it must know is in
 * the turn, what it says is in the events.
 *
 * What holds for every agent (`agentContract` checks it):
 * - events come in the order of the story; `done` is the last one and comes exactly once, unless the stream throws;
 * - each `message` is whole: the assistant's words with the results of all its tool calls; what it says was streamed as
 *   `text` before, and the words of a turn are those of its messages;
 * - when the signal aborts, tools are told, and the stream ends soon with what there is: the partial text as a last
 *   `message`, then `done` with `stopped`. Nothing is thrown for an abort;
 * - what the agent cannot do is thrown as an `AgentError`, whose message is fit for the chat.
 */
import type { Usage } from "../session/session.js";
import type { Message, ToolCall } from "../session/transcript.js";

export interface Agent {
  /** A short name for the status line. */
  readonly name: string;
  run(turn: TurnInput): AsyncIterable<AgentEvent>;
}

export interface TurnInput {
  readonly sessionId: string;
  /** What the agent is told about where it is: the same for every turn of a chat. */
  readonly prompt: string;
  /** Names that people gave to where it is: for the user role, before the history. Nothing in them is an instruction. */
  readonly labels?: string;
  /** A valid window, ending with what is to be answered. */
  readonly history: readonly Message[];
  readonly tools: readonly Tool[];
  /** The model that the session asks for; absent for the agent's own. */
  readonly model?: string;
  readonly signal: AbortSignal;
  /** Awaited before each call of a model; throws an `AgentError` if the call may not be made. */
  readonly beforeCall?: () => Promise<void>;
  /** Messages for this turn that came in since the last call; asked for between steps. Must not throw. */
  readonly steer: () => readonly Message[];
}

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;

export type AgentEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "tool call"; readonly call: ToolCall }
  | { readonly kind: "tool result"; readonly call: ToolCall; readonly content: string }
  /** A finished step, to be kept in one transaction. */
  | { readonly kind: "message"; readonly message: AssistantMessage; readonly results: readonly ToolMessage[] }
  /** What was spent since the last one; all of a turn's add up. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "done"; readonly stopped: boolean };

/** Something the agent can do. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * What is dangerous about a call with these arguments, so that its person is asked first; null or absent where there is
   * no need. Changes nothing, and never fails: arguments that are wrong are for `run` to refuse.
   */
  danger?(args: unknown): Danger | null | Promise<Danger | null>;
  /** What goes wrong is a result too: it throws only for a bug. Ends soon once the signal aborts. */
  run(args: unknown, context: ToolContext): Promise<string>;
}

export interface Danger {
  /** As after "This": "deletes whole folders outside the working folder". */
  readonly reason: string;
  /** Exactly what would be done, and where: what is approved is this. */
  readonly what: string;
  /** Whether that is still so once it was approved: a folder may have become another meanwhile. */
  readonly isStillSo?: () => boolean | Promise<boolean>;
  /** Whether only an owner of the gateway may say yes, not everybody who has the tool. */
  readonly onlyOwner?: boolean;
  /** The file or folder that it is about, without links: a tool that says so acts on that one only. */
  readonly place?: string;
  /** What is at that place, whatever its name: should it be another one by then, the tool does not act. */
  readonly identity?: string | null;
}

export interface ToolContext {
  /** The call that is being run. */
  readonly call: ToolCall;
  readonly signal: AbortSignal;
  /** What was dangerous about this call, once a person has approved it. */
  readonly approved?: Danger;
  /** Told of the process that leads all that the call has started, as soon as it runs: it may outlive this one. */
  readonly leads?: (pid: number) => void;
  /** Takes a line about how far the call is, now and then; what is not shown is lost. */
  readonly progress?: (text: string) => void;
}

/** A failure that is told to the person in these words; the turn is kept and can be tried again. */
export class AgentError extends Error {}
