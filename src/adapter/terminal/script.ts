/**
 * The terminal without a person at it: one text in, its answer out. The answer goes to stdout and nothing else does;
 * tools, thoughts and notices go to stderr, and so does what an earlier process left to be answered. An answer is over
 * when its turn is; a command's, when it was answered, and then when the turn or the handoff is that it asked for.
 */
import type { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import type { SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { type Address, localSource, type SessionSource } from "../../session/source.js";
import type { TurnFacts } from "../../session/turn-facts.js";
import { printableText } from "../../util/text.js";
import { written } from "../../util/written.js";
import type { Adapter, Capabilities, Letter, Line, RemoteFile, Speaker } from "../adapter.js";
import { ended } from "../ended.js";
import type { LiveReply, ReplyEnd } from "../live-reply.js";
import { KeyedQuestions } from "./keyed-questions.js";
import { laterThanKeys } from "./keys-read.js";
import { jsonOutput } from "./script-json.js";
import { type ScriptOutcome, type ScriptOutput, textOutput } from "./script-output.js";
import {
  inbound,
  pathOf,
  pressed,
  type TakenFor,
  TERMINAL_CAPABILITIES,
  terminalAccount,
} from "./terminal-source.js";

export interface ScriptOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** One JSON event a line on stdout, instead of the answer's text. */
  readonly json: boolean;
  /** What a person sees of the answer who looks at stderr; without it, nobody does. */
  readonly watched?: (output: ScriptOutput) => ScriptOutput;
  /** Where it is: the lane of a plain `baton` unless told. */
  readonly source?: SessionSource;
  /** The session that the script is for, if it named one. */
  readonly session?: () => SessionId | null;
  /** The terminal of the person who waits for the answer; without it, nobody can be asked. */
  readonly keyboard?: ReadStream;
}

interface ScriptQuestion {
  readonly messageId: string;
  readonly isCommand: boolean;
  readonly answered: () => void;
}

export class ScriptAdapter implements Adapter, Speaker {
  readonly platform = LOCAL;
  readonly account: string;
  readonly capabilities: Capabilities;
  readonly #options: ScriptOptions;
  readonly #output: ScriptOutput;
  readonly #source: SessionSource;
  readonly #keys: KeyedQuestions | null;
  #line: Line | null = null;
  #question: ScriptQuestion | null = null;
  #isAnswered = false;
  #outcome: ScriptOutcome = "stopped";
  /** Of the last turn that belongs to the answer. */
  #facts: TurnFacts | null = null;
  #error: string | null = null;

  constructor(options: ScriptOptions) {
    this.#options = options;
    this.#source = options.source ?? localSource();
    this.account = terminalAccount(this.#source);
    const { keyboard, stderr } = options;
    this.capabilities = { ...TERMINAL_CAPABILITIES, isUnattended: true, keys: keyboard !== undefined };
    this.#keys = keyboard
      ? new KeyedQuestions({
          ...{ input: keyboard, stderr, later: laterThanKeys },
          press: (command) => this.#press(command),
          onStop: () => process.kill(process.pid, "SIGINT"),
        })
      : null;
    const { stdout, json, watched = (output) => output } = options;
    this.#output = json ? jsonOutput(stdout) : watched(textOutput(stdout, stderr));
  }

  async serve(line: Line): Promise<void> {
    this.#line = line;
    line.up(this);
    await ended(line.end);
    this.#keys?.close();
    if (!this.#isAnswered) this.finish("stopped");
    this.#line = null;
  }

  /**
   * Submits a text and waits until its answer is over and written; a failure to accept it is thrown. One at a time.
   * `rest`, once a command was answered or a message was taken, waits until nothing more comes of it.
   */
  async ask(
    text: string,
    as: TakenFor,
    files: readonly RemoteFile[] = [],
    rest?: () => Promise<void>,
  ): Promise<ScriptOutcome> {
    if (!this.#line) throw new Error("Nobody receives what is asked: connect first.");
    if (this.#question) throw new Error("The last question is not answered yet: ask one at a time.");
    const { kind, ...message } = inbound(text, as, this.#source, files, this.#options.session?.() ?? null);
    this.#isAnswered = false;
    this.#outcome = "stopped";
    this.#facts = null;
    this.#error = null;
    const answered = new Promise<void>((resolve) => {
      this.#question = { messageId: message.messageId, isCommand: kind === "command", answered: resolve };
    });
    try {
      const received = await this.#line.receive({ kind, ...message });
      if (received === "refused") this.finish("refused");
      if (kind === "command" || !rest) await answered;
      await rest?.();
      this.#output.done(this.#outcome, this.#facts, this.#error);
      await Promise.all([written(this.#options.stdout), written(this.#options.stderr)]);
      return this.#outcome;
    } finally {
      this.#question = null;
    }
  }

  /** Ends the answer from outside: the gateway knows that nothing more will come. `error`: why, if it is known. */
  finish(outcome: ScriptOutcome, error: string | null = null): void {
    if (!this.#question) return;
    this.#error = error;
    this.#outcome = outcome;
    this.#isAnswered = true;
    this.#output.ended(outcome);
    this.#question.answered();
  }

  /** What a command says is the answer, and so are files; what else is sent beside it or a turn is a notice. */
  async send({ purpose, text, files = [], deliveryId }: Letter): Promise<{ readonly messageId: string }> {
    if (files.length > 0 && this.#question) {
      if (text !== "") this.#output.message(text);
      for (const file of files) this.#output.file(file);
    } else if (this.#question?.isCommand && !this.#isAnswered && purpose === "command") {
      this.#output.message(text);
      this.finish("done");
    } else if (this.#question?.isCommand && purpose === "outcome") {
      this.#output.message(text);
    } else {
      this.#keys?.pause();
      const words = [text, ...files.map(pathOf)].filter((line) => line !== "").join("\n");
      this.#output.notice(words);
      if (this.#options.json && this.#keys?.has(deliveryId))
        this.#options.stderr.write(`${printableText(words)}\n`);
      this.#keys?.printed(deliveryId);
    }
    return { messageId: deliveryId };
  }

  /** Something beside the answer that nobody sends. */
  notice(text: string): void {
    this.#output.notice(text);
  }

  live(_address: Address, messageId: string | null): LiveReply {
    const question = this.#question;
    const isOurs = question && (question.isCommand ? messageId === null : messageId === question.messageId);
    return isOurs ? this.#answer() : this.#aside();
  }

  async #press(command: string): Promise<boolean> {
    try {
      return (await this.#line?.receive(pressed(command, this.#source))) === "accepted";
    } catch (error) {
      this.notice(`Not accepted: ${(error as Error).message} The question still waits.`);
      return false;
    }
  }

  #answer(): LiveReply {
    const output = this.#output;
    let isOver = false;
    return {
      text: (delta) => output.text(delta),
      reasoning: (delta) => output.reasoning(delta),
      toolCall: (call) => output.toolCall(call),
      toolProgress: (call, progress) => output.toolProgress?.(call, progress),
      toolResult: (call, content) => output.toolResult(call, content),
      retry: (retry) => output.retry(retry),
      ...this.#asking(),
      end: (outcome, facts) => {
        if (isOver) return;
        isOver = true;
        this.#facts = facts ?? null;
        this.finish(outcomeOf(outcome));
      },
    };
  }

  #asking(): Pick<LiveReply, "asked" | "answered"> {
    const keys = this.#keys;
    const output = this.#output;
    if (!keys) return {};
    return {
      asked: (question) => {
        output.asked?.(question);
        keys.asked(question);
      },
      answered: (question, why) => {
        keys.answered(question, why);
        output.answered?.(question, why);
      },
    };
  }

  /** Of a turn that answers somebody else: its words, once they are whole. */
  #aside(): LiveReply {
    let words = "";
    return {
      text: (delta) => {
        words += delta;
      },
      reasoning: () => {},
      toolCall: () => {},
      toolResult: () => {},
      ...this.#asking(),
      end: (outcome, facts) => {
        if (words !== "") this.#output.notice(words);
        words = "";
        if (this.#isAnswered) return;
        // Unless an answer follows, the message went into this turn.
        this.#outcome = outcomeOf(outcome);
        this.#facts = facts ?? null;
      },
    };
  }
}

/** A script does not leave an answer to others: for it, that has stopped. */
function outcomeOf(end: ReplyEnd): ScriptOutcome {
  return end === "left" ? "stopped" : end;
}
