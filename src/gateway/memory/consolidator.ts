/**
 * Sums up the older part of a conversation by the agent's model. Each try is claimed, so one process at a time works on
 * a session, and what comes of it is one commit. A try that fails is repeated later and later; meanwhile the conversation
 * goes on with a shorter window.
 */
import type { Agent } from "../../agent/agent.js";
import { budgetOf, FIRST_RATIO, inEstimates, isShorter, type WindowBudget } from "../../memory/budget.js";
import type { ConsolidationClaim, Consolidations, NewFacts } from "../../memory/consolidations.js";
import { type KeepRule, keptFrom, type Range, rangeOf } from "../../memory/range.js";
import { merged, provenQuotes, standingSentences } from "../../memory/standing.js";
import { readSummary, summaryTask } from "../../memory/summarise.js";
import { tokensOfAll, tokensOfText } from "../../memory/tokens.js";
import type { SessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import type { Summary } from "../../session/summary.js";
import type { StoredMessage } from "../../session/transcript.js";
import type { Clock } from "../../util/clock.js";
import type { OnProblem } from "../../util/problem.js";
import { timerMs } from "../../util/timer-ms.js";
import { askModel } from "./ask-model.js";
import type { RememberedFor } from "./whose.js";

export interface ConsolidatorSetting {
  readonly agent: Agent;
  readonly sessions: Sessions;
  readonly consolidations: Consolidations;
  /** From this share of the model's window on, older messages are summed up. */
  readonly share: number;
  readonly maxMessages: number;
  /** How many characters the notes of one memory may have; null if nothing is remembered about people. */
  readonly maxMemory: number | null;
  readonly holder: string;
  readonly clock: Clock;
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

export type Consolidated =
  | {
      readonly kind: "summed up";
      readonly through: number;
      readonly summary: Summary;
      readonly messages: number;
    }
  /** There is nothing that could be summed up. */
  | { readonly kind: "nothing" }
  /** Another process works on it. */
  | { readonly kind: "elsewhere" }
  /** The last try failed, or its summary was not shorter. */
  | { readonly kind: "later" }
  | { readonly kind: "failed"; readonly reason: string };

const LEASE_MS = 60_000;
/** How long a model may take for one summary. */
const DEADLINE_MS = 300_000;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 600_000;
/** So long a range is not tried again whose summary was not shorter, unless it is twice as long by then. */
const REFUSED_MS = 3_600_000;
const MOST_HALVINGS = 5;
const ASKED: KeepRule = { turns: 2, tokens: 0 };

export class Consolidator {
  readonly #setting: ConsolidatorSetting;
  readonly #running = new Map<SessionId, Promise<Consolidated>>();
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
    const running = this.#try(sessionId, wish)
      .catch((cause: Error): Consolidated => {
        this.#setting.onProblem(`Can't sum up a conversation: ${cause.message}`, {
          cause,
          session: sessionId,
        });
        return { kind: "failed", reason: cause.message };
      })
      .finally(() => this.#running.delete(sessionId));
    this.#running.set(sessionId, running);
    return running;
  }

  /** Waits until nothing runs here. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
  }

  async #try(sessionId: SessionId, wish: ConsolidationWish): Promise<Consolidated> {
    const { agent, sessions, consolidations, share, maxMessages, holder, clock } = this.#setting;
    if (agent.contextTokens === undefined) return { kind: "nothing" };
    const state = await consolidations.state(sessionId);
    if (!wish.isAsked && state.nextTryAt > clock()) return { kind: "later" };
    const ratio = state.ratio ?? FIRST_RATIO;
    const budget = inEstimates(budgetOf(agent.contextTokens, share, wish.besides), ratio);
    const rule = wish.isAsked ? ASKED : { turns: 1, tokens: budget.kept };
    const from = keptFrom(await sessions.recent(sessionId, { maxMessages }), rule);
    if (from === null) return { kind: "nothing" };
    const claim = await consolidations.claim(sessionId, { holder, leaseMs: LEASE_MS }, clock());
    if (!claim) return { kind: "elsewhere" };
    const beat = setInterval(
      () => consolidations.renew(claim, LEASE_MS, clock()).catch(() => {}), // The record is refused if it was lost.
      timerMs(LEASE_MS / 3),
    );
    try {
      // The record may have been too long for the model, so after a failure less is tried.
      const chunk = Math.floor(budget.chunk / 2 ** Math.min(state.failures, MOST_HALVINGS));
      const range = await this.#range(claim, from, chunk);
      const tokens = range ? tokensOfAll(range.messages) : 0;
      const isRefused = tokens < 2 * state.refusedTokens && clock() < state.nextTryAt + REFUSED_MS;
      if (!range || (!wish.isAsked && isRefused)) {
        await consolidations.release(claim);
        return { kind: range ? "later" : "nothing" };
      }
      return await this.#sumUp(claim, range, { ...budget, chunk }, wish, state.failures);
    } catch (error) {
      await consolidations.release(claim);
      throw error;
    } finally {
      clearInterval(beat);
    }
  }

  /** What is to be summed up now: from the cursor on, as far as the first message that stays. */
  async #range({ sessionId, after }: ConsolidationClaim, from: number, chunk: number): Promise<Range | null> {
    const messages: StoredMessage[] = [];
    for await (const page of this.#setting.sessions.pages(sessionId, { afterSeq: after })) {
      messages.push(...page.filter(({ seq }) => seq < from));
      const isAll = page.some(({ seq }) => seq >= from);
      if (isAll || tokensOfAll(messages) > chunk) return rangeOf(messages, chunk, isAll);
    }
    return null;
  }

  #facts(
    { rememberedFor }: ConsolidationWish,
    { messages }: Range,
    texts: readonly string[],
  ): NewFacts | null {
    const { maxMemory } = this.#setting;
    if (maxMemory === null || texts.length === 0 || !rememberedFor?.takes(messages)) return null;
    return { owner: rememberedFor.owner, texts, most: maxMemory };
  }

  async #sumUp(
    claim: ConsolidationClaim,
    range: Range,
    budget: WindowBudget,
    wish: ConsolidationWish,
    failures: number,
  ): Promise<Consolidated> {
    const { agent, consolidations, clock } = this.#setting;
    const { before, sessionId } = claim;
    const task = summaryTask({ before, messages: range.messages, ...budget });
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(DEADLINE_MS)]);
    const answer = await askModel(agent, { ...task, ...wish, sessionId, signal });
    if (this.#stopping.signal.aborted) {
      await consolidations.release(claim);
      return { kind: "later" };
    }
    const read = answer.text === null ? null : readSummary(answer.text);
    const spent = { identity: wish.identity ?? "", uses: answer.uses };
    if (!read) {
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10));
      await consolidations.fail(claim, { nextTryAt: clock() + wait, spent }, clock());
      return { kind: "failed", reason: answer.failure ?? "The model wrote no summary." };
    }
    const quotes = provenQuotes(read.instructions, range.messages);
    const standing = merged(before?.standing ?? [], quotes, standingSentences(range.messages));
    const summary = { text: read.summary, standing };
    const replaced = tokensOfAll(range.messages) + tokensOfText(before?.text ?? "");
    const size = tokensOfText(summary.text);
    if (!isShorter(size, replaced) || size > 2 * budget.summary) {
      const refusedTokens = tokensOfAll(range.messages);
      await consolidations.fail(claim, { nextTryAt: clock(), refusedTokens, spent }, clock());
      return { kind: "failed", reason: "The summary was too long." };
    }
    const { through, messages } = range;
    const facts = this.#facts(wish, range, read.facts);
    const made = { through, count: messages.length, summary, facts, spent };
    if (!(await consolidations.record(claim, made, clock()))) return { kind: "elsewhere" };
    return { kind: "summed up", through, summary, messages: messages.length };
  }
}
