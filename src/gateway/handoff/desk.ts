/**
 * Accepts requests for handoffs: where a person may take a conversation, and what Baton says to them. Only a session's person
 * or the gateway's owner can move it, to places that they may use. Nobody else learns that it exists.
 */

import { terminalAccount } from "../../adapter/terminal/terminal-source.js";
import { isOwn } from "../../session/access.js";
import { type BatonError, ConflictError, InputError, NotFoundError } from "../../session/errors.js";
import type { Asker, Handoff } from "../../session/handoff.js";
import { deliveryIdOf, type HandoffId, newHandoffId, type SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import { addressOf, formatAddress, type SessionSource } from "../../session/source.js";
import type { HandoffStore } from "../../session/store.js";
import type { SessionsView } from "../../session/view.js";
import type { Clock } from "../../util/clock.js";
import { cleanLine } from "../../util/text.js";
import type { Who } from "../authorize.js";
import { surfaceOf } from "../place-words.js";
import type { Place, Places } from "../places.js";
import type { GatewayEffects, NewDelivery } from "../store.js";
import { NOBODY_CAME } from "./decide.js";
import { failedText, movedText, takenText } from "./words.js";

export interface DeskSetting {
  readonly sessions: Sessions;
  readonly handoffs: HandoffStore<GatewayEffects>;
  readonly places: Places;
  /** How long a handoff may wait to be carried out. */
  readonly waitMs?: number;
  readonly clock: Clock;
}

/** Who asks, and what Baton says to them at once; null for the owner in a script. */
type By = { readonly who: Who; readonly asker: Asker; readonly said: string } | null;

/** Taking an offer is two commits; a process that does not reach the second one has ended. */
const TAKE_MS = 10_000;

export class HandoffDesk {
  readonly places: Places;
  readonly #setting: DeskSetting;

  constructor(setting: DeskSetting) {
    this.#setting = setting;
    this.places = setting.places;
  }

  /** The place that a word names, if its platform is connected; fails with a sentence otherwise. */
  async placeNamed(word: string, who: Who | null): Promise<Place> {
    const place = await this.places.named(word, who);
    const { platform } = place.address;
    if (await this.places.accountOn(place.address)) return place;
    throw refused(
      `${surfaceOf({ platform })} is not connected now, so nothing was moved. Start it with \`baton gateway\`, or check it with \`baton gateway status\`.`,
    );
  }

  /** Requests that a session is moved. The gateway that serves the place carries it out. */
  async ask(entry: SessionEntry, place: Place, by: By): Promise<Handoff> {
    const { handoffs, clock, waitMs } = this.#setting;
    if (by && !mayMove(by.who, entry))
      throw refused("This conversation is not only yours, so you can't move it.");
    const { address } = place;
    if (formatAddress(addressOf(entry.origin)) === formatAddress(address) && entry.endedAt === null)
      throw refused("It is already there.");
    const id = newHandoffId();
    const target = address.platform === LOCAL ? LOCAL : formatAddress(address);
    const asker = by?.asker ?? null;
    const said = by
      ? [
          {
            ...told(id, by.asker, by.said),
            deliveryId: deliveryIdOf(id, "asked"),
            purpose: "command" as const,
          },
        ]
      : [];
    const asked = { id, sessionId: entry.sessionId, target, asker, ...(waitMs ? { waitMs } : {}) };
    const handoff = await handoffs.request(asked, clock(), { deliveries: said });
    if (!handoff) throw await this.#alreadyAsked(entry);
    return handoff;
  }

  /** Cancels a handoff that nobody has begun to carry out. `tell`: somebody else cancels it, and Baton tells the asker. */
  cancel(handoff: Handoff, { tell }: { readonly tell: boolean }): Promise<void> {
    return this.#withdraw(handoff, "It was cancelled.", tell);
  }

  /** The same, for an asker who has waited long enough. */
  giveUp(handoff: Handoff): Promise<void> {
    return this.#withdraw(handoff, NOBODY_CAME, false);
  }

  async #withdraw({ id, asker, target }: Handoff, error: string, tell: boolean): Promise<void> {
    const { handoffs, clock } = this.#setting;
    const deliveries = tell && asker ? [told(id, asker, failedText(targetWords(target), error))] : [];
    const outcome = await handoffs.step(id, { kind: "cancel", error }, clock(), { deliveries });
    if (!outcome?.ok) {
      const now = await handoffs.find(id, clock());
      throw new ConflictError(
        "handoff_refused",
        `It can no longer be cancelled: it is ${now?.state ?? "gone"}.`,
      );
    }
  }

  /** The open handoff of a session. */
  async active(sessionId: SessionId): Promise<Handoff | null> {
    const { handoffs, clock } = this.#setting;
    return (await handoffs.open(clock())).find((handoff) => handoff.sessionId === sessionId) ?? null;
  }

  /** What is offered to the terminal, newest first. */
  async offers(): Promise<Handoff[]> {
    const { handoffs, clock } = this.#setting;
    const open = await handoffs.open(clock());
    return open.filter(({ target, state }) => target === LOCAL && state === "pending").reverse();
  }

  /** Takes an offer into the lane of this source, and tells the person who made it. Fails if it no longer exists. */
  async take(offer: Handoff, source: SessionSource, holder: string): Promise<SessionEntry> {
    const { handoffs, sessions, clock } = this.#setting;
    const now = clock();
    const { id, fence, asker } = offer;
    const claimed = await handoffs.step(id, { kind: "claim", fence, holder, leaseMs: TAKE_MS }, now);
    const effects = {
      place: sessions.laneOf(source),
      answering: { account: terminalAccount(source), holder },
      deliveries: asker ? [told(id, asker, takenText())] : [],
    };
    const complete = { kind: "complete", fence: fence + 1 } as const;
    const done = claimed?.ok && (await handoffs.step(id, complete, now, effects))?.ok;
    const entry = done && (await sessions.get(offer.sessionId));
    if (!entry) throw new NotFoundError("handoff_not_found", "It is no longer offered, or it is busy now.");
    return entry;
  }

  /**
   * Takes a session into the lane of this source from anywhere, with its waiting messages. `view` limits it to sessions
   * that a person may see.
   */
  bring(
    sessionId: SessionId,
    { source, account }: Omit<Asker, "holder">,
    holder: string,
    view?: SessionsView,
  ) {
    return (view ?? this.#setting.sessions).switchTo(source, sessionId, { account, holder });
  }

  async #alreadyAsked({ sessionId }: SessionEntry): Promise<BatonError> {
    const handoff = await this.active(sessionId);
    const how = handoff ? `to ${targetWords(handoff.target)} (${handoff.state})` : "just now";
    const cancel = handoff?.state === "pending" ? " To cancel that, send /handoff cancel." : "";
    return new ConflictError(
      "handoff_active",
      `This conversation is already being handed off ${how}.${cancel}`,
    );
  }
}

/** The message to the asker at the end, in the same commit. */
export function told(id: HandoffId, { source, account, holder }: Asker, text: string): NewDelivery {
  return {
    deliveryId: deliveryIdOf(id, "told"),
    account,
    holder,
    address: addressOf(source),
    purpose: "outcome",
    handoffId: id,
    text,
    sessionId: null,
    shown: false,
  };
}

export function toldMoved(
  id: HandoffId,
  asker: Asker | null,
  to: SessionSource,
  refusal: string | null,
): NewDelivery[] {
  return asker ? [told(id, asker, movedText(to, addressOf(to), refusal))] : [];
}

/** True for the session's person, the people of the private chat that it is in, and the gateway's owner. */
export function mayMove({ role, identities }: Who, { owner, laneOwner }: SessionEntry): boolean {
  if (role === "owner") return true;
  return isOwn({ owner }, identities) || isOwn({ owner: laneOwner }, identities);
}

/** The requested place, in words. */
export function targetWords(target: string): string {
  return target === LOCAL ? "the terminal" : `\`${cleanLine(target)}\``;
}

function refused(why: string): InputError {
  return new InputError("handoff_refused", why);
}
