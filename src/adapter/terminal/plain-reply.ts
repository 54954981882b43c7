/** One turn in plain lines: its words as soon as a paragraph is whole, and in words what else happens. */
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import type { Clock } from "../../util/clock.js";
import { cleanLine } from "../../util/text.js";
import type { LiveQuestion, LiveReply, ReplyEnd, ToolProgress } from "../live-reply.js";
import { DimStream } from "./dim-stream.js";
import { foldedLines } from "./folded-results.js";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import type { OpenQuestions } from "./open-questions.js";
import { retryWords } from "./retry-words.js";
import { RunningCalls } from "./running-calls.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallWords } from "./tool-text.js";
import { usedWords } from "./used-words.js";

interface PlainSurroundings {
  readonly look: () => ScreenLook;
  readonly write: (rows: readonly ScreenRow[]) => void;
  readonly say: (words: string) => void;
  readonly questions: OpenQuestions;
  /** A question is over. */
  readonly onQuestions: () => void;
  /** Who continues an answer that this process leaves, in words. */
  readonly heir: () => string;
  readonly onEnd: (reply: PlainReply) => void;
  readonly clock: Clock;
}

const WHOLE = "`baton sessions export` has all";
const ENDED = { done: "Done.", stopped: "Stopped.", failed: "Failed.", left: "Not finished:" } as const;

export class PlainReply implements LiveReply {
  readonly #around: PlainSurroundings;
  readonly #running = new RunningCalls();
  #stream: MarkdownStream | DimStream | null = null;
  #isOver = false;

  constructor(around: PlainSurroundings) {
    this.#around = around;
  }

  text(delta: string): void {
    this.#append(MarkdownStream, delta);
  }

  reasoning(delta: string): void {
    this.#append(DimStream, delta);
  }

  toolCall(call: ToolCall): void {
    this.#finish();
    this.#around.say(`Tool: ${toolCallWords(call)}`);
  }

  toolProgress(call: ToolCall, progress: ToolProgress): void {
    if (!this.#isOver) this.#running.take(call, progress, this.#around.clock()); // A tool that was given up may go on.
  }

  toolResult(call: ToolCall, content: string): void {
    this.#finish();
    const took = this.#running.forget(call, this.#around.clock());
    const [first = "(no output)", ...more] = foldedLines(content, WHOLE).lines;
    this.#around.say([`Result${took === "" ? "" : ` after ${took}`}: ${first}`, ...more].join("\n"));
  }

  asked(question: LiveQuestion): void {
    this.#around.questions.ask(question);
  }

  answered(question: LiveQuestion, why: string): void {
    const wasOpen = this.#around.questions.close(question);
    if (wasOpen && why !== "" && !this.#isOver) this.#around.say(why);
    this.#around.onQuestions();
  }

  retry(retry: ModelRetry): void {
    this.#finish();
    this.#around.say(`${cleanLine(retryWords(retry, retry.waitMs))}.`);
  }

  end(outcome: ReplyEnd, facts?: TurnFacts): void {
    if (this.#isOver) return;
    this.#finish();
    this.#isOver = true;
    const more = outcome === "left" ? `${this.#around.heir()}.` : factWords(facts);
    this.#around.say([ENDED[outcome], more].join(" ").trim());
    this.#around.onEnd(this);
  }

  /** What still runs, for how long, and what it printed last. */
  get running(): readonly string[] {
    return this.#running.words(this.#around.clock());
  }

  #append(Kind: typeof MarkdownStream | typeof DimStream, delta: string): void {
    if (delta === "" || this.#isOver) return;
    if (!(this.#stream instanceof Kind)) {
      this.#finish();
      this.#stream = new Kind();
      if (Kind === DimStream) this.#around.write([[span("Thinking:")]]);
    }
    this.#stream.push(delta);
    this.#around.write(this.#stream.take(this.#around.look()));
  }

  #finish(): void {
    const stream = this.#stream;
    this.#stream = null;
    if (stream) this.#around.write(stream.end(this.#around.look()));
  }
}

/** The model that answered, what the session used so far, and what of that the turn added. */
function factWords(facts: TurnFacts | undefined): string {
  if (!facts) return "";
  const { asked: agent, session, usage } = facts;
  const used = usage.totalTokens > 0 ? session : {}; // Else the server has not said what it took.
  const words = usedWords({ agent, ...used }, facts);
  return cleanLine(words.filter((word) => word !== "").join(", "));
}
