/**
 * Sums up the older part of a conversation by the agent's model. Each try is claimed, so one process at a time works on
 * a session, and what comes of it is one commit. A try that fails is repeated later and later; meanwhile the conversation
 * goes on with a shorter window. A range whose summary is not shorter is not tried again: smaller ones are, and if none
 * gives a shorter summary, an excerpt takes the place of the messages. So the cursor always gets on.
 */
import type { Agent } from "../../agent/agent.js";
import {
  budgetOf,
  FIRST_RATIO,
  inEstimates,
  mostForSummary,
  type WindowBudget,
} from "../../memory/budget.js";
import type {
  ConsolidationClaim,
  ConsolidationState,
  ModelUses,
  NewFacts,
} from "../../memory/consolidations.js";
import {
  type KeepRule,
  keptFrom,
  type Range,
  rangeOf,
  refusedPart,
  untried,
  withRefused,
} from "../../memory/range.js";
import { merged, provenQuotes, standingSentences } from "../../memory/standing.js";
import {
  excerptOf,
  type ModelTask,
  readFacts,
  readSummary,
  rememberTask,
  summaryTask,
} from "../../memory/summarise.js";
import { tokensOfAll, tokensOfText } from "../../memory/tokens.js";
import type { SessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import type { Summary } from "../../session/summary.js";
import type { StoredMessage } from "../../session/transcript.js";
import { backoff, type Pauses } from "../../util/backoff.js";
import type { OnProblem } from "../../util/problem.js";
import { askModel, type ModelAnswer } from "./ask-model.js";
import { type ClaimSetting, whileClaimed } from "./while-claimed.js";
import type { RememberedFor } from "./whose.js";

export interface ConsolidatorSetting extends ClaimSetting {
  readonly agent: Agent;
  readonly sessions: Sessions;
  /** From this share of the model's window on, older messages are summed up. */
  readonly share: number;
  readonly maxMessages: number;
  /** How many characters the notes of one memory may have; null if nothing is remembered about people. */
  readonly maxMemory: number | null;
  readonly onProblem: OnProblem;
}

/** What somebody wants summed up. */
export interface ConsolidationWish {
  /** The model that the session chose. */
  readonly model?: string;
  /** For whom it counts; empty or absent if nobody is known. */
  readonly identity?: string;
  /** Whose memory gets what is worth remembering; absent or null if nobody's does. */
  readonly rememberedFor?: RememberedFor | null;
  /** Awaited before the model is asked; throws if that is not allowed. */
  readonly beforeCall?: () => Promise<void>;
  /** What every request of the conversation has besides its messages, in tokens. */
  readonly besides?: number;
  /** A person asked for it: all but the last turns, also if there is room and the last try failed. */
  readonly isAsked?: boolean;
}

/** `ended`: aborted if somebody stops it, or the process ends. */
type StoppableWish = ConsolidationWish & { readonly ended: AbortSignal };

export type Consolidated =
  | {
      readonly kind: "summed up";
      readonly through: number;
      readonly summary: Summary;
      readonly messages: number;
    }
  /** There is nothing that could be summed up. */
  | { readonly kind: "nothing" }
  /** Another process works on it, or did meanwhile. */
  | { readonly kind: "elsewhere" }
  /** The last try failed, or its summary was not shorter. */
  | { readonly kind: "later" }
  /** Somebody stopped it. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly reason: string };

/** How long a model may take for one summary. */
const DEADLINE_MS = 300_000;
const PAUSES: Pauses = { firstMs: 15_000, longestMs: 600_000 };
/** So long after a summary that was not shorter, a smaller range is tried. */
const REFUSED_MS = 600_000;
const MOST_HALVINGS = 5;
/** The messages of one turn are not cut so often: more failures mean that the provider is down, not that it is too long. */
const MOST_CUTS = 2;
const ASKED: KeepRule = { turns: 2, tokens: 0 };

export class Consolidator {
  readonly #setting: ConsolidatorSetting;
  readonly #running = new Map<SessionId, Promise<Consolidated>>();
  /** Those that a person asked for, and can stop. */
  readonly #asked = new Map<SessionId, AbortController>();
  readonly #stopping = new AbortController();

  constructor(setting: ConsolidatorSetting) {
    this.#setting = setting;
  }

  /** True if the agent has a model that needs it. */
  get isNeeded(): boolean {
    return this.#setting.agent.contextTokens !== undefined;
  }

  /** Sums up once; joins a try that runs here. */
  run(sessionId: SessionId, wish: ConsolidationWish = {}): Promise<Consolidated> {
    const present = this.#running.get(sessionId);
    if (present && !wish.isAsked) return present;
    if (present) return present.then(() => this.run(sessionId, wish)); // It was not asked for, so it may have done less.
    const cancel = new AbortController();
    if (wish.isAsked) this.#asked.set(sessionId, cancel);
    const running = this.#try(sessionId, wish, cancel.signal)
      .catch((cause: Error): Consolidated => {
        this.#setting.onProblem(`Can't sum up a conversation: ${cause.message}`, {
          cause,
          session: sessionId,
        });
        return { kind: "failed", reason: cause.message };
      })
      .finally(() => {
        this.#running.delete(sessionId);
        this.#asked.delete(sessionId);
      });
    this.#running.set(sessionId, running);
    return running;
  }

  /** True if a person asked for a summary that is being made here. */
  isAskedFor(sessionId: SessionId): boolean {
    return this.#asked.has(sessionId);
  }

  /** Stops what a person asked for. */
  cancel(sessionId: SessionId): void {
    this.#asked.get(sessionId)?.abort();
  }

  /** Waits until nothing runs here. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
  }

  async #try(sessionId: SessionId, wish: ConsolidationWish, cancelled: AbortSignal): Promise<Consolidated> {
    const { agent, sessions, consolidations, share, maxMessages, clock } = this.#setting;
    if (agent.contextTokens === undefined) return { kind: "nothing" };
    const state = await consolidations.state(sessionId);
    const { failures, nextTryAt } = state.summary;
    if (!wish.isAsked && nextTryAt > clock()) return { kind: "later" };
    const whole = inEstimates(budgetOf(agent.contextTokens, share, wish.besides), state.ratio ?? FIRST_RATIO);
    // The record may have been too long for the model, so after a failure less is tried.
    const part = (most: number) => Math.floor(whole.chunk / 2 ** Math.min(failures, most));
    const [chunk, budget] = [part(MOST_HALVINGS), { ...whole, chunk: part(MOST_CUTS) }];
    const rule = wish.isAsked ? ASKED : { turns: 1, tokens: budget.kept };
    const from = keptFrom(await sessions.recent(sessionId, { maxMessages }), rule);
    const found = from === null ? null : await this.#range(sessionId, state, from, chunk);
    if (!found) return { kind: "nothing" };
    const done = await whileClaimed(this.#setting, sessionId, async (claim): Promise<Consolidated> => {
      // Another process had it since the look, or somebody has changed the summary.
      if (claim.fence !== state.fence + 1 || claim.after !== state.after) {
        await consolidations.release(claim);
        return { kind: "elsewhere" };
      }
      const stoppable = { ...wish, ended: AbortSignal.any([this.#stopping.signal, cancelled]) };
      return found.refused && !wish.isAsked
        ? this.#excerpt(claim, found.refused, budget, stoppable)
        : this.#sumUp(claim, found.range, budget, stoppable, state);
    });
    return done ?? { kind: "elsewhere" };
  }

  /**
   * What is to be summed up now: from the cursor on, as far as the first message that stays. `refused`: what was refused
   * of it, if there is nothing left to try.
   */
  async #range(
    sessionId: SessionId,
    { after, refused }: ConsolidationState,
    from: number,
    chunk: number,
  ): Promise<{ readonly range: Range; readonly refused: Range | null } | null> {
    const messages: StoredMessage[] = [];
    for await (const page of this.#setting.sessions.pages(sessionId, { afterSeq: after })) {
      messages.push(...page.filter(({ seq }) => seq < from));
      const isAll = page.some(({ seq }) => seq >= from);
      if (!isAll && tokensOfAll(messages) <= chunk) continue;
      const whole = rangeOf(messages, chunk, isAll);
      if (!whole && !isAll) continue; // Its first turn goes on.
      if (!whole) return null;
      const next = untried(whole, refused, chunk);
      return { range: next ?? whole, refused: next || !refused ? null : refusedPart(whole, refused) };
    }
    return null;
  }

  /** Where facts of these messages go; null if nobody may have them. */
  #memory(
    { rememberedFor }: ConsolidationWish,
    { messages }: Range,
  ): ((texts: readonly string[]) => NewFacts) | null {
    const { maxMemory: most } = this.#setting;
    if (most === null || !rememberedFor?.takes(messages)) return null;
    return (texts) => ({ owner: rememberedFor.owner, texts, most });
  }

  async #sumUp(
    claim: ConsolidationClaim,
    range: Range,
    budget: WindowBudget,
    wish: StoppableWish,
    { summary: { failures }, refused }: ConsolidationState,
  ): Promise<Consolidated> {
    const { consolidations, clock, onProblem } = this.#setting;
    const { before, sessionId } = claim;
    const answer = await this.#ask(claim, summaryTask({ before, messages: range.messages, ...budget }), wish);
    if (wish.ended.aborted) return this.#leave(claim);
    const read = answer.text === null ? null : readSummary(answer.text);
    const spent = { identity: wish.identity ?? "", uses: answer.uses };
    if (!read) {
      const nextTryAt = clock() + backoff(failures + 1, PAUSES);
      await consolidations.fail(claim, { of: "summary", nextTryAt, spent }, clock());
      const reason = answer.failure ?? "The model wrote no summary.";
      if (failures === 0 && !wish.isAsked)
        onProblem(`A conversation could not be summed up, so Baton tries again later. ${reason}`, {
          session: sessionId,
        });
      return { kind: "failed", reason };
    }
    if (tokensOfText(read.summary) > mostFor(claim, range, budget)) {
      const now = clock();
      const tried = { nextTryAt: now + REFUSED_MS, refused: withRefused(refused, range), spent };
      await consolidations.fail(claim, { of: "summary", ...tried }, now);
      return {
        kind: "failed",
        reason: "The model's summary was too long. Send /compress again to sum up less at once.",
      };
    }
    const quotes = provenQuotes(read.instructions, range.messages);
    const facts = read.facts.length > 0 ? (this.#memory(wish, range)?.(read.facts) ?? null) : null;
    const made = { text: read.summary, quotes, facts, spent };
    return this.#record(claim, range, made);
  }

  /** No model has made a shorter summary of any part of it. What should be remembered of it, it can say all the same. */
  async #excerpt(
    claim: ConsolidationClaim,
    range: Range,
    budget: WindowBudget,
    wish: StoppableWish,
  ): Promise<Consolidated> {
    const text = excerptOf(claim.before, range.messages, mostFor(claim, range, budget));
    const memory = this.#memory(wish, range);
    const answer = memory && (await this.#ask(claim, rememberTask(range.messages, budget.chunk), wish));
    if (wish.ended.aborted) return this.#leave(claim);
    const facts = answer?.text ? (memory?.(readFacts(answer.text)) ?? null) : null;
    const spent = { identity: wish.identity ?? "", uses: answer?.uses ?? [] };
    return this.#record(claim, range, { text, quotes: [], facts, spent });
  }

  #ask({ sessionId }: ConsolidationClaim, task: ModelTask, wish: StoppableWish): Promise<ModelAnswer> {
    const signal = AbortSignal.any([wish.ended, AbortSignal.timeout(DEADLINE_MS)]);
    return askModel(this.#setting.agent, { ...task, ...wish, sessionId, signal });
  }

  async #leave(claim: ConsolidationClaim): Promise<Consolidated> {
    await this.#setting.consolidations.release(claim);
    return { kind: "stopped" };
  }

  async #record(
    claim: ConsolidationClaim,
    { through, messages }: Range,
    made: { text: string; quotes: readonly string[]; facts: NewFacts | null; spent: ModelUses },
  ): Promise<Consolidated> {
    const { consolidations, clock } = this.#setting;
    const { text, quotes, facts, spent } = made;
    const standing = merged(claim.before?.standing ?? [], quotes, standingSentences(messages));
    const summary = { text, standing };
    const range = { through, count: messages.length, summary, facts, spent };
    if (!(await consolidations.record(claim, range, clock()))) return { kind: "elsewhere" };
    return { kind: "summed up", through, summary, messages: messages.length };
  }
}

function mostFor({ before }: ConsolidationClaim, { messages }: Range, budget: WindowBudget): number {
  return mostForSummary(tokensOfAll(messages), tokensOfText(before?.text ?? ""), budget);
}
