/** What a script sees of an answer: its words on stdout, as they come and as they were written; the rest on stderr. */
import type { Writable } from "node:stream";
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import { PrintableStream } from "../../util/printable-stream.js";
import { printableText } from "../../util/text.js";
import type { LocalFile } from "../adapter.js";
import type { LiveReply, ReplyEnd } from "../live-reply.js";
import { retryWords } from "./retry-words.js";
import { pathOf } from "./terminal-source.js";
import { toolCallText, toolResultText } from "./tool-text.js";

export type ScriptOutcome = Exclude<ReplyEnd, "left"> | "refused";

export interface ScriptOutput extends Omit<LiveReply, "end"> {
  retry(retry: ModelRetry): void;
  /** A whole text that is the answer. */
  message(text: string): void;
  /** A file that belongs to the answer: where it is. */
  file(file: LocalFile): void;
  /** A text beside the answer. */
  notice(text: string): void;
  /** What comes next begins a line. */
  endLine(): void;
  /** An answer is over; what is said beside it, and another one that a command asked for, may follow. */
  ended(outcome: ScriptOutcome): void;
  /** Nothing more comes. `facts`: of the turn that answered; null if none did. `error`: why there is no answer, if known. */
  done(outcome: ScriptOutcome, facts: TurnFacts | null, error: string | null): void;
}

/** Why there is no whole answer, in general. */
export const UNFINISHED: Readonly<Record<Exclude<ScriptOutcome, "done">, string>> = {
  failed: "The model failed before finishing its answer.",
  stopped: "The answer was stopped before it was finished.",
  refused: "Baton did not accept the message.",
};

const SAID: Readonly<Record<ScriptOutcome, string>> = {
  done: "",
  stopped: "■ stopped",
  failed: "✗ failed",
  refused: "✗ refused: you may not write here",
};

export function textOutput(stdout: Writable, stderr: Writable): ScriptOutput {
  const words = new LineOutput(stdout);
  const thoughts = new LineOutput(stderr);
  let isRead = true;
  stdout.once("error", () => {
    isRead = false; // As with `| head -1`: then it ends as quietly as any other program.
  });
  const aside = (text: string) => {
    words.end();
    thoughts.end();
    if (text !== "") stderr.write(`${text}\n`);
  };
  return {
    text: (delta) => {
      thoughts.end();
      words.push(delta);
    },
    reasoning: (delta) => {
      words.end();
      thoughts.push(delta);
    },
    toolCall: (call: ToolCall) => aside(toolCallText(call)),
    toolResult: (_call, content) => aside(toolResultText(content).join("\n")),
    retry: (retry) => aside(printableText(`${retryWords(retry, retry.waitMs)}.`)),
    message: (text) => {
      words.push(text);
      words.end();
    },
    file: (file) => {
      words.end();
      words.push(pathOf(file));
      words.end();
    },
    notice: (text) => aside(printableText(text)),
    endLine: () => aside(""),
    ended: (outcome) => aside(isRead ? SAID[outcome] : ""),
    done: () => {},
  };
}

/** Text that streams, and ends with a line break whenever something else follows. */
class LineOutput {
  readonly #output: Writable;
  #printable = new PrintableStream();
  #isOpen = false;

  constructor(output: Writable) {
    this.#output = output;
  }

  push(delta: string): void {
    this.#write(this.#printable.push(delta));
  }

  end(): void {
    this.#write(this.#printable.end());
    if (this.#isOpen) this.#write("\n");
  }

  #write(text: string): void {
    if (text === "") return;
    this.#output.write(text);
    this.#isOpen = !text.endsWith("\n");
  }
}
