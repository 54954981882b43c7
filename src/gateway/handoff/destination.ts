/**
 * Where a handoff goes: the place that was asked for, and there the thread that an earlier handoff of this conversation
 * made, else a new one. The chat itself is the place if the platform has no threads, or does not let the bot make one.
 */

import { SendError, ThreadRefused } from "../../adapter/adapter.js";
import { partsOfIdentity } from "../../session/access.js";
import type { Handoff, HandoffStep } from "../../session/handoff.js";
import type { Platform } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import {
  type Address,
  addressOf,
  formatAddress,
  parseAddress,
  type SessionSource,
} from "../../session/source.js";
import type { HandoffStore, LanePlace } from "../../session/store.js";
import { TERMINAL, type Who } from "../authorize.js";
import { Impossible, impossibleIfRefused, laneAt } from "../lane-at.js";
import type { People } from "../people.js";
import type { GatewayEffects } from "../store.js";
import { type Surface, speakerOf } from "../surface.js";
import type { HandoffDesk } from "./desk.js";

export interface DestinationsSetting {
  readonly sessions: Sessions;
  readonly handoffs: Pick<HandoffStore<GatewayEffects>, "lastTo">;
  readonly desk: HandoffDesk;
  readonly people: People;
}

/** The lane that the session will have, and how it was found. */
export interface Aim {
  readonly source: SessionSource;
  /** The thread is of an earlier handoff. It may be gone. */
  readonly isReused: boolean;
  /** Why it is the chat itself although the platform has threads. */
  readonly refusal: string | null;
}

/** What the work is about, and how each step of it is saved. */
export interface Carried {
  readonly held: Handoff;
  readonly entry: SessionEntry;
  readonly surface: Surface;
  readonly step: (step: HandoffStep) => Promise<void>;
}

export class Destinations {
  readonly #setting: DestinationsSetting;

  constructor(setting: DestinationsSetting) {
    this.#setting = setting;
  }

  /** The destination; it is saved before anything is said there. */
  async aim(carried: Carried): Promise<Aim> {
    const { held, surface } = carried;
    const asked = await placeAsked(this.#setting.desk, held);
    const earlier = asked.threadId ? null : await this.#earlierThread(held);
    if (held.destination) {
      const isReused = earlier !== null && isSame(earlier, addressOf(held.destination));
      return { source: held.destination, isReused, refusal: null };
    }
    const person = await this.#personOn(asked.platform, held);
    if (earlier) {
      const lane = await laneAt(this.#setting.sessions, earlier, surface, person).catch(nullIfGone);
      if (lane) return { ...(await this.#save(carried, lane)), isReused: true };
    }
    if (asked.threadId) return this.#at(carried, asked, person);
    return this.aimAnew(carried);
  }

  /** The same with a new thread, if that of an earlier handoff is gone. */
  async aimAnew(carried: Carried): Promise<Aim> {
    const parent = await placeAsked(this.#setting.desk, carried.held);
    const person = await this.#personOn(parent.platform, carried.held);
    try {
      return await this.#at(carried, await makeThread(carried, parent, person), person);
    } catch (error) {
      if (!(error instanceof ThreadRefused)) throw error;
      return { ...(await this.#at(carried, parent, person)), refusal: error.message };
    }
  }

  async #at(carried: Carried, address: Address, person: string | null): Promise<Aim> {
    return this.#save(carried, await laneAt(this.#setting.sessions, address, carried.surface, person));
  }

  async #save({ held, step }: Carried, { key, origin }: LanePlace): Promise<Aim> {
    await step({ kind: "aim", fence: held.fence, destination: { key, origin } });
    return { source: origin, isReused: false, refusal: null };
  }

  /** The thread that the last handoff of this session to this place made, unless another conversation is in it now. */
  async #earlierThread({ sessionId, target }: Handoff): Promise<Address | null> {
    const { handoffs, sessions } = this.#setting;
    const thread = (await handoffs.lastTo(sessionId, target))?.destination;
    if (!thread?.threadId) return null;
    const present = await sessions.current(sessions.laneOf(thread).key);
    const isFree = present === null || present.endedAt !== null || present.sessionId === sessionId;
    return isFree ? addressOf(thread) : null;
  }

  /**
   * The asker's id on a platform, if they are known there. The terminal and scripts belong to the owner, who may be known
   * there without a link.
   */
  async #personOn(platform: Platform, held: Handoff): Promise<string | null> {
    const { people } = this.#setting;
    const who = await whoAsked(people, held);
    const isOwners = held.asker === null || who?.identities.includes(TERMINAL);
    const own = who?.identities.find((identity) => partsOfIdentity(identity)?.platform === platform);
    const identity = own ?? (isOwners ? await people.ownerOn(platform) : null);
    return (identity && partsOfIdentity(identity)?.id) || null;
  }
}

/** A program may write anything as the target, so it may not be a place. */
export async function placeAsked(desk: HandoffDesk, { target }: Handoff): Promise<Address> {
  try {
    return target.includes(":") ? parseAddress(target) : (await desk.placeNamed(target, null)).address;
  } catch (error) {
    throw impossibleIfRefused(error);
  }
}

/** Who asked, if they still have access. */
export async function whoAsked(people: People, { asker }: Handoff): Promise<Who | null> {
  if (!asker) return null;
  const access = await people.access(asker.source);
  return access.allowed ? access : null;
}

/** A new thread, or the chat itself if there are none. */
async function makeThread(
  { held, entry, surface, step }: Carried,
  parent: Address,
  person: string | null,
): Promise<Address> {
  const speaker = await speakerOf(surface);
  if (!speaker.createThread) return parent;
  const mayRepeat = surface.capabilities.threadsOnce === true;
  if (held.isThreadBegun && !mayRepeat) {
    throw new Impossible(
      "A gateway stopped while creating a thread there, so it is unknown whether the thread exists. Ask again.",
    );
  }
  await step({ kind: "begin thread", fence: held.fence });
  const title = entry.title ?? "Conversation";
  try {
    return (await speaker.createThread(parent, title, person, held.id)) ?? parent;
  } catch (error) {
    // If nobody knows whether it was made, the same name makes it at most once.
    throw mayRepeat && isOutcome(error, "unknown") ? new SendError("retryable", error.message) : error;
  }
}

function isSame(one: Address, other: Address): boolean {
  return formatAddress(one) === formatAddress(other);
}

function nullIfGone(error: unknown): null {
  if (error instanceof Impossible || isOutcome(error, "permanent")) return null;
  throw error;
}

function isOutcome(error: unknown, outcome: SendError["outcome"]): error is SendError {
  return error instanceof SendError && error.outcome === outcome;
}
