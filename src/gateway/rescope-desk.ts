/**
 * Carries conversations over after a change of scopes. It may be stopped anywhere and run again: each lane is one step, and
 * what is left is planned anew from what the store has.
 */
import { ConflictError } from "../session/errors.js";
import { keyUnder } from "../session/key-source.js";
import type { KeyOf, LaneStore } from "../session/lane-store.js";
import type { Platform } from "../session/platform.js";
import { agentIn, type LaneStep, planRescope, type RescopePlan, type SeenLane } from "../session/rescope.js";
import type { SessionKey, SessionScopes } from "../session/session-key.js";
import type { Clock } from "../util/clock.js";
import { agentOf, isSameScopes, rememberedScopes, rememberScopes } from "./scope-memory.js";
import { servedAccounts } from "./shared-accounts.js";
import type { Accounts } from "./store.js";

export interface RescopeSetting {
  readonly lanes: LaneStore;
  readonly accounts: Accounts;
  readonly scopes: SessionScopes;
  /** Platforms on which several people have access. */
  readonly severalOn: readonly Platform[];
  readonly clock: Clock;
}

export interface Rescoped {
  readonly done: readonly LaneStep[];
  /** Lanes in which something runs: run it again later. */
  readonly busy: readonly SeenLane[];
}

export interface FullPlan extends RescopePlan {
  /** How many lanes agents have that the plan leaves alone, by name. */
  readonly ofOthers: ReadonlyMap<string, number>;
}

const PAGE = 500;
/** After so many plans that something changed under, the rest is left to the next run. */
const MOST_PLANS = 5;

export class RescopeDesk {
  readonly #setting: RescopeSetting;
  readonly #fromAgents: readonly string[];

  constructor(setting: RescopeSetting, fromAgents: readonly string[] = []) {
    this.#setting = setting;
    this.#fromAgents = fromAgents;
  }

  get #agents(): string[] {
    return [agentOf(this.#setting.scopes), ...this.#fromAgents];
  }

  async plan(): Promise<FullPlan> {
    const { lanes, scopes, severalOn } = this.#setting;
    const all: SeenLane[] = [];
    for (let page = await lanes.page("", PAGE); ; page = await lanes.page(all.at(-1)?.key ?? "", PAGE)) {
      all.push(...page);
      if (page.length < PAGE) break;
    }
    const several = new Set([...severalOn, ...(await lanes.severalInDms())]);
    const ofOthers = new Map<string, number>();
    for (const agent of all.map(({ key }) => agentIn(key))) {
      if (!this.#agents.includes(agent)) ofOthers.set(agent, (ofOthers.get(agent) ?? 0) + 1);
    }
    const plan = planRescope(all, scopes, { severalOn: several, fromAgents: this.#fromAgents });
    return { ...plan, ofOthers };
  }

  /** Takes every step that can be taken now; `onStep` hears of each. */
  async carryOver(onStep: (step: LaneStep) => void = () => {}): Promise<Rescoped> {
    const { lanes, accounts, scopes, clock } = this.#setting;
    await this.#refuseIfInUse();
    const done: LaneStep[] = [];
    const busy = new Set<SessionKey>();
    for (let plans = 0; plans < MOST_PLANS; plans++) {
      const steps = (await this.plan()).steps.filter(({ lane }) => !busy.has(lane.key));
      if (steps.length === 0) break;
      for (const step of steps) {
        const outcome = await lanes.take(step, this.#keyOf, clock());
        if (outcome === "busy") busy.add(step.lane.key);
        if (outcome !== "done") continue;
        done.push(step);
        onStep(step);
      }
    }
    await lanes.rekeyStrays(this.#keyOf, clock());
    const left = (await this.plan()).steps;
    if (left.length === 0) await rememberScopes(accounts, scopes, true);
    return { done, busy: left.map(({ lane }) => lane) };
  }

  readonly #keyOf: KeyOf = (source, before) =>
    this.#agents.includes(agentIn(before)) ? keyUnder(source, this.#setting.scopes) : null;

  /** A gateway with the old scopes would go on making the old keys. */
  async #refuseIfInUse(): Promise<void> {
    const { accounts, scopes, clock } = this.#setting;
    const served = await servedAccounts(accounts, clock());
    const before = await rememberedScopes(accounts, agentOf(scopes));
    const isOld = before !== null && !isSameScopes(before.scopes, scopes);
    if (isOld && served.some(({ agent }) => agent === agentOf(scopes)))
      throw new ConflictError(
        "scopes_in_use",
        "A gateway is running with the scopes from before. Restart it, so that it uses those in your configuration, then run this again.",
      );
    const other = served.find(({ agent }) => this.#fromAgents.includes(agent));
    if (other)
      throw new ConflictError(
        "scopes_in_use",
        `A gateway is running for the agent "${other.agent}", so its conversations are in use. Stop it, then run this again.`,
      );
  }
}
