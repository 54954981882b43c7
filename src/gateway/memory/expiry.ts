/**
 * Ends sessions whose time is over by their reset policy, before anybody writes again. What should be remembered of such a
 * session is written down first, once: one process has it by a claim, and the notes and the mark are one commit. Sessions
 * in which something runs are left alone. The person is told with their next message, as the policy says.
 */
import type { Agent } from "../../agent/agent.js";
import { budgetOf, FIRST_RATIO, inEstimates } from "../../memory/budget.js";
import type { ConsolidationClaim, ModelUses, RememberedRange } from "../../memory/consolidations.js";
import { readFacts, rememberTask } from "../../memory/summarise.js";
import { tokensOf } from "../../memory/tokens.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionScopes } from "../../session/session-key.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionSource } from "../../session/source.js";
import type { StoredMessage } from "../../session/transcript.js";
import { backoff, type Pauses } from "../../util/backoff.js";
import type { OnProblem } from "../../util/problem.js";
import { timerMs } from "../../util/timer-ms.js";
import { type Access, senderOf } from "../authorize.js";
import { askModel } from "./ask-model.js";
import { type ClaimSetting, whileClaimed } from "./while-claimed.js";
import { rememberedFor } from "./whose.js";

export interface ExpirySetting extends ClaimSetting {
  readonly agent: Agent;
  readonly sessions: Sessions;
  readonly scopes: SessionScopes;
  readonly share: number;
  /** How many characters the notes of one memory may have; null if nothing is remembered about people. */
  readonly maxMemory: number | null;
  readonly onProblem: OnProblem;
}

/** What the watcher asks about people. */
export interface ExpiryPeople {
  readonly access: (source: SessionSource) => Promise<Access>;
  /** Throws if the person may make no more calls. */
  readonly modelCall: (who: Access, sessionId: SessionEntry["sessionId"]) => Promise<void>;
}

const LOOK_MS = 60_000;
const DEADLINE_MS = 120_000;
/** So many are worked on at once. */
const AT_ONCE = 3;
const MOST_AT_A_LOOK = 200;
const PAUSES: Pauses = { firstMs: 60_000, longestMs: 3_600_000 };
/** After so many failures, in about a week, nothing is remembered of it. */
const GIVE_UP = 7 * 24;
/** So many messages are read at most. */
const LAST_MESSAGES = 300;
const NOTHING: ModelUses = { identity: "", uses: [] };

export class ExpiryWatcher {
  readonly #setting: ExpirySetting;
  readonly #people: ExpiryPeople;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;

  constructor(setting: ExpirySetting, people: ExpiryPeople) {
    this.#setting = setting;
    this.#people = people;
  }

  start(): void {
    const look = (): void => {
      if (this.#looking) return;
      this.look().catch((cause: Error) =>
        this.#setting.onProblem(`Can't look for sessions that have expired: ${cause.message}`, { cause }),
      );
    };
    this.#timer = setInterval(look, timerMs(LOOK_MS));
    this.#timer.unref();
    look();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking?.catch(() => {}); // It was reported.
  }

  /** Ends all that have expired now, after a look that is under way. */
  look(): Promise<void> {
    const looking: Promise<void> = (this.#looking ?? Promise.resolve())
      .catch(() => {}) // It was reported.
      .then(() => this.#look())
      .finally(() => {
        if (this.#looking === looking) this.#looking = null;
      });
    this.#looking = looking;
    return looking;
  }

  async #look(): Promise<void> {
    const { sessions, consolidations, clock } = this.#setting;
    const work = new Set<Promise<void>>();
    const add = async (step: () => Promise<unknown>): Promise<void> => {
      const running = step()
        .catch((cause: Error) => this.#setting.onProblem(`Can't end a session: ${cause.message}`, { cause }))
        .then(() => void work.delete(running));
      work.add(running);
      if (work.size >= AT_ONCE) await Promise.race(work);
    };
    for await (const entry of sessions.expired()) {
      if (this.#stopping.signal.aborted) break;
      await add(() => this.#end(entry));
    }
    for (const entry of await consolidations.unremembered(clock(), MOST_AT_A_LOOK)) {
      if (this.#stopping.signal.aborted) break;
      await add(() => this.#remember(entry));
    }
    await Promise.all(work);
  }

  async #end(entry: SessionEntry): Promise<void> {
    const { sessions } = this.#setting;
    if (!(await sessions.isExpired(entry))) return; // Something runs in it.
    if (await this.#remember(entry)) await sessions.expire(entry);
  }

  /** True if it was done, now or before; false if it is tried again later, or another process is at it. */
  async #remember(entry: SessionEntry): Promise<boolean> {
    const { consolidations, clock, onProblem } = this.#setting;
    const { ratio, memory } = await consolidations.state(entry.sessionId);
    if (memory.nextTryAt > clock()) return false;
    const isDone = await whileClaimed(this.#setting, entry.sessionId, async (claim) => {
      if (claim.isRemembered) {
        await consolidations.release(claim);
        return true;
      }
      const found = await this.#facts(entry, claim, ratio ?? FIRST_RATIO);
      if (this.#stopping.signal.aborted) {
        await consolidations.release(claim);
        return false;
      }
      const failures = memory.failures + 1;
      if (found.isKnown || failures >= GIVE_UP) return consolidations.remember(claim, found, clock());
      const nextTryAt = clock() + backoff(failures, PAUSES);
      await consolidations.fail(claim, { of: "memory", nextTryAt, spent: found.spent }, clock());
      if (failures === 1)
        onProblem(
          `Can't find out what to remember of a session, so Baton tries again later. ${found.failure}`,
          {
            session: entry.sessionId,
          },
        );
      return false;
    });
    return isDone ?? false;
  }

  /** What should be remembered; `isKnown` is false if the model could not tell, and `failure` says why. */
  async #facts(
    entry: SessionEntry,
    { after, rememberedThrough }: ConsolidationClaim,
    ratio: number,
  ): Promise<RememberedRange & { readonly isKnown: boolean; readonly failure?: string }> {
    const { agent, maxMemory, share, scopes } = this.#setting;
    const nothing = { isKnown: true, through: rememberedThrough, facts: null, spent: NOTHING };
    if (agent.contextTokens === undefined || maxMemory === null) return nothing;
    const { chunk } = inEstimates(budgetOf(agent.contextTokens, share), ratio);
    const messages = await this.#lastMessages(entry, Math.max(after, rememberedThrough), chunk);
    const { origin: source } = entry;
    const who = await this.#people.access(source);
    const shared = entry.owner !== entry.laneOwner;
    const memory = rememberedFor({ who, source, entry, scopes, shared });
    const isAsked = messages.some((message) => message.role === "user" && !message.note);
    if (!isAsked || !memory?.takes(messages)) return nothing;
    const answer = await askModel(agent, {
      ...rememberTask(messages, chunk),
      sessionId: entry.sessionId,
      beforeCall: () => this.#people.modelCall(who, entry.sessionId),
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    const spent = { identity: senderOf(entry.origin) ?? "", uses: answer.uses };
    if (answer.text === null) return { ...nothing, isKnown: false, failure: answer.failure ?? "", spent };
    return {
      isKnown: true,
      through: messages.at(-1)?.seq ?? rememberedThrough,
      facts: { owner: memory.owner, texts: readFacts(answer.text), most: maxMemory },
      spent,
    };
  }

  /** The last ones that fit, after what was looked at before: when it was summed up, or when it expired the last time. */
  async #lastMessages({ sessionId }: SessionEntry, after: number, chunk: number): Promise<StoredMessage[]> {
    const { sessions } = this.#setting;
    const { seqs } = await sessions.recent(sessionId, { maxMessages: LAST_MESSAGES });
    const [first = after + 1] = seqs;
    const read: StoredMessage[] = [];
    for await (const page of sessions.pages(sessionId, { afterSeq: Math.max(after, first - 1) }))
      read.push(...page);
    let room = chunk;
    const from = read.findLastIndex((message) => {
      room -= tokensOf(message);
      return room < 0;
    });
    return read.slice(from + 1);
  }
}
