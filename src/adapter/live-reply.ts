/** How a surface shows a turn while it happens, if it can do better than sends and edits. */
import type { ToolCall } from "../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../session/turn-facts.js";

/** A turn as it happens. Calls come in order; none throws. What is optional, a surface need not show. */
export interface LiveReply {
  text(delta: string): void;
  reasoning(delta: string): void;
  toolCall(call: ToolCall): void;
  /** How a call gets on: only between its `toolCall` and its `toolResult`. */
  toolProgress?(call: ToolCall, progress: ToolProgress): void;
  toolResult(call: ToolCall, content: string): void;
  /** The turn waits for a person's answer to this question, which a letter shows a moment later. */
  asked?(question: LiveQuestion): void;
  /** It does no longer: somebody answered it, or nobody did, and `why` says why. */
  answered?(question: LiveQuestion, why: string): void;
  /** The model is asked again after a wait; what comes next ends it. */
  retry?(retry: ModelRetry): void;
  /** Everything that was shown so far is in the transcript now. */
  saved?(): void;
  /** The turn is over; what was shown as text need not be sent again. */
  end(outcome: ReplyEnd, facts?: TurnFacts): void;
}

/** `left`: this process does not finish it, and another one continues. */
export type ReplyEnd = "done" | "stopped" | "failed" | "left";

/** A question before a dangerous call, for surfaces on which a key answers it. */
export interface LiveQuestion {
  /** The letter that shows it: before that, nobody can have read it. */
  readonly deliveryId: string;
  /** What people say to mean this one, as in `yes 2`. */
  readonly number: number;
  /** What would be done, with nothing hidden in it. */
  readonly what: string;
  /** The command that each word means, as in `yes` → `/approve 15`. The first letter of a word is its key. */
  readonly answers: Readonly<Record<string, string>>;
}

/** What tools tell of themselves while a turn runs. */
export type ToolWatch = Pick<LiveReply, "toolProgress" | "asked" | "answered">;

export type ToolProgress =
  /** It acts now: it was approved, if it had to be. */
  | { readonly kind: "started" }
  /**
   * Output as it comes, without escape sequences; a carriage return means that its line is written again. `skipped`: how
   * many characters before it are left out, because they came too fast to be read.
   */
  | { readonly kind: "output"; readonly text: string; readonly skipped: number }
  | { readonly kind: "ended" };
