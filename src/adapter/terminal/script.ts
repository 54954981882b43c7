/**
 * The terminal without a person at it: one text in, its answer out. The answer goes to stdout and nothing else does;
 * tools, thoughts and notices go to stderr. An answer is over when its turn is; a command's, when it was answered, and
 * then when the turn is that it asked for.
 */
import type { Readable, Writable } from "node:stream";
import { LOCAL } from "../../session/platform.js";
import type { SessionSource } from "../../session/source.js";
import { printableText } from "../../util/text.js";
import { written } from "../../util/written.js";
import {
  type Adapter,
  type LiveReply,
  type OutboundMessage,
  type Receive,
  type RemoteFile,
  SendError,
} from "../adapter.js";
import { jsonOutput } from "./script-json.js";
import { type ScriptOutcome, type ScriptOutput, textOutput } from "./script-output.js";
import { inbound, TERMINAL_ACCOUNT, TERMINAL_CAPABILITIES, terminalSource } from "./terminal-source.js";

export interface ScriptOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** One JSON event a line on stdout, instead of the answer's text. */
  readonly json: boolean;
  /** Another chat than the usual `cli`. */
  readonly chatId?: string;
}

interface Question {
  readonly isCommand: boolean;
  readonly resolve: (outcome: ScriptOutcome) => void;
}

export class ScriptAdapter implements Adapter {
  readonly platform = LOCAL;
  readonly account = TERMINAL_ACCOUNT;
  readonly capabilities = TERMINAL_CAPABILITIES;
  readonly isUnattended = true;
  readonly #options: ScriptOptions;
  readonly #source: SessionSource;
  readonly #output: ScriptOutput;
  #receive: Receive | null = null;
  #question: Question | null = null;
  #running = 0;
  #outcome: ScriptOutcome = "done";

  constructor(options: ScriptOptions) {
    this.#options = options;
    this.#source = terminalSource(options.chatId);
    this.#output = options.json ? jsonOutput(options.stdout) : textOutput(options.stdout, options.stderr);
  }

  async connect(receive: Receive): Promise<void> {
    this.#receive = receive;
  }

  /** Submits a text and waits until its answer is over and written; a failure to accept it is thrown. One at a time. */
  async ask(text: string, files: readonly RemoteFile[] = []): Promise<ScriptOutcome> {
    if (!this.#receive) throw new Error("Nobody receives what is asked: connect first.");
    if (this.#question) throw new Error("The last question is not answered yet: ask one at a time.");
    const message = inbound(text, this.#source, files);
    const answered = new Promise<ScriptOutcome>((resolve) => {
      this.#question = { isCommand: message.kind === "command", resolve };
    });
    try {
      const received = await this.#receive(message);
      if (received === "refused") this.finish("refused");
      const outcome = await answered;
      await this.#written();
      return outcome;
    } finally {
      this.#question = null;
    }
  }

  /** Ends the answer from outside: the gateway knows that nothing more will come. */
  finish(outcome: ScriptOutcome): void {
    if (this.#question) this.#end(outcome);
  }

  /** Nothing more comes: says so, and how the last answer ended. */
  async over(): Promise<ScriptOutcome> {
    this.#output.done(this.#outcome);
    await this.#written();
    return this.#outcome;
  }

  /** What a command is answered is the answer; what is sent beside a turn is a notice. */
  async send({ text, deliveryId }: OutboundMessage): Promise<{ readonly messageId: string }> {
    if (!this.#receive) throw new SendError("retryable", "The script is over.");
    if (this.#question?.isCommand && this.#running === 0) {
      this.#output.message(text);
      this.finish("done");
    } else {
      this.#output.notice(text);
    }
    return { messageId: deliveryId };
  }

  live(): LiveReply {
    this.#running += 1;
    const output = this.#output;
    let isOver = false;
    return {
      text: (delta) => output.text(delta),
      reasoning: (delta) => output.reasoning(delta),
      toolCall: (call) => output.toolCall(call),
      toolResult: (call, content) => output.toolResult(call, content),
      end: (outcome) => {
        if (isOver) return;
        isOver = true;
        this.#running -= 1;
        this.#end(outcome);
      },
    };
  }

  async disconnect(): Promise<void> {
    this.finish("stopped");
    this.#receive = null;
  }

  #end(outcome: ScriptOutcome): void {
    const question = this.#question;
    this.#question = null;
    this.#outcome = outcome;
    this.#output.ended(outcome);
    question?.resolve(outcome);
  }

  async #written(): Promise<void> {
    await Promise.all([written(this.#options.stdout), written(this.#options.stderr)]);
  }
}

/** All of a pipe, as the text that somebody could have typed. */
export async function readPiped(input: Readable): Promise<string> {
  input.setEncoding("utf8");
  let text = "";
  for await (const piece of input) text += piece;
  return printableText(text).trim();
}
