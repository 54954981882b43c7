/**
 * People: who has access and with which role, how somebody unknown asks for it, and how a person links their accounts.
 * Each look-up reads the store, so what the owner decides counts from the next message on, in every process. People who
 * wrote lately are remembered together with the store's version of all people, and only while that version is current.
 */
import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { identityNamed, partsOfIdentity } from "../session/access.js";
import { type Platform, platformTraits } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import { cleanLine, shorten } from "../util/text.js";
import {
  type Access,
  authorize,
  type Listed,
  type ListedPeople,
  listedRoles,
  roleOf,
  senderOf,
} from "./authorize.js";
import { type GroupRules, peopleIn } from "./group-rules.js";
import { HashQueue } from "./hash-queue.js";
import { isWithin, type LimitLists, limitsFor } from "./limits.js";
import { askingBy, CODE_MS, makeCode } from "./pairing.js";
import type { KnownPerson, MayJoin, PeopleStore, Person, Tried } from "./people-store.js";
import { atLeast, highest, mayAllThat, type Role, type ToolLists } from "./permissions.js";

/** What the configuration says about people. */
export interface PeopleRules extends ListedPeople {
  /** True if somebody unknown who writes in private may ask for access. This is the default. */
  readonly pairing?: "on" | "off";
}

export interface PeopleSetting {
  readonly clock: Clock;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Slow enough that nobody finds a code from its hash while it is valid. */
  readonly hash?: (code: string, salt: string) => Promise<string>;
  /** The lists of tools and limits: a link must not give anybody more. */
  readonly toolLists?: ToolLists;
  readonly limitLists?: LimitLists;
  /** Groups that list the people who may talk to the agent there. */
  readonly groups?: GroupRules["byChat"];
}

/** What somebody unknown gets as a reply. */
export type Knock =
  | { readonly kind: "code"; readonly code: string; readonly withdraw: () => Promise<void> }
  | { readonly kind: "waiting"; readonly expiresAt: number }
  | { readonly kind: "nothing" };

const NOTHING: Knock = { kind: "nothing" };
const LONGEST_NAME = 64;
/** How many people who wrote lately are remembered. */
const MOST_REMEMBERED = 10_000;

/** Somebody's access, and the version of all people that it is based on. */
export interface Seen {
  readonly access: Access;
  readonly peopleVersion: number;
}

export class People {
  readonly listed: Listed;
  readonly store: PeopleStore;
  readonly #pairing: boolean;
  readonly #clock: Clock;
  readonly #random: (count: number) => Uint8Array;
  readonly #hash: (code: string, salt: string) => Promise<string>;
  readonly #hashes = new HashQueue();
  /** The people whose code is being checked. */
  readonly #trying = new Set<string>();
  readonly #toolLists: ToolLists;
  readonly #limitLists: LimitLists;
  readonly #groups: NonNullable<GroupRules["byChat"]>;
  #salt: string | undefined;
  readonly #recent = new Map<string, KnownPerson>();

  constructor(store: PeopleStore, rules: PeopleRules, setting: PeopleSetting) {
    this.store = store;
    this.listed = listedRoles(rules);
    this.#pairing = rules.pairing !== "off";
    this.#clock = setting.clock;
    this.#toolLists = setting.toolLists ?? {};
    this.#limitLists = setting.limitLists ?? {};
    this.#groups = setting.groups ?? {};
    this.#random = setting.randomBytes ?? randomBytes;
    this.#hash = setting.hash ?? slowHash;
  }

  /** Who the sender is, and with which role. */
  async access(source: SessionSource): Promise<Access> {
    const sender = source.isBot ? null : senderOf(source);
    return this.#authorize(source, sender === null ? null : await this.store.find(sender));
  }

  #authorize(source: SessionSource, person: Person | null): Access {
    return authorize(source, this.listed, person, peopleIn(this.#groups, source));
  }

  /**
   * The same from memory, for people who have access; null for everybody else. It may be outdated, so a write that
   * depends on it must check its version.
   */
  remembered(source: SessionSource): Seen | null {
    const known = this.#recent.get(senderOf(source) ?? "");
    if (!known) return null;
    const access = this.#authorize(source, known.person);
    return access.allowed ? { access, peopleVersion: known.version } : null;
  }

  /** The same from the store. */
  async lookUp(source: SessionSource): Promise<Seen> {
    const sender = source.isBot ? null : senderOf(source);
    const known = sender === null ? { person: null, version: 0 } : await this.store.known(sender);
    const access = this.#authorize(source, known.person);
    if (sender !== null && access.allowed) this.#remember(sender, known);
    return { access, peopleVersion: known.version };
  }

  /** True if they have access, as far as is known. For questions that the gate decides again later. */
  async isLetIn(source: SessionSource): Promise<boolean> {
    return this.remembered(source) !== null || (await this.lookUp(source)).access.allowed;
  }

  #remember(identity: string, known: KnownPerson): void {
    this.#recent.delete(identity);
    this.#recent.set(identity, known);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MOST_REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** True if they have access by configuration alone: for when the store can't be asked. */
  isAnswered(source: SessionSource): boolean {
    return this.#authorize(source, null).allowed || this.#mayKnock(source);
  }

  /** The role of a person; null if they have no access. */
  roleOf(person: Pick<Person, "identities">): Role | null {
    return roleOf(person, this.listed);
  }

  /** The groups that list who may talk to the agent there. */
  groupLists(): { readonly chat: string; readonly identities: readonly string[] }[] {
    return Object.entries(this.#groups).flatMap(([chat, { people }]) => {
      const platform = chat.slice(0, chat.indexOf(":"));
      return people ? [{ chat, identities: people.map((id) => identityNamed(platform, id)) }] : [];
    });
  }

  /** The owner's identity on a platform; null if there is none, or more than one. */
  async ownerOn(platform: Platform): Promise<string | null> {
    const listed = [...this.listed].filter(([, role]) => role === "owner").map(([identity]) => identity);
    const persons = (await this.store.list()).filter((person) => this.roleOf(person) === "owner");
    const known = persons.flatMap(({ identities }) => identities.map(({ identity }) => identity));
    const there = new Set([...listed, ...known].filter((identity) => platformOf(identity) === platform));
    const [only = null] = there;
    return there.size === 1 ? only : null;
  }

  /** Somebody without access wrote in private. The first time they get a code; later they learn its state if they ask. */
  async knock(source: SessionSource, asks: boolean): Promise<Knock> {
    const identity = senderOf(source);
    if (identity === null || !this.#mayKnock(source)) return NOTHING;
    const { platform } = source;
    const now = this.#clock();
    // This comes before the slow hash: somebody who writes all day costs no more than this.
    const standing = await this.store.standing(identity, platform, now);
    const asked = askingBy(standing, now);
    if (asked === "waiting" && asks && standing.request && (await this.store.answerAgain(identity, now))) {
      return { kind: "waiting", expiresAt: standing.request.expiresAt };
    }
    if (asked !== "asked") return NOTHING;
    const code = makeCode(this.#random);
    const codeHash = await this.#hashed(code, true);
    if (codeHash === null) return NOTHING; // Too many people ask at once; they get their code when they write again.
    const called = shorten(cleanLine(source.userName ?? ""), LONGEST_NAME) || null;
    const request = { identity, platform, called, codeHash, expiresAt: now + CODE_MS };
    if ((await this.store.ask(request, now)) !== "asked") return NOTHING;
    return { kind: "code", code, withdraw: () => this.store.withdraw(identity, codeHash) };
  }

  /** True if the owner refused them, and has not let them in since. */
  async isDenied(source: SessionSource): Promise<boolean> {
    const identity = senderOf(source);
    if (identity === null) return false;
    const { request } = await this.store.standing(identity, source.platform, this.#clock());
    return request?.denied === true;
  }

  /** Gives access to exactly the person who got this code. `by` typed it: wrong attempts count against them. */
  approve(by: string, code: string, as: { readonly role: Role; readonly name: string | null }) {
    return this.#try(by, false, code, (hash, now) =>
      this.store.approve(by, hash, { id: this.newId(), ...as }, now),
    );
  }

  denyCode(by: string, code: string) {
    return this.#try(by, false, code, (hash, now) => this.store.denyCode(by, hash, now));
  }

  /** A code that links the account that types it to this one. Only this person may see it. */
  async showLink(identity: string): Promise<string> {
    const code = makeCode(this.#random);
    const salt = await this.#saltOfCodes();
    const codeHash = await this.#hashes.run(() => this.#hash(code, salt));
    await this.store.showLink(identity, codeHash, this.#clock() + CODE_MS);
    return code;
  }

  /**
   * Links the account that types a code to the account that got it. The one that types becomes the other, and never
   * more: somebody who talks the owner into typing a code gains nothing. They must be on different platforms, so that
   * two people on one platform are not linked by mistake. A code that others have seen only becomes invalid.
   */
  link(
    typed: string,
    code: string,
    /** `role`: the role of the account that types it; null for somebody unknown. */
    options: { readonly seenByOthers: boolean; readonly role: Role | null },
  ) {
    const mayJoin: MayJoin = (shown, other) => {
      const role = this.roleOf(shown);
      const otherRole = highest([this.roleOf(other), options.role]);
      const isElsewhere = shown.identities.every(
        ({ identity }) => platformOf(identity) !== platformOf(typed),
      );
      if (!isElsewhere || role === null || (otherRole !== null && !atLeast(role, otherRole))) return false;
      // A list that names the account that types would count for both, so it must not give the other one more.
      const before = { role, source: { platform: "" }, names: namesOf(shown) };
      const after = { ...before, names: [...namesOf(shown), ...namesOf(other)] };
      return (
        mayAllThat(before, after, this.#toolLists) &&
        isWithin(limitsFor(after, this.#limitLists), limitsFor(before, this.#limitLists))
      );
    };
    return this.#try(typed, options.role === null, code, (hash, now) =>
      this.store.link(typed, hash, options.seenByOthers ? null : mayJoin, this.newId(), now),
    );
  }

  newId(): string {
    return `p_${Buffer.from(this.#random(5)).toString("hex")}`;
  }

  #mayKnock(source: SessionSource): boolean {
    if (platformTraits(source.platform).signedInAs) return false; // They are to ask where they are themselves.
    return this.#pairing && senderOf(source) !== null && !source.isBot && source.chatType === "dm";
  }

  /** One code at a time for each person, so that each attempt is counted before the next is checked. */
  async #try<Outcome>(
    who: string,
    isStranger: boolean,
    code: string,
    look: (codeHash: string, now: number) => Promise<Tried<Outcome>>,
  ): Promise<Tried<Outcome>> {
    if (this.#trying.has(who)) return { kind: "busy" };
    this.#trying.add(who);
    try {
      const now = this.#clock();
      const until = await this.store.lockedUntil(who, now);
      if (until !== null) return { kind: "locked", until };
      const codeHash = await this.#hashed(code, isStranger);
      return codeHash === null ? { kind: "busy" } : await look(codeHash, now);
    } finally {
      this.#trying.delete(who);
    }
  }

  async #hashed(code: string, isStranger: boolean): Promise<string | null> {
    const salt = await this.#saltOfCodes();
    const hash = () => this.#hash(code, salt);
    return isStranger ? this.#hashes.runForStranger(hash) : this.#hashes.run(hash);
  }

  async #saltOfCodes(): Promise<string> {
    this.#salt ??= await this.store.salt(Buffer.from(this.#random(16)).toString("hex"));
    return this.#salt;
  }
}

function platformOf(identity: string): string {
  return partsOfIdentity(identity)?.platform ?? "";
}

const scrypted = promisify(scrypt) as (secret: string, salt: string, length: number) => Promise<Buffer>;

async function slowHash(code: string, salt: string): Promise<string> {
  return (await scrypted(code, salt, 32)).toString("hex");
}

function namesOf({ identities }: Pick<Person, "identities">): string[] {
  return identities.map(({ identity }) => identity);
}
