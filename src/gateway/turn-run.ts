/**
 * One turn, from its beginning to its end. The agent gets context and history, its events are shown as they come, and
 * each finished step is stored. The turn ends when the agent is done, when it is stopped, or when its time is over. An
 * agent or a tool that does not stop then is abandoned, and the turn's fence keeps it from writing.
 */
import type { LiveReply } from "../adapter/live-reply.js";
import { type Agent, AgentError, type AgentEvent, type ModelDraft, type Tool } from "../agent/agent.js";
import { withSender } from "../session/sender.js";
import type { ModelUse } from "../session/session.js";
import type { Message, ToolCall } from "../session/transcript.js";
import type { Clock } from "../util/clock.js";
import { mapInTurns } from "../util/in-turns.js";
import type { OnProblem } from "../util/problem.js";
import { timerMs } from "../util/timer-ms.js";
import { type Whereabouts, withCure } from "./cure.js";
import type { Fitter } from "./memory/fitter.js";
import { Renewal } from "./renewal.js";
import type { InboxItem, StopWish, ToolJournal, Turn, TurnEnd, TurnStep, Turns } from "./store.js";
import { type SessionUse, TurnAccount } from "./turn-account.js";
import { NO_ANSWER, type RepliesSetting, TurnReplies } from "./turn-replies.js";
import { unfinishedMessages } from "./unfinished-step.js";

export interface TurnSetting extends RepliesSetting, Whereabouts {
  readonly agent: Agent;
  readonly turns: Turns;
  readonly journal: ToolJournal;
  /**
   * Guarded: the journal has each call while it runs. Called once, when the turn begins; must not take long. `unread` is
   * aborted while a person's message waits that the agent has not read.
   */
  readonly tools: (unread: () => AbortSignal) => Promise<readonly Tool[]>;
  readonly prompt: string;
  readonly labels: string | null;
  /** Where file tools find the files that people sent. */
  readonly filesFolder?: string;
  readonly history: readonly Message[];
  /** The model that the session asks for, if it does. */
  readonly model?: string;
  /** What the session had used when the turn began. */
  readonly before: SessionUse;
  /** Awaited before each call of a model. */
  readonly beforeCall: () => Promise<void>;
  /** Awaited if a request became shorter after that: a summary may have used up a limit. */
  readonly afterSummary: () => Promise<void>;
  /** Keeps the requests within the model's window; null if the agent has none. */
  readonly fitter: Pick<Fitter, "fit" | "used"> | null;
  /** True if several people speak in the session: the agent reads their messages as `[name #id role] text`. */
  readonly shared: boolean;
  /** Cuts a long answer into pieces in advance, letting other work run meanwhile. */
  readonly cut: (text: string) => Promise<void>;
  readonly clock: Clock;
  readonly elapsed: () => number;
  readonly leaseMs: number;
  readonly deadlineMs: number;
  readonly onProblem: OnProblem;
}

/** Why a turn is ended from outside. `parked`: this process stops, and the next one continues. */
export type StopReason = StopWish | "deadline" | "parked";

/** The reason may contain internals, so the chat does not show it. */
export const WENT_WRONG =
  "Something went wrong on my side. The person who runs me can see what with `baton logs`.";

/** How long an agent may take to stop after it was told to. */
const GRACE_MS = 150;

export type TurnOutcome = TurnEnd | "interrupted" | "lost" | "released";

/** A message that came in meanwhile: as the inbox has it, as the transcript keeps it, and as the agent reads it. */
interface Steering {
  readonly item: InboxItem;
  readonly message: Message;
  readonly given: Message;
}

export class TurnRun {
  readonly turn: Turn;
  /** When this process began to answer. */
  readonly startedAt: number;
  readonly #setting: TurnSetting;
  readonly #replies: TurnReplies;
  readonly #account: TurnAccount;
  readonly #abort = new AbortController();
  readonly #halted: Promise<"halted">;
  #halt: (value: "halted") => void = () => {};
  #reason: StopReason | undefined;
  #lost = false;
  #steering: Steering[] = [];
  #unread = new AbortController();
  #isAwaited = false;
  /** True after a limit refused a call of the model. */
  #isRefused = false;
  /** What the agent said and did since its last complete message. */
  #text = "";
  #calls: ToolCall[] = [];
  #results = new Map<string, string>();
  /** Complete messages that are not stored yet, in order. The last one may be the last of the turn. */
  #whole: Message[] = [];
  /** Messages that the agent has read meanwhile; they are stored with the next step. */
  #steeredIn: Steering[] = [];
  /** What the model used since the last step that was stored. */
  #uses: ModelUse[] = [];

  constructor(turn: Turn, setting: TurnSetting) {
    this.turn = turn;
    this.startedAt = setting.clock();
    this.#setting = setting;
    this.#replies = new TurnReplies(turn, setting);
    this.#account = new TurnAccount(turn.sessionId, setting.model ?? setting.agent.name, setting.before);
    this.#halted = new Promise((resolve) => {
      this.#halt = resolve;
    });
  }

  /** Ends the turn soon. */
  stop(reason: StopReason): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#abort.abort();
    setTimeout(() => this.#halt("halted"), GRACE_MS).unref();
  }

  /** Passes a message that came in meanwhile to the running turn. */
  steer(item: InboxItem, message: Message): void {
    this.#steering.push({ item, message, given: this.#setting.shared ? withSender(message) : message });
    this.#unread.abort();
  }

  /** Somebody's message waits until this turn is over. */
  personWrote(): void {
    this.#isAwaited = true;
    this.#unread.abort();
  }

  /** True if this message shows its answer while it is written. */
  shows(messageId: string): boolean {
    return this.#setting.stream?.shows(messageId) === true;
  }

  /** Messages for this turn that it has not stored yet. */
  get unsteered(): readonly InboxItem[] {
    return [...this.#steeredIn, ...this.#steering].map(({ item }) => item);
  }

  /** Those that the agent has not read. */
  get unread(): readonly InboxItem[] {
    return this.#steering.map(({ item }) => item);
  }

  async run(): Promise<TurnOutcome> {
    const { clock, leaseMs, deadlineMs, turns } = this.#setting;
    const lease = new Renewal(leaseMs, this.#setting.elapsed);
    const beat = setInterval(
      async () => {
        const renewed = await lease.ask(() => turns.renew(this.turn, leaseMs, clock()));
        if (renewed instanceof Error) {
          if (lease.isOver) this.#lose(); // A busy store does not mean that the lease is lost.
        } else if (renewed === "lost") this.#lose();
        else if (renewed !== "held") this.stop(renewed);
      },
      timerMs(leaseMs / 3),
    );
    const deadline = setTimeout(() => this.stop("deadline"), timerMs(deadlineMs));
    try {
      const outcome = await this.#converse();
      const isLeft = outcome === "lost" || outcome === "released";
      const shown = outcome === "done" || outcome === "failed" ? outcome : "stopped";
      this.#live?.end(isLeft ? "left" : shown, this.#account.facts);
      if (outcome === "released") await this.#setting.stream?.isGone; // This process is about to end.
      return outcome;
    } finally {
      this.#setting.stream?.end();
      clearInterval(beat);
      clearTimeout(deadline);
    }
  }

  get #live(): LiveReply | undefined {
    return this.#setting.live ?? this.#setting.stream;
  }

  async #converse(): Promise<TurnOutcome> {
    try {
      const events = await this.#begin();
      while (events) {
        const next = events.next();
        next.catch(() => {}); // If the turn is halted meanwhile, nobody waits for it any more.
        const result = await Promise.race([next, this.#halted]);
        if (result === "halted" || result.done) break;
        await this.#take(result.value);
        if (this.#lost) return "lost";
        if (result.value.kind === "done") break;
      }
    } catch (error) {
      if (!this.#reason && !this.#lost) return this.#fail(error);
    }
    return this.#end();
  }

  /** What the agent says and does, as it comes; null if the turn was ended before. */
  async #begin(): Promise<AsyncIterator<AgentEvent> | null> {
    const { agent, prompt, labels, filesFolder, history, shared, model, fitter } = this.#setting;
    const tools = await Promise.race([this.#setting.tools(() => this.#unread.signal), this.#halted]);
    if (tools === "halted") return null;
    const given = shared ? await Promise.race([mapInTurns(history, withSender), this.#halted]) : history;
    if (given === "halted") return null;
    const events = agent.run({
      sessionId: this.turn.sessionId,
      prompt,
      ...(labels === null ? {} : { labels }),
      history: [...given, ...this.#takeSteering()],
      tools,
      ...(filesFolder === undefined ? {} : { filesFolder }),
      ...(model === undefined ? {} : { model }),
      signal: this.#abort.signal,
      beforeCall: () => this.#beforeCall(),
      ...(fitter ? { fit: (draft) => this.#fit(fitter, draft) } : {}),
      steer: () => this.#takeSteering(),
    });
    return events[Symbol.asyncIterator]();
  }

  #beforeCall(): Promise<void> {
    return this.#unlessRefused(this.#setting.beforeCall);
  }

  async #fit(fitter: Pick<Fitter, "fit">, draft: ModelDraft): Promise<readonly Message[]> {
    const fitting = await fitter.fit(draft);
    if (fitting !== draft.messages) await this.#unlessRefused(this.#setting.afterSummary);
    return fitting;
  }

  async #unlessRefused(check: () => Promise<void>): Promise<void> {
    this.#isRefused = false;
    try {
      await check();
    } catch (error) {
      this.#isRefused = error instanceof AgentError;
      throw error;
    }
  }

  async #take(event: AgentEvent): Promise<void> {
    const live = this.#live;
    switch (event.kind) {
      case "text":
        await this.#keepWhole();
        this.#text += event.text;
        live?.text(event.text);
        break;
      case "reasoning":
        live?.reasoning(event.text);
        break;
      case "tool call":
        await this.#keepWhole();
        await this.#plan(event.call);
        this.#calls.push(event.call);
        live?.toolCall(event.call);
        break;
      case "tool result":
        this.#results.set(event.call.id, event.content);
        live?.toolResult(event.call, event.content);
        break;
      case "message":
        await this.#keepWhole();
        if (!this.#setting.live) await this.#setting.cut(event.message.content);
        this.#whole.push(event.message, ...event.results);
        this.#text = "";
        this.#calls = [];
        this.#results.clear();
        if (event.results.length > 0) await this.#keepWhole();
        break;
      case "usage":
        this.#uses.push(this.#account.add(event));
        this.#setting.fitter?.used(event.usage);
        break;
      case "retry":
        live?.retry?.(event);
        break;
      case "done":
        break;
      default:
        event satisfies never;
    }
  }

  /** The first call of a step carries the text before it. */
  async #plan(call: ToolCall): Promise<void> {
    const said = this.#calls.length === 0 ? this.#text : "";
    if (!(await this.#setting.journal.planned(this.turn, call, said))) this.#lose();
  }

  /** Stores a step that turned out not to be the last one. */
  async #keepWhole(): Promise<void> {
    if (this.#lost || !this.#whole.some(({ role }) => role === "assistant")) return;
    const { turns, clock, leaseMs } = this.#setting;
    const step = this.#step([], false);
    if (!(await turns.step(this.turn, step, leaseMs, clock()))) return this.#lose();
    this.#whole.splice(0, step.messages.length);
    this.#uses.splice(0, step.uses?.length);
    this.#kept(step);
    this.#live?.saved?.();
  }

  async #end(): Promise<TurnOutcome> {
    if (this.#lost) return "lost"; // Even if no process has taken it yet: the one that does will answer.
    if (this.#reason === "parked") return "released";
    const messages = this.#partial();
    switch (this.#reason) {
      case undefined:
        return this.#finish("done", messages, [], null);
      case "stopped": {
        const isAnswered = messages.length > 0 || this.#whole.at(-1)?.role === "assistant";
        return this.#finish("stopped", isAnswered ? messages : [NO_ANSWER], [], null);
      }
      case "interrupted": {
        const end = await this.#finish("stopped", messages, [], "interrupted by the next message");
        return end === "stopped" ? "interrupted" : end;
      }
      case "deadline": {
        const late = `after ${Math.round(this.#setting.deadlineMs / 6_000) / 10} minutes`;
        const text = withCure(`I stopped ${late} and was not done.`, this.#setting);
        return this.#finish("failed", messages, [text], `it was not done ${late}`);
      }
      default:
        return this.#reason satisfies never;
    }
  }

  #fail(error: unknown): Promise<TurnOutcome> {
    const reason = error instanceof Error ? error.message : String(error);
    const text = error instanceof AgentError ? reason : WENT_WRONG;
    if (!(error instanceof AgentError)) {
      const { id: turn, sessionId: session } = this.turn;
      this.#setting.onProblem(`A turn failed: ${reason}`, { cause: error, turn, session });
    }
    const said = this.#isRefused ? text : withCure(text, this.#setting, error); // A refusal says itself what to do.
    this.#account.failed(said);
    return this.#finish("failed", this.#partial(), [said], reason);
  }

  async #finish(
    end: TurnEnd,
    messages: readonly Message[],
    notices: readonly string[],
    error: string | null,
  ): Promise<TurnOutcome> {
    const { turns, clock, live, cut } = this.#setting;
    const spoken = messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
    for (const text of live ? notices : [...spoken, ...notices]) await cut(text);
    if (this.#lost) return "lost";
    const step = this.#step(messages, true);
    const said = notices.flatMap((text) => this.#replies.notice(text));
    const whole = { ...step, deliveries: [...step.deliveries, ...said] };
    if (!(await turns.finish(this.turn, end, whole, error, clock()))) return "lost";
    this.#kept(step);
    return end;
  }

  /** The complete messages so far and then these, as one step with its deliveries. */
  #step(last: readonly Message[], isLast: boolean): TurnStep {
    const messages = [...this.#whole, ...last];
    const steeredIn = this.#steeredIn.map(({ item }) => item.id);
    const deliveries = messages.flatMap((message) =>
      message.role === "assistant" && message.content.trim()
        ? this.#replies.of(message, isLast && this.#reason !== undefined)
        : [],
    );
    return { messages, uses: [...this.#uses], steeredIn, deliveries };
  }

  #kept(step: TurnStep): void {
    this.#steeredIn = this.#steeredIn.filter(({ item }) => !step.steeredIn.includes(item.id));
  }

  #partial(): Message[] {
    return unfinishedMessages({ text: this.#text, calls: this.#calls, results: this.#results });
  }

  #takeSteering(): Message[] {
    const taken = this.#steering;
    this.#steering = [];
    if (taken.length > 0 && !this.#isAwaited) this.#unread = new AbortController();
    this.#steeredIn.push(...taken);
    this.#whole.push(...taken.map(({ message }) => message));
    return taken.map(({ given }) => given);
  }

  #lose(): void {
    this.#lost = true;
    this.#abort.abort();
    this.#halt("halted");
  }
}
