/**
 * Names a session once, after its first exchange: by its first words at once, then by what the agent's model makes of
 * them. A title that a person gave is never changed.
 */
import type { Agent } from "../../agent/agent.js";
import type { ModelUses } from "../../memory/consolidations.js";
import { firstWords, readTitle, titleTask } from "../../memory/title.js";
import type { SessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import type { Clock } from "../../util/clock.js";
import type { OnProblem } from "../../util/problem.js";
import { askModel } from "./ask-model.js";

/** Who makes titles: the agent's model, the first words, or nobody. */
export type TitleMaker = "model" | "words" | "none";

/** The port: each is one step, and the second changes only the title that the first one made. */
export interface TitleStore {
  /** Gives a session its first title; null if it had one before, or it was taken away. */
  nameOnce(sessionId: SessionId, title: string): Promise<string | null>;
  /** False if it has another title by now. */
  rename(sessionId: SessionId, from: string, to: string, spent: ModelUses, now: number): Promise<boolean>;
}

export interface TitlesSetting {
  readonly agent: Agent;
  readonly sessions: Sessions;
  readonly titles: TitleStore;
  readonly maker: TitleMaker;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

export interface TitleWish {
  readonly sessionId: SessionId;
  readonly identity: string;
  readonly model?: string;
  readonly beforeCall: () => Promise<void>;
}

const DEADLINE_MS = 60_000;
/** Of each message, so much is shown to the model. */
const MOST_MESSAGES = 6;

export class Titles {
  readonly #setting: TitlesSetting;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(setting: TitlesSetting) {
    this.#setting = setting;
  }

  /** Beside the conversation: nobody waits for it. */
  name(wish: TitleWish): void {
    if (this.#setting.maker === "none" || this.#stopping.signal.aborted) return;
    const running = this.#name(wish)
      .catch((cause: Error) =>
        this.#setting.onProblem(`Can't name a session: ${cause.message}`, { cause, session: wish.sessionId }),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
  }

  async #name({ sessionId, identity, model, beforeCall }: TitleWish): Promise<void> {
    const { agent, sessions, titles, maker, clock } = this.#setting;
    const { messages } = await sessions.recent(sessionId, { maxMessages: MOST_MESSAGES });
    const words = firstWords(messages);
    if (words === null) return;
    const named = await titles.nameOnce(sessionId, words);
    if (named === null || maker === "words" || agent.contextTokens === undefined) return;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(DEADLINE_MS)]);
    const asked = {
      ...titleTask(messages),
      sessionId,
      ...(model === undefined ? {} : { model }),
      beforeCall,
      signal,
    };
    const { text, uses } = await askModel(agent, asked);
    const title = (text === null ? null : readTitle(text)) ?? named;
    if (uses.length > 0 || title !== named)
      await titles.rename(sessionId, named, title, { identity, uses }, clock());
  }
}
