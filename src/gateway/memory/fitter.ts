/**
 * Keeps the requests of one turn within the model's window. Before each request one rule decides: as it is, with older
 * messages summed up beside the conversation, or after making room: by a summary if one can be made, else with a shorter
 * window. What the provider counts is compared with the estimate, so the next one is better.
 */
import type { ModelDraft } from "../../agent/agent.js";
import { budgetOf, decide, FIRST_RATIO, learnt, learntFromRefusal } from "../../memory/budget.js";
import type { Consolidations } from "../../memory/consolidations.js";
import { fitted } from "../../memory/fit.js";
import { tokensOfAll, tokensOfText } from "../../memory/tokens.js";
import type { SessionId } from "../../session/ids.js";
import type { Usage } from "../../session/session.js";
import { type Summary, summaryMessage } from "../../session/summary.js";
import type { Message } from "../../session/transcript.js";
import { withinTime } from "../../util/within-time.js";
import type { Consolidated, ConsolidationWish, Consolidator } from "./consolidator.js";

export interface FitterSetting {
  readonly consolidator: Consolidator;
  readonly consolidations: Consolidations;
  readonly sessionId: SessionId;
  /** The history that the agent is given begins with this many messages that are not in the transcript's window. */
  readonly pinned: number;
  /** How long that history is. */
  readonly length: number;
  /** The `seq` of each user message in it that is of the transcript. */
  readonly userSeqs: readonly number[];
  readonly maxMessages: number;
  readonly share: number;
  /** By what the model counts differently; null if nobody knows yet. */
  readonly ratio: number | null;
  readonly wish: Pick<ConsolidationWish, "identity" | "rememberedFor" | "model" | "beforeCall">;
  /** Called if a ratio can't be saved. */
  readonly onProblem: (cause: Error) => void;
}

/** How long a person waits for a summary before the answer begins without it. */
const PATIENCE_MS = 60_000;
/** So many summaries are waited for, one after the other. */
const MOST_SUMMARIES = 4;
/** A ratio that changed by less is not worth a write. */
const WORTH_SAVING = 0.05;

export class Fitter {
  readonly #setting: FitterSetting;
  #ratio: number;
  #savedRatio: number | null;
  /** What the last request had, by our estimate. */
  #estimated = 0;
  /** As in the setting, for the list as it is now. */
  #pinned: number;
  #length: number;
  #userSeqs: readonly number[];
  #summedUp: Extract<Consolidated, { kind: "summed up" }> | null = null;

  constructor(setting: FitterSetting) {
    this.#setting = setting;
    this.#ratio = setting.ratio ?? FIRST_RATIO;
    this.#savedRatio = setting.ratio;
    this.#pinned = setting.pinned;
    this.#length = setting.length;
    this.#userSeqs = setting.userSeqs;
  }

  async fit({ messages, besides, contextTokens, refused }: ModelDraft): Promise<readonly Message[]> {
    const { share, maxMessages } = this.#setting;
    const beside = besides.reduce((sum, text) => sum + tokensOfText(text), 0);
    const estimate = (list: readonly Message[]) => beside + tokensOfAll(list);
    if (refused) this.#ratio = learntFromRefusal(this.#ratio, estimate(messages), contextTokens);
    const budget = budgetOf(contextTokens, share, beside * this.#ratio);
    let list = messages;
    let isRefused = refused;
    for (let summaries = 0; ; ) {
      const tokens = estimate(list) * this.#ratio;
      const request = { tokens, messages: this.#length - this.#pinned, maxMessages, refused: isRefused };
      const decision = decide(request, budget);
      if (decision === "as it is") break;
      const shorter = this.#withoutSummedUp(list);
      if (shorter) {
        list = shorter;
        isRefused = false;
        continue;
      }
      const summing = this.#sumUp(beside);
      if (decision === "sum up beside") break;
      const outcome = summaries < MOST_SUMMARIES ? await withinTime(summing, PATIENCE_MS) : null;
      summaries += 1;
      if (outcome?.kind === "summed up") continue;
      const most = Math.floor(budget.request / this.#ratio) - beside;
      list = this.#shorter(list, isRefused ? Math.min(most, Math.floor(tokensOfAll(list) * 0.7)) : most);
      break;
    }
    this.#estimated = estimate(list);
    return list;
  }

  /** The provider counted the last request. */
  used({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): void {
    const { sessionId, consolidations, onProblem } = this.#setting;
    this.#ratio = learnt(this.#ratio, this.#estimated, inputTokens + cacheReadTokens + cacheWriteTokens);
    const saved = this.#savedRatio;
    if (this.#estimated === 0 || (saved !== null && Math.abs(this.#ratio - saved) < WORTH_SAVING * saved))
      return;
    this.#savedRatio = this.#ratio;
    consolidations.learn(sessionId, this.#ratio).catch(onProblem);
  }

  #sumUp(besides: number): Promise<Consolidated> {
    const { consolidator, sessionId, wish } = this.#setting;
    const summing = consolidator.run(sessionId, { ...wish, besides: Math.floor(besides * this.#ratio) });
    return summing.then((outcome) => {
      if (outcome.kind === "summed up") this.#summedUp = outcome;
      return outcome;
    });
  }

  /** With the new summary in the place of what it covers; null if there is none. */
  #withoutSummedUp(list: readonly Message[]): readonly Message[] | null {
    const made = this.#summedUp;
    if (!made) return null;
    this.#summedUp = null;
    const kept = this.#userSeqs.filter((seq) => seq > made.through);
    const cut = placeOfUser(list.slice(0, this.#length), kept.length);
    if (cut === null || cut <= this.#pinned) return null;
    return this.#from(list, cut, kept, made.summary);
  }

  #from(
    list: readonly Message[],
    cut: number,
    kept: readonly number[],
    summary: Summary,
  ): readonly Message[] {
    this.#userSeqs = kept;
    this.#length -= cut - 1;
    this.#pinned = 1;
    return [summaryMessage(summary), ...list.slice(cut)];
  }

  /** Without a summary. What is left is no longer known by its place in the transcript. */
  #shorter(list: readonly Message[], most: number): readonly Message[] {
    const shorter = fitted(list, most, this.#pinned);
    if (shorter === list) return list;
    this.#userSeqs = [];
    this.#length = this.#pinned;
    return shorter;
  }
}

/** Where the last so many user messages begin; null if there are not so many. */
function placeOfUser(messages: readonly Message[], count: number): number | null {
  if (count === 0) return null;
  const places = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  return places.at(-count) ?? null;
}
