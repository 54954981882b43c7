/**
 * Accepts requests for handoffs: where a person may take a conversation, and what Baton says to them. Only a session's person
 * or the gateway's owner can move it, to places that they may use. Nobody else learns that it exists.
 */

import { TERMINAL_ACCOUNT } from "../../adapter/terminal/terminal-source.js";
import { addressIn } from "../../config/home-channel.js";
import { isOwn, OWNER } from "../../session/access.js";
import { type BatonError, ConflictError, InputError, NotFoundError } from "../../session/errors.js";
import type { Asker, Handoff } from "../../session/handoff.js";
import { deliveryIdOf, type HandoffId, newHandoffId, type SessionId } from "../../session/ids.js";
import { isPlatform, LOCAL, type Platform } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import {
  type Address,
  addressOf,
  formatAddress,
  localSource,
  type SessionSource,
} from "../../session/source.js";
import type { HandoffStore } from "../../session/store.js";
import type { SessionsView } from "../../session/view.js";
import type { Clock } from "../../util/clock.js";
import { mayBeAlive } from "../../util/holder.js";
import { cleanLine, shorten } from "../../util/text.js";
import { TERMINAL, type Who } from "../authorize.js";
import { STATE } from "../connection.js";
import type { Homes } from "../homes.js";
import type { Account, Accounts, GatewayEffects, NewDelivery } from "../store.js";
import { NOBODY_CAME } from "./decide.js";
import { addressWords, failedText, movedText, placeWords, surfaceOf, takenText } from "./words.js";

export interface DeskSetting {
  readonly sessions: Sessions;
  readonly handoffs: HandoffStore<GatewayEffects>;
  readonly accounts: Accounts;
  readonly homes: Pick<Homes, "all">;
  /** Accounts that are connected in this process. */
  readonly connected: () => readonly Account[];
  /** How long a handoff may wait to be carried out. */
  readonly waitMs?: number;
  readonly clock: Clock;
}

/** A place that a conversation can be taken to. */
export interface Destination {
  /** The word that people write for it. */
  readonly word: string;
  readonly address: Address;
  /** Its name, for people. */
  readonly name: string;
}

/** Who asks, and what Baton says to them at once; null for the owner in a script. */
type By = { readonly who: Who; readonly asker: Asker; readonly said: string } | null;

const TERMINAL_PLACE: Destination = { word: LOCAL, address: addressOf(localSource()), name: "the terminal" };
const LOOKED_AT = 50;
/** Taking an offer is two commits; a process that does not reach the second one has ended. */
const TAKE_MS = 10_000;

export class HandoffDesk {
  readonly #setting: DeskSetting;

  constructor(setting: DeskSetting) {
    this.#setting = setting;
  }

  /** Every place that this person may name, the home channels first. */
  async places(who: Who | null): Promise<Destination[]> {
    const served = new Set((await this.#served()).map(({ platform }) => platform));
    const homes = await this.#homes(who);
    const own = await this.#ownPlaces(who);
    const known = new Set(homes.map(({ address }) => formatAddress(address)));
    const others = own.filter(({ address }) => !known.has(formatAddress(address)));
    const reachable = [...homes, ...others].filter(({ address }) => served.has(address.platform));
    return mayUseTerminal(who) ? [...reachable, TERMINAL_PLACE] : reachable;
  }

  /** The place that a word names; fails with a sentence if there is none for this person. */
  async placeNamed(word: string, who: Who | null): Promise<Destination> {
    const asked = cleanLine(word);
    const lower = asked.toLowerCase();
    if (lower === LOCAL) {
      if (mayUseTerminal(who)) return TERMINAL_PLACE;
      throw refused("Only the person who runs this gateway can use the terminal.");
    }
    const homes = await this.#homes(who);
    const [platform = "", ...ids] = lower.split(":");
    // This comes before the names: the list uses this word for the platform, whatever another home channel is called.
    if (isPlatform(platform) && ids.length === 0)
      return this.#mustBeServed(await this.#placeOn(platform, homes, who));
    const [named, ...alike] = homes.filter(({ name }) => name.toLowerCase() === lower);
    if (named && alike.length > 0)
      throw refused(
        `Several home channels are called ${JSON.stringify(named.name)}. Use ${listed([named, ...alike])}.`,
      );
    if (named) return this.#mustBeServed(named);
    if (!isPlatform(platform)) {
      throw refused(`There is no chat ${JSON.stringify(shorten(asked, 60))}. Send /handoff to list yours.`);
    }
    const address = addressIn(platform, asked.slice(platform.length + 1));
    if (!(await this.mayUse(who, address)))
      throw refused(
        `There is no chat ${addressWords(address)} that you may take a conversation to. Send /handoff to list yours.`,
      );
    return this.#mustBeServed({
      word: asked,
      address,
      name: `${surfaceOf(address)} (${addressWords(address)})`,
    });
  }

  /** Requests that a session is moved. The gateway that serves the place carries it out. */
  async ask(entry: SessionEntry, place: Destination, by: By): Promise<Handoff> {
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
      answering: { account: TERMINAL_ACCOUNT, holder },
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

  /** True if this person may take a conversation there: they already talk there. */
  async mayUse(who: Who | null, address: Address): Promise<boolean> {
    if (address.platform === LOCAL) return mayUseTerminal(who);
    if (who === null || who.role === "owner") return true;
    return (await this.#viewOf(who).laneAt(address)) !== null;
  }

  /** The account that serves a platform; null if none does. */
  async accountOn(platform: Platform): Promise<Account | null> {
    if (platform === LOCAL) return { platform, account: TERMINAL_ACCOUNT };
    return (await this.#served()).find((account) => account.platform === platform) ?? null;
  }

  async #homes(who: Who | null): Promise<Destination[]> {
    const homes = await this.#setting.homes.all();
    const may = await Promise.all(homes.map(({ address }) => this.mayUse(who, address)));
    return homes
      .filter((_, n) => may[n])
      .map(({ address, name }) => ({ word: address.platform, address, name: cleanLine(name) }));
  }

  async #placeOn(platform: Platform, homes: readonly Destination[], who: Who | null): Promise<Destination> {
    const isThere = ({ address }: Destination): boolean => address.platform === platform;
    const place = homes.find(isThere) ?? (await this.#ownPlaces(who)).find(isThere);
    if (place) return place;
    throw refused(
      `${surfaceOf({ platform })} has no home channel, and you have no chat there. Send /sethome in the chat that should be the home channel, or name a chat: ${platform}:<chat>.`,
    );
  }

  /** The private chats of this person, the latest first. */
  async #ownPlaces(who: Who | null): Promise<Destination[]> {
    if (who === null) return [];
    const { items } = await this.#viewOf(who).list({ limit: LOOKED_AT });
    const theirs = items.filter(
      ({ laneOwner, platform, endedAt }) =>
        endedAt === null && platform !== LOCAL && isOwn({ owner: laneOwner }, who.identities),
    );
    const places = new Map<string, Destination>();
    for (const { origin } of theirs) {
      const address = addressOf(origin);
      const word = formatAddress(address);
      if (!places.has(word)) places.set(word, { word, address, name: placeWords(origin) });
    }
    return [...places.values()];
  }

  #viewOf(who: Who) {
    const { sessions } = this.#setting;
    return sessions.as(who.viewer.kind === "owner" ? OWNER : { kind: "person", identities: who.identities });
  }

  async #mustBeServed(place: Destination): Promise<Destination> {
    const { platform } = place.address;
    if (await this.accountOn(platform)) return place;
    throw refused(
      `${surfaceOf({ platform })} is not connected now, so nothing was moved. Start it with \`baton gateway\`, or check it with \`baton gateway status\`.`,
    );
  }

  /** Accounts that are connected, in any process. */
  async #served(): Promise<Account[]> {
    const { accounts, connected, clock } = this.#setting;
    const here = [...connected()];
    const elsewhere = await Promise.all(
      (await accounts.all(STATE)).map(async ({ value, ...account }) => {
        if (!isConnected(value)) return [];
        const holder = await accounts.lease(account, clock());
        return holder && holder.until > clock() && mayBeAlive(holder.holder) ? [account] : [];
      }),
    );
    return [...here, ...elsewhere.flat()];
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

export function toldMoved(id: HandoffId, asker: Asker | null, to: SessionSource): NewDelivery[] {
  return asker ? [told(id, asker, movedText(to, addressOf(to)))] : [];
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

function mayUseTerminal(who: Who | null): boolean {
  return who === null || who.role === "owner" || who.identities.includes(TERMINAL);
}

function listed(places: readonly Destination[]): string {
  return places.map(({ word }) => `\`${cleanLine(word)}\``).join(" or ");
}

function isConnected(state: string): boolean {
  return (JSON.parse(state) as { state?: { kind?: unknown } }).state?.kind === "connected";
}

function refused(why: string): InputError {
  return new InputError("handoff_refused", why);
}
