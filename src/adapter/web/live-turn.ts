/**
 * A turn as the page shows it while it runs. What holds: whoever reads a snapshot and then every event after it has what
 * the turn has said so far and is not in the transcript yet. Words and output come in events of their own, but not more
 * often than a person can see.
 */
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import type { Clock } from "../../util/clock.js";
import type { Later } from "../../util/later.js";
import type { LiveQuestion, LiveReply, ReplyEnd, ToolProgress } from "../live-reply.js";
import type { WireCall, WireEvent, WireTurn } from "./wire.js";

export interface LiveTurnSetting {
  readonly id: string;
  readonly thread: string | null;
  readonly clock: Clock;
  readonly later: Later;
  readonly tell: (event: WireEvent) => void;
  /** It is over, and told. */
  readonly onOver: () => void;
}

type WireDelta = Extract<WireEvent, { readonly kind: "text" | "reasoning" | "output" }>;

const PACE_MS = 30;
/** What is shown of what a call prints. */
const MOST_OUTPUT = 16 * 1024;
const MOST_RESULT = 64 * 1024;
const MOST_WORDS = 1_000_000;

export class LiveTurn implements LiveReply {
  readonly #setting: LiveTurnSetting;
  readonly #startedAt: number;
  #text = "";
  #reasoning = "";
  readonly #calls = new Map<string, WireCall>();
  #retry: WireTurn["retry"] = null;
  readonly #asking = new Set<string>();
  #untold: WireDelta[] = [];
  /** Set while it is too soon to tell more. */
  #pacing: (() => void) | null = null;
  #isOver = false;

  constructor(setting: LiveTurnSetting) {
    this.#setting = setting;
    this.#startedAt = setting.clock();
  }

  get thread(): string | null {
    return this.#setting.thread;
  }

  /** As it is now. What was not told yet is told before. */
  snapshot(): WireTurn {
    this.#flush();
    return {
      id: this.#setting.id,
      thread: this.#setting.thread,
      startedAt: this.#startedAt,
      text: this.#text,
      reasoning: this.#reasoning,
      calls: [...this.#calls.values()],
      retry: this.#retry,
      isAsking: this.#asking.size > 0,
    };
  }

  /** Tells all of it. */
  show(): void {
    const turn = this.snapshot();
    if (!this.#isOver) this.#setting.tell({ kind: "turn", turn });
  }

  text(delta: string): void {
    this.#goOn();
    this.#text = endOf(this.#text + delta, MOST_WORDS);
    this.#soon({ kind: "text", turn: this.#setting.id, delta });
  }

  reasoning(delta: string): void {
    this.#goOn();
    this.#reasoning = endOf(this.#reasoning + delta, MOST_WORDS);
    this.#soon({ kind: "reasoning", turn: this.#setting.id, delta });
  }

  toolCall({ id, name, arguments: given }: ToolCall): void {
    this.#goOn();
    const shown = beginningOf(given, MOST_RESULT);
    this.#call({ id, name, arguments: shown, state: "planned", output: "", result: null });
  }

  toolProgress({ id }: ToolCall, progress: ToolProgress): void {
    const call = this.#calls.get(id);
    if (!call || call.state === "done") return; // A tool that was given up may go on.
    if (progress.kind === "started") this.#call({ ...call, state: "running" });
    if (progress.kind !== "output" || progress.text === "") return;
    this.#calls.set(id, { ...call, output: endOf(call.output + progress.text, MOST_OUTPUT) });
    const { text, skipped } = progress;
    this.#soon({ kind: "output", turn: this.#setting.id, call: id, text, skipped });
  }

  toolResult({ id, name, arguments: given }: ToolCall, content: string): void {
    const call = this.#calls.get(id) ?? { id, name, arguments: beginningOf(given, MOST_RESULT), output: "" };
    this.#call({ ...call, state: "done", result: beginningOf(content, MOST_RESULT) });
  }

  asked({ deliveryId }: LiveQuestion): void {
    this.#asking.add(deliveryId);
    this.show();
  }

  answered({ deliveryId }: LiveQuestion): void {
    if (this.#asking.delete(deliveryId)) this.show();
  }

  retry({ reason, waitMs, attempt }: ModelRetry): void {
    this.#retry = { reason, until: this.#setting.clock() + waitMs, attempt };
    this.show();
  }

  saved(): void {
    if (this.#isOver) return;
    this.#flush();
    this.#text = "";
    this.#reasoning = "";
    this.#calls.clear();
    this.show();
  }

  end(outcome: ReplyEnd, facts?: TurnFacts): void {
    if (this.#isOver) return;
    this.#flush();
    this.#isOver = true;
    this.#pacing?.();
    this.#setting.onOver();
    this.#setting.tell({
      kind: "end",
      turn: this.#setting.id,
      thread: this.#setting.thread,
      outcome,
      error: facts?.error ?? null,
      model: facts?.model ?? null,
      tokens: facts?.usage.totalTokens ?? 0,
      cost: facts?.usage.cost ?? null,
    });
  }

  /** What comes next ends the wait for a model. */
  #goOn(): void {
    if (this.#retry === null) return;
    this.#retry = null;
    this.show();
  }

  #call(call: WireCall): void {
    if (this.#isOver) return;
    this.#flush();
    this.#calls.set(call.id, call);
    this.#setting.tell({ kind: "call", turn: this.#setting.id, call });
  }

  /** At once if nothing was told just now, else with what comes until then. */
  #soon(delta: WireDelta): void {
    if (this.#isOver) return;
    const last = this.#untold.at(-1);
    const joined = last && together(last, delta);
    if (joined) this.#untold[this.#untold.length - 1] = joined;
    else this.#untold.push(delta);
    if (this.#pacing) return;
    this.#flush();
    this.#pace();
  }

  #pace(): void {
    this.#pacing = this.#setting.later(() => {
      this.#pacing = null;
      if (this.#untold.length === 0 || this.#isOver) return;
      this.#flush();
      this.#pace();
    }, PACE_MS);
  }

  #flush(): void {
    const untold = this.#untold;
    this.#untold = [];
    for (const delta of untold) this.#setting.tell(delta);
  }
}

/** Two events as one; null if they are about different things. */
function together(one: WireDelta, next: WireDelta): WireDelta | null {
  if (one.kind === "output") {
    if (next.kind !== "output" || next.call !== one.call || next.skipped > 0) return null;
    const all = one.text + next.text;
    const text = endOf(all, MOST_OUTPUT);
    return { ...one, text, skipped: one.skipped + all.length - text.length };
  }
  return next.kind === one.kind ? { ...one, delta: one.delta + next.delta } : null;
}

function endOf(text: string, most: number): string {
  return text.length > most ? text.slice(-most).replace(/^[\udc00-\udfff]/, "") : text;
}

function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
