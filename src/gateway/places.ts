/** The places that people may name: home channels, their own chats, addresses, and the terminal. Nobody learns of others. */
import { terminalAccount } from "../adapter/terminal/terminal-source.js";
import { addressIn } from "../config/home-channel.js";
import { isOwn, OWNER } from "../session/access.js";
import { type HomeChannel, wordOf } from "../session/context.js";
import { InputError } from "../session/errors.js";
import { isPlatform, LOCAL, type Platform, platforms, platformTraits } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import type { Sessions } from "../session/sessions.js";
import { type Address, addressOf, formatAddress, localSource } from "../session/source.js";
import { cleanLine, shorten } from "../util/text.js";
import { senderOf, TERMINAL, type Who } from "./authorize.js";
import { foldedWord } from "./home-word.js";
import { Homes } from "./homes.js";
import { addressWords, placeWords, surfaceOf } from "./place-words.js";
import { Served, type ServedSetting } from "./served.js";
import type { Account, Accounts } from "./store.js";
import type { WebDevices } from "./web/devices.js";

export interface PlacesSetting extends ServedSetting {
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  /** Where people are signed in. */
  readonly devices: Pick<WebDevices, "list">;
  /** Those of the settings. */
  readonly homeChannels: readonly HomeChannel[];
}

/** A place that a person may name. */
export interface Place {
  /** The word that people write for it. */
  readonly word: string;
  readonly address: Address;
  /** Its name, for people. */
  readonly name: string;
}

const TERMINAL_PLACE: Place = { word: LOCAL, address: addressOf(localSource()), name: "the terminal" };
const LOOKED_AT = 50;

export class Places {
  readonly homes: Homes;
  /** Which platforms can be reached. */
  readonly served: Served;
  readonly #setting: PlacesSetting;

  constructor(setting: PlacesSetting) {
    this.#setting = setting;
    this.homes = new Homes(setting.accounts, setting.homeChannels);
    this.served = new Served(setting);
  }

  /** Every place that this person may name, the home channels first. */
  async all(who: Who | null): Promise<Place[]> {
    const served = await this.served.platforms();
    const homes = await this.#homes(who);
    const signedIn = (await this.#placesSignedIn(who)).filter(
      ({ word }) => !homes.some((home) => home.word === word),
    );
    const named = [...homes, ...signedIn];
    const own = await this.#ownPlaces(who);
    const known = new Set(named.map(({ address }) => formatAddress(address)));
    const others = own.filter(({ address }) => !known.has(formatAddress(address)));
    const reachable = [...named, ...others].filter(({ address }) => served.has(address.platform));
    return mayUseTerminal(who) ? [...reachable, TERMINAL_PLACE] : reachable;
  }

  /** The place that a word names; fails with a sentence if there is none for this person. */
  async named(word: string, who: Who | null): Promise<Place> {
    const asked = cleanLine(word);
    const lower = foldedWord(asked);
    if (lower === LOCAL) {
      if (mayUseTerminal(who)) return TERMINAL_PLACE;
      throw refused("Only the person who runs this gateway can use the terminal.");
    }
    const homes = await this.#homes(who);
    const [platform = "", ...ids] = lower.split(":");
    // This comes before the names: a home channel may have got its name before a platform of that name was added.
    if (isPlatform(platform) && ids.length === 0) return this.#placeOn(platform, homes, who);
    const named = homes.find((home) => home.word === lower);
    if (named) return named;
    if (!isPlatform(platform)) {
      throw refused(`There is no chat ${JSON.stringify(shorten(asked, 60))}. Send /handoff to list yours.`);
    }
    const address = addressIn(platform, asked.slice(platform.length + 1));
    if (!(await this.mayUse(who, address)))
      throw refused(
        `There is no chat ${addressWords(address)} that you may take a conversation to. Send /handoff to list yours.`,
      );
    return { word: asked, address, name: `${surfaceOf(address)} (${addressWords(address)})` };
  }

  /** True if this person may take a conversation there: they already talk there. */
  async mayUse(who: Who | null, address: Address): Promise<boolean> {
    if (address.platform === LOCAL) return mayUseTerminal(who);
    const { chatOf } = isPlatform(address.platform) ? platformTraits(address.platform) : {};
    // Such a chat is one person's, so it is nobody else's place, also not an owner's.
    if (chatOf) return identitiesOf(who).some((identity) => chatOf(identity) === address.chatId);
    if (who === null || who.role === "owner") return true;
    return (await this.#viewOf(who).laneAt(address)) !== null;
  }

  /** The account that serves an address; null if none does. */
  async accountOn(address: Address): Promise<Account | null> {
    const { platform } = address;
    if (platform === LOCAL) return { platform, account: terminalAccount(address) };
    return this.served.accountOn(platform);
  }

  /** The same, also if nobody serves it now; null if no gateway of this store ever did. */
  async lastAccountOn(address: Address): Promise<Account | null> {
    return (await this.accountOn(address)) ?? this.served.lastAccountOn(address.platform);
  }

  async #homes(who: Who | null): Promise<Place[]> {
    const homes = await this.homes.all();
    const may = await Promise.all(homes.map(({ address }) => this.mayUse(who, address)));
    return homes
      .filter((_, n) => may[n])
      .map((home) => ({ word: wordOf(home), address: home.address, name: homeName(home) }));
  }

  async #placeOn(platform: Platform, homes: readonly Place[], who: Who | null): Promise<Place> {
    const isThere = ({ address }: Place): boolean => address.platform === platform;
    const isDefault = (home: Place): boolean => isThere(home) && home.word === platform;
    const place =
      homes.find(isDefault) ??
      (await this.#placesSignedIn(who)).find(isThere) ??
      (await this.#ownPlaces(who)).find(isThere);
    if (place) return place;
    throw refused(
      `${surfaceOf({ platform })} has no default home channel, and you have no chat there. Send /sethome in the chat that should be the default, or name a chat: ${platform}:<chat>.`,
    );
  }

  /**
   * Where people sign in, everybody has a chat: that of the identity that was seen there last, else of the one that they
   * write with.
   */
  async #placesSignedIn(who: Who | null): Promise<Place[]> {
    const there = platforms().filter((platform) => platformTraits(platform).chatOf !== undefined);
    const identities = identitiesOf(who);
    if (there.length === 0 || identities.length === 0) return [];
    const [seen] = await this.#setting.devices.list(identities);
    const sender = who && senderOf(who.source);
    const usual = sender && identities.includes(sender) ? sender : (identities[0] ?? "");
    return there.flatMap((platform) => {
      const chatId = platformTraits(platform).chatOf?.(seen?.identity ?? usual);
      if (chatId === undefined) return [];
      return [{ word: platform, address: { platform, chatId }, name: "your chat" }];
    });
  }

  /** The private chats of this person, the latest first. */
  async #ownPlaces(who: Who | null): Promise<Place[]> {
    if (who === null) return [];
    const { items } = await this.#viewOf(who).list({ limit: LOOKED_AT });
    const theirs = items.filter(
      (entry) =>
        isGoingOn(entry) && isSpoken(entry.platform) && isOwn({ owner: entry.laneOwner }, who.identities),
    );
    const places = new Map<string, Place>();
    for (const { origin } of theirs) {
      const address = addressOf(origin);
      const word = formatAddress(address);
      if (!places.has(word)) places.set(word, { word, address, name: placeWords(origin) });
    }
    return [...places.values()];
  }

  #viewOf(who: Who) {
    const { sessions } = this.#setting;
    if (who.isOnlyHere) return sessions.as(who.viewer);
    return sessions.as(who.viewer.kind === "owner" ? OWNER : { kind: "person", identities: who.identities });
  }
}

/** Of somebody who has a chat of their own where people sign in; null is the person at this machine. */
function identitiesOf(who: Who | null): readonly string[] {
  if (who === null) return [TERMINAL];
  return who.isOnlyHere ? [] : who.identities;
}

/** Where conversations can be taken to and people can be told something. */
function isSpoken(platform: Platform): boolean {
  return platform !== LOCAL && !(isPlatform(platform) && platformTraits(platform).isInternal);
}

function mayUseTerminal(who: Who | null): boolean {
  return who === null || who.role === "owner" || who.identities.includes(TERMINAL);
}

/** With its platform, unless the word already says that. */
function homeName({ address, name, word }: HomeChannel): string {
  return cleanLine(word === undefined ? name : `${surfaceOf(address)}, ${name}`);
}

function refused(why: string): InputError {
  return new InputError("handoff_refused", why);
}

/** Also if a policy ended it: then its chat goes on with a fresh one. */
function isGoingOn({ endReason }: SessionEntry): boolean {
  return endReason === null || endReason === "idle" || endReason === "daily";
}
