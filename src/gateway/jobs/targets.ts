/** The places to which the result of a run goes, and the conversation there that it is added to. */

import type { Job } from "../../schedule/job.js";
import { parseTargets, type Target } from "../../schedule/targets.js";
import { partsOfIdentity, personOf } from "../../session/access.js";
import { BatonError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import { LOCAL, type Platform } from "../../session/platform.js";
import type { Sessions } from "../../session/sessions.js";
import { type Address, addressOf, formatAddress } from "../../session/source.js";
import type { Who } from "../authorize.js";
import type { Homes } from "../homes.js";
import { Impossible, laneAt } from "../lane-at.js";
import { surfaceOf } from "../place-words.js";
import type { Places } from "../places.js";
import type { Account } from "../store.js";
import type { Surface } from "../surface.js";

export interface TargetsSetting {
  readonly sessions: Sessions;
  readonly places: Pick<Places, "named" | "mayUse" | "lastAccountOn">;
  readonly homes: Pick<Homes, "all">;
  /** The surface of an account, if this process has it. */
  readonly surfaceOf: (account: Account) => Surface | undefined;
}

/** A target, and what it means now. */
export interface ReachedTarget {
  /** As the job names it. */
  readonly target: string;
  /** Null if it is only a file. */
  readonly place: {
    readonly address: Address;
    readonly account: string;
    readonly sessionId: SessionId | null;
  } | null;
}

export interface UnreachedTarget {
  readonly target: string;
  readonly error: string;
}

export class JobTargets {
  readonly #setting: TargetsSetting;

  constructor(setting: TargetsSetting) {
    this.#setting = setting;
  }

  /** Each place is there once, and each target. */
  async of(job: Job, who: Who): Promise<readonly (ReachedTarget | UnreachedTarget)[]> {
    const all: (ReachedTarget | UnreachedTarget)[] = [];
    const known = new Set<string>();
    for (const target of parseTargets(job.deliver)) {
      for (const one of await this.#reach(target, job, who)) {
        const name = "place" in one && one.place ? formatAddress(one.place.address) : one.target;
        if (known.has(name)) continue;
        known.add(name);
        all.push(one);
      }
    }
    return all;
  }

  async #reach(target: Target, job: Job, who: Who): Promise<(ReachedTarget | UnreachedTarget)[]> {
    const { word, kind } = target;
    if (kind === "file") return [{ target: word, place: null }];
    if (kind === "origin") return [await this.#origin(word, job)];
    if (kind === "place") return [await this.#attempt(word, who, () => this.#named(word, who))];
    const homes = await this.#homesOf(who);
    if (homes.length === 0) return [{ target: word, error: NO_HOME }];
    return Promise.all(
      homes.map((address) => this.#attempt(formatAddress(address), who, async () => address)),
    );
  }

  /** Those that the person may use: nobody learns of others. */
  async #homesOf(who: Who): Promise<Address[]> {
    const { homes, places } = this.#setting;
    const all = (await homes.all()).map(({ address }) => address);
    const may = await Promise.all(all.map((address) => places.mayUse(who, address)));
    return all.filter((_, n) => may[n]);
  }

  #origin(target: string, { origin }: Job): Promise<ReachedTarget | UnreachedTarget> {
    return orError(target, async () => {
      const { sessions } = this.#setting;
      const present = await sessions.current(origin.key); // Only a person's message begins a fresh one.
      const { sessionId } = present ?? (await sessions.getOrCreate(origin.source, { touch: false }));
      return { target, place: { address: addressOf(origin.source), account: origin.account, sessionId } };
    });
  }

  async #named(word: string, who: Who): Promise<Address> {
    return (await this.#setting.places.named(word, who)).address;
  }

  #attempt(target: string, who: Who, find: () => Promise<Address>): Promise<ReachedTarget | UnreachedTarget> {
    return orError(target, async () => {
      const address = await find();
      const known = await this.#setting.places.lastAccountOn(address);
      if (known === null)
        return {
          target,
          error: `${surfaceOf(address)} is not set up on any gateway of this store. Set it up with \`baton setup ${address.platform}\`.`,
        };
      const { account } = known;
      const sessionId = await this.#sessionAt(address, { platform: address.platform, account }, who);
      return { target, place: { address, account, sessionId } };
    });
  }

  /** Null if nobody has talked there, and nobody can be asked who would: then the result is sent all the same. */
  async #sessionAt(address: Address, account: Account, who: Who): Promise<SessionId | null> {
    const { sessions } = this.#setting;
    const person = idOn(address.platform, who);
    const surface = this.#setting.surfaceOf(account);
    const lanes = await sessions.lanesAt(address);
    const known = lanes.find(({ owner, origin }) => origin.chatType === "dm" || personOf({ owner }) === null);
    if (known) return known.sessionId;
    if (!surface?.speaker && address.platform !== LOCAL) return null;
    if (!surface) return null;
    const lane = await laneAt(sessions, address, surface, person);
    return (await sessions.getOrCreate(lane.origin, { touch: false })).sessionId;
  }
}

async function orError(
  target: string,
  reach: () => Promise<ReachedTarget | UnreachedTarget>,
): Promise<ReachedTarget | UnreachedTarget> {
  try {
    return await reach();
  } catch (error) {
    if (error instanceof BatonError || error instanceof Impossible) return { target, error: error.message };
    throw error;
  }
}

const NO_HOME =
  "There is no home channel that you may use. An owner makes one with /sethome in the chat that should be it.";

/** The id of the person on a platform; null if they are not known there. */
function idOn(platform: Platform, { identities }: Who): string | null {
  const there = identities.map(partsOfIdentity).find((parts) => parts?.platform === platform);
  return there?.id ?? null;
}
