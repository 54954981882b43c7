/**
 * The agent port: a turn in, a stream of events out. An agent stores no conversation: the turn contains everything that
 * it needs to know, and the events contain everything that it says.
 *
 * What holds for every agent (`agentContract` checks it):
 * - `done` is the last event and comes exactly once, unless the stream throws;
 * - each `message` is complete: the assistant's words with the results of all its tool calls. Its words were streamed
 *   as `text` before, and the words of a turn are the words of its messages;
 * - if the signal aborts, tools stop too, and the stream soon ends with a last `message` (the text so far) and `done`
 *   with `stopped`. An abort throws nothing;
 * - if the agent cannot do something, it throws an `AgentError`, whose message can be shown in the chat.
 */
import type { SessionId } from "../session/ids.js";
import type { ModelUse } from "../session/session.js";
import type { Message, ToolCall } from "../session/transcript.js";
import type { ModelRetry } from "../session/turn-facts.js";
import type { RemoteControl } from "../util/command-environment.js";

export interface Agent {
  /** A short name for the status line. */
  readonly name: string;
  /** How many tokens its model takes, for a request and its answer together; absent if the agent has no such limit. */
  readonly contextTokens?: number;
  run(turn: TurnInput): AsyncIterable<AgentEvent>;
}

export interface TurnInput {
  readonly sessionId: SessionId;
  /** Tells the agent where it is. The same for every turn of a chat. */
  readonly prompt: string;
  /**
   * Names that people gave to the chat and to themselves, for the user role, before the history. Never instructions.
   */
  readonly labels?: string;
  /** A valid window that ends with the message to answer. */
  readonly history: readonly Message[];
  readonly tools: readonly Tool[];
  /** The folder in which file tools find the files that people sent; absent if there is none. */
  readonly filesFolder?: string;
  /** The model that the session chose; absent for the agent's default. */
  readonly model?: string;
  readonly signal: AbortSignal;
  /** Awaited before each call of a model; throws an `AgentError` if the call is not allowed. */
  readonly beforeCall?: () => Promise<void>;
  /** Awaited before each request to a model: returns the messages to send, so that they fit. Must not throw. */
  readonly fit?: (draft: ModelDraft) => Promise<readonly Message[]>;
  /** Returns messages for this turn that arrived since the last call; called between steps. Must not throw. */
  readonly steer: () => readonly Message[];
}

/** A request that is about to be sent. */
export interface ModelDraft {
  /** The conversation so far: the history and what was added since. */
  readonly messages: readonly Message[];
  /** What is sent besides: the prompt, the labels and the tools. */
  readonly besides: readonly string[];
  /** How many tokens the model takes, for the request and its answer together. */
  readonly contextTokens: number;
  /** True if the model has just refused these messages as too long. */
  readonly refused: boolean;
}

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;

export type AgentEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "tool call"; readonly call: ToolCall }
  | { readonly kind: "tool result"; readonly call: ToolCall; readonly content: string }
  /** A finished step, to be stored in one transaction. */
  | { readonly kind: "message"; readonly message: AssistantMessage; readonly results: readonly ToolMessage[] }
  /**
   * The usage of a call of a model, since the last such event; the sum is the usage of the turn. No cost: it is not known.
   * `answeredBy`: the model as the answer itself names it, which may be another one than was asked for.
   */
  | ({ readonly kind: "usage"; readonly answeredBy?: string } & ModelUse)
  /** A model is asked again after a wait. Nothing was said yet. */
  | ({ readonly kind: "retry" } & ModelRetry)
  | { readonly kind: "done"; readonly stopped: boolean };

/** Something the agent can do. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * What is dangerous about a call with these arguments, so that Baton asks the person first; null or absent if nothing
   * is. Changes nothing and never fails: `run` refuses invalid arguments.
   */
  danger?(args: unknown): Danger | null | Promise<Danger | null>;
  /** Errors are results too: it throws only for a bug. Ends soon after the signal aborts. */
  run(args: unknown, context: ToolContext): Promise<string>;
}

export interface Danger {
  /** As after "This": "deletes whole folders outside the working folder". */
  readonly reason: string;
  /** Exactly what the call would do, and where. This is what the person approves. */
  readonly what: string;
  /** The variables that decide what the action really runs. What was allowed for good holds only with these. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Checks again after the approval: a folder may have been replaced in the meantime. */
  readonly isStillSo?: () => boolean | Promise<boolean>;
  /** True if only an owner of the gateway may approve, not everybody who has the tool. */
  readonly onlyOwner?: boolean;
  /** The file or folder that the call is about, with links resolved. The tool then acts on that one only. */
  readonly place?: string;
  /** What is at that place, whatever its name. If it is something else when the tool acts, the tool does nothing. */
  readonly identity?: string | null;
}

/** A command that goes on after its call. The tool has checked it; what happens to it then is not the agent's business. */
export interface BackgroundCommand {
  /** As the person sees them. */
  readonly command: string;
  readonly workdir: string;
  /** The name of the environment in which it runs. */
  readonly environment: string;
  /** What to start. No shell is added. */
  readonly file: string;
  readonly args: readonly string[];
  /** All variables that it sees. */
  readonly variables: Readonly<Record<string, string>>;
  /** A path by which another process of this machine reaches the folder; valid until the promise settles. */
  readonly cwd: string;
  /** True if `file` is a sandbox with processes of its own. */
  readonly hasOwnProcesses: boolean;
  /** True if a sandbox confines it; otherwise Baton asks before dangerous text is typed into it. */
  readonly walled: boolean;
  /** For a command that runs elsewhere; null if signals and exit codes come from `file`. */
  readonly remote: RemoteControl | null;
  /** True for a terminal of its own, as interactive programs need it. */
  readonly pty: boolean;
  /** How often new output is sent to the chat; null for never. */
  readonly checkIntervalMs: number | null;
  readonly notifyOnComplete: boolean;
  /** Baton wakes the agent when a line contains one of these texts. */
  readonly patterns: readonly string[];
}

export interface ToolContext {
  /** The call that is being run. */
  readonly call: ToolCall;
  readonly signal: AbortSignal;
  /** What was dangerous about this call, once a person has approved it. */
  readonly approved?: Danger;
  /** Called with the process that leads everything that the call started, as soon as it runs: it may outlive Baton. */
  readonly leads?: (pid: number) => void;
  /** Starts a command that goes on after the call, and returns a text for the model; absent if nothing can go on. */
  readonly background?: (command: BackgroundCommand) => Promise<string>;
  /** The files that people sent in this conversation; absent if there are none. */
  readonly files?: GivenFiles;
  /**
   * Takes what the call prints while it runs, without escape sequences; carriage returns stay. `skipped`: how many
   * characters before it are left out. Absent if nobody watches.
   */
  readonly output?: (text: string, skipped: number) => void;
}

/** A folder of files that tools may read, although it is Baton's own. */
export interface GivenFiles {
  readonly folder: string;
  /** Awaited before anything is read there: the files may not be there yet. */
  fill(): Promise<void>;
}

/** A failure whose message is shown to the person. The turn is saved and can be tried again. */
export class AgentError extends Error {
  /** True if another model may do what this one can't. */
  readonly wantsModel: boolean;

  constructor(message: string, options: ErrorOptions & { readonly wantsModel?: boolean } = {}) {
    super(message, options);
    this.wantsModel = options.wantsModel ?? false;
  }
}
