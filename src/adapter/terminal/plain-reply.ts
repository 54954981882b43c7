/** One turn in plain lines: its words as soon as a paragraph is whole, and in words what else happens. */
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import type { Clock } from "../../util/clock.js";
import { cleanLine } from "../../util/text.js";
import type { LiveQuestion, LiveReply, ReplyEnd, ToolProgress } from "../live-reply.js";
import { DimStream } from "./dim-stream.js";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import type { OpenQuestions } from "./open-questions.js";
import { retryWords } from "./retry-words.js";
import { elapsedWords } from "./running-calls.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallWords, toolResultText } from "./tool-text.js";
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

const ENDED = { done: "Done.", stopped: "Stopped.", failed: "Failed.", left: "Not finished:" } as const;

export class PlainReply implements LiveReply {
  readonly #around: PlainSurroundings;
  /** The tools that act now, and since when. */
  readonly #running = new Map<string, { readonly call: ToolCall; readonly since: number }>();
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

  toolProgress(call: ToolCall, { kind }: ToolProgress): void {
    if (kind === "started") this.#running.set(call.id, { call, since: this.#around.clock() });
  }

  toolResult(call: ToolCall, content: string): void {
    this.#finish();
    const since = this.#running.get(call.id)?.since;
    this.#running.delete(call.id);
    const took = since === undefined ? "" : elapsedWords(this.#around.clock() - since);
    const [first = "", ...more] = toolResultText(content);
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

  /** What still runs, and for how long. */
  get running(): readonly string[] {
    const now = this.#around.clock();
    return [...this.#running.values()].map(
      ({ call, since }) => `${toolCallWords(call)}, ${elapsedWords(now - since)}`,
    );
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

/** The model that answered, and what the turn used. */
function factWords(facts: TurnFacts | undefined): string {
  if (!facts) return "";
  const { totalTokens, cost } = facts.usage;
  const used = totalTokens > 0 ? { tokens: totalTokens, cost: cost ?? 0 } : {}; // The server has not said what it took.
  const words = usedWords({ agent: facts.model ?? facts.asked, ...used }, null);
  return cleanLine(words.filter((word) => word !== "").join(", "));
}
