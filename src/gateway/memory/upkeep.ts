/** Keeps conversations within their model's window, whatever their length, and ends those whose time is over. */
import type { Agent } from "../../agent/agent.js";
import type { Consolidations } from "../../memory/consolidations.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionScopes } from "../../session/session-key.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionSource } from "../../session/source.js";
import type { Clock } from "../../util/clock.js";
import type { OnProblem } from "../../util/problem.js";
import type { Access } from "../authorize.js";
import { Consolidator } from "./consolidator.js";
import { type ExpiryPeople, ExpiryWatcher } from "./expiry.js";
import { Fitter, type FitterSetting } from "./fitter.js";
import { type TitleMaker, type TitleStore, Titles } from "./titles.js";
import { type RememberedFor, rememberedFor } from "./whose.js";

export interface UpkeepSetting {
  readonly agent: Agent;
  readonly sessions: Sessions;
  readonly store: { readonly consolidations: Consolidations; readonly titles: TitleStore };
  /** Who names new sessions. */
  readonly titles: TitleMaker;
  /** From this share of the model's window on, older messages are summed up. */
  readonly share: number;
  readonly maxMessages: number;
  /** How many characters the notes of one memory may have; null if nothing is remembered about people. */
  readonly maxMemory: number | null;
  readonly scopes: SessionScopes;
  readonly holder: string;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

/** A history that an agent is about to be given. */
export type GivenWindow = Pick<FitterSetting, "sessionId" | "pinned" | "length" | "userSeqs" | "maxMessages">;

/** A person who took a summary back does not want another one at once. */
const UNDO_PAUSE_MS = 600_000;

export class Upkeep {
  readonly consolidator: Consolidator;
  readonly titles: Titles;
  /** Absent until the start. */
  watcher?: ExpiryWatcher;
  readonly #setting: UpkeepSetting;

  constructor(setting: UpkeepSetting) {
    this.#setting = setting;
    const { consolidations } = setting.store;
    this.consolidator = new Consolidator({ ...setting, consolidations });
    this.titles = new Titles({ ...setting, titles: setting.store.titles, maker: setting.titles });
  }

  /** Null if the agent has no window to fit. */
  async fitterFor(window: GivenWindow, wish: FitterSetting["wish"]): Promise<Fitter | null> {
    const { store, share, onProblem } = this.#setting;
    const { consolidations } = store;
    const { consolidator } = this;
    if (!consolidator.isNeeded) return null;
    const { ratio } = await consolidations.state(window.sessionId);
    return new Fitter({
      ...window,
      consolidator,
      consolidations,
      share,
      ratio,
      wish,
      onProblem: (cause) => onProblem(`Can't save how a model counts: ${cause.message}`, { cause }),
    });
  }

  /** Whose memory gets what is worth remembering of a session that somebody sums up. */
  rememberedFor(who: Access, source: SessionSource, entry: SessionEntry): RememberedFor | null {
    const { scopes } = this.#setting;
    return rememberedFor({ who, source, entry, scopes, shared: entry.owner !== entry.laneOwner });
  }

  /** Takes the last summary of a session back; null if there is none. */
  undo(sessionId: SessionId): Promise<{ readonly after: number; readonly through: number } | null> {
    const { store, clock } = this.#setting;
    return store.consolidations.undo(sessionId, clock() + UNDO_PAUSE_MS);
  }

  /** Begins to end sessions that have expired. */
  start(people: ExpiryPeople): void {
    const { consolidations } = this.#setting.store;
    this.watcher = new ExpiryWatcher({ ...this.#setting, consolidations }, people);
    this.watcher.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.watcher?.stop(), this.consolidator.stop(), this.titles.stop()]);
  }
}
