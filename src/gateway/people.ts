/**
 * People: who is let in and as what, how somebody unknown asks, and how the identities of one person are joined. Whoever
 * looks a person up looks into the store, so that what the owner decides counts with the next message, in every process.
 * Who wrote lately is remembered with the version of all persons: that counts only as long as the store has no newer one.
 */
import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { partsOfIdentity } from "../session/access.js";
import type { Platform } from "../session/platform.js";
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
import { HashQueue } from "./hash-queue.js";
import { isWithin, type LimitLists, limitsFor } from "./limits.js";
import { askingBy, CODE_MS, makeCode } from "./pairing.js";
import type { KnownPerson, MayJoin, PeopleStore, Person, Tried } from "./people-store.js";
import { atLeast, highest, mayAllThat, type Role, type ToolLists } from "./permissions.js";

/** What the configuration says of people. */
export interface PeopleRules extends ListedPeople {
  /** Whether somebody unknown who writes in private may ask to be let in. Default on. */
  readonly pairing?: "on" | "off";
}

export interface PeopleSetting {
  readonly clock: Clock;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Slow enough that codes cannot be found from their hashes while they count. */
  readonly hash?: (code: string, salt: string) => Promise<string>;
  /** The tools and limits of people, which a link must not add to. */
  readonly toolLists?: ToolLists;
  readonly limitLists?: LimitLists;
}

/** What somebody unknown who writes is to be told. */
export type Knock =
  | { readonly kind: "code"; readonly code: string; readonly withdraw: () => Promise<void> }
  | { readonly kind: "waiting"; readonly expiresAt: number }
  | { readonly kind: "nothing" };

const NOTHING: Knock = { kind: "nothing" };
const LONGEST_NAME = 64;
/** So many of those who wrote lately are remembered. */
const MOST_REMEMBERED = 10_000;

/** Whether somebody is let in, as of a version of all persons. */
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
  /** Who has a code that is being looked at. */
  readonly #trying = new Set<string>();
  readonly #toolLists: ToolLists;
  readonly #limitLists: LimitLists;
  #salt: string | undefined;
  readonly #recent = new Map<string, KnownPerson>();

  constructor(store: PeopleStore, rules: PeopleRules, setting: PeopleSetting) {
    this.store = store;
    this.listed = listedRoles(rules);
    this.#pairing = rules.pairing !== "off";
    this.#clock = setting.clock;
    this.#toolLists = setting.toolLists ?? {};
    this.#limitLists = setting.limitLists ?? {};
    this.#random = setting.randomBytes ?? randomBytes;
    this.#hash = setting.hash ?? slowHash;
  }

  /** Who writes, and as what. */
  async access(source: SessionSource): Promise<Access> {
    const sender = source.isBot ? null : senderOf(source);
    return authorize(source, this.listed, sender === null ? null : await this.store.find(sender));
  }

  /**
   * The same from memory, for those who are let in; null for anybody else. It may be outdated: what is done by it must
   * be bound to its version.
   */
  remembered(source: SessionSource): Seen | null {
    const known = this.#recent.get(senderOf(source) ?? "");
    if (!known) return null;
    const access = authorize(source, this.listed, known.person);
    return access.allowed ? { access, peopleVersion: known.version } : null;
  }

  /** The same from the store. */
  async lookUp(source: SessionSource): Promise<Seen> {
    const sender = source.isBot ? null : senderOf(source);
    const known = sender === null ? { person: null, version: 0 } : await this.store.known(sender);
    const access = authorize(source, this.listed, known.person);
    if (sender !== null && access.allowed) this.#remember(sender, known);
    return { access, peopleVersion: known.version };
  }

  /** Whether they are let in, as far as is known: for what is decided by the gate again. */
  async isLetIn(source: SessionSource): Promise<boolean> {
    return this.remembered(source) !== null || (await this.lookUp(source)).access.allowed;
  }

  #remember(identity: string, known: KnownPerson): void {
    this.#recent.delete(identity);
    this.#recent.set(identity, known);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MOST_REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Whether they are answered in any case, known to the store or not: where it cannot be asked. */
  isAnswered(source: SessionSource): boolean {
    return authorize(source, this.listed, null).allowed || this.#mayKnock(source);
  }

  /** What a person is; null where nothing lets them in. */
  roleOf(person: Pick<Person, "identities">): Role | null {
    return roleOf(person, this.listed);
  }

  /** The identity of the owner on a platform, listed or let in; null where there is none, or more than one. */
  async ownerOn(platform: Platform): Promise<string | null> {
    const listed = [...this.listed].filter(([, role]) => role === "owner").map(([identity]) => identity);
    const persons = (await this.store.list()).filter((person) => this.roleOf(person) === "owner");
    const known = persons.flatMap(({ identities }) => identities.map(({ identity }) => identity));
    const there = new Set([...listed, ...known].filter((identity) => platformOf(identity) === platform));
    const [only = null] = there;
    return there.size === 1 ? only : null;
  }

  /** Somebody who is not let in wrote in private: the first time they get a code; whoever asks gets to know how it is. */
  async knock(source: SessionSource, asks: boolean): Promise<Knock> {
    const identity = senderOf(source);
    if (identity === null || !this.#mayKnock(source)) return NOTHING;
    const { platform } = source;
    const now = this.#clock();
    // Looked at before a hash is made: whoever writes all day costs no more than this.
    const standing = await this.store.standing(identity, platform, now);
    const asked = askingBy(standing, now);
    if (asked === "waiting" && asks && standing.request && (await this.store.answerAgain(identity, now))) {
      return { kind: "waiting", expiresAt: standing.request.expiresAt };
    }
    if (asked !== "asked") return NOTHING;
    const code = makeCode(this.#random);
    const codeHash = await this.#hashed(code, true);
    if (codeHash === null) return NOTHING; // Too many ask at once; who writes again gets their code then.
    const called = shorten(cleanLine(source.userName ?? ""), LONGEST_NAME) || null;
    const request = { identity, platform, called, codeHash, expiresAt: now + CODE_MS };
    if ((await this.store.ask(request, now)) !== "asked") return NOTHING;
    return { kind: "code", code, withdraw: () => this.store.withdraw(identity, codeHash) };
  }

  /** Whether the owner said no to them, and has not thought better of it. */
  async isDenied(source: SessionSource): Promise<boolean> {
    const identity = senderOf(source);
    if (identity === null) return false;
    const { request } = await this.store.standing(identity, source.platform, this.#clock());
    return request?.denied === true;
  }

  /** Lets in exactly who asked with this code. `by` is who gives it: their wrong tries are counted. */
  approve(by: string, code: string, as: { readonly role: Role; readonly name: string | null }) {
    return this.#try(by, false, code, (hash, now) =>
      this.store.approve(by, hash, { id: this.newId(), ...as }, now),
    );
  }

  denyCode(by: string, code: string) {
    return this.#try(by, false, code, (hash, now) => this.store.denyCode(by, hash, now));
  }

  /** A code that joins whoever types it to this one. Only to be shown to them. */
  async showLink(identity: string): Promise<string> {
    const code = makeCode(this.#random);
    const salt = await this.#saltOfCodes();
    const codeHash = await this.#hashes.run(() => this.#hash(code, salt));
    await this.store.showLink(identity, codeHash, this.#clock() + CODE_MS);
    return code;
  }

  /**
   * Joins who types a code to who was shown it. Whoever types it becomes the other, never more: somebody who talks the
   * owner into typing a code gets nothing. Both are on different platforms: two people on one do not become one by a slip.
   * A code that others have seen is only made worthless.
   */
  link(
    typed: string,
    code: string,
    /** `role`: what whoever types it may do; null for somebody unknown. */
    options: { readonly seenByOthers: boolean; readonly role: Role | null },
  ) {
    const mayJoin: MayJoin = (shown, other) => {
      const role = this.roleOf(shown);
      const otherRole = highest([this.roleOf(other), options.role]);
      const isElsewhere = shown.identities.every(
        ({ identity }) => platformOf(identity) !== platformOf(typed),
      );
      if (!isElsewhere || role === null || (otherRole !== null && !atLeast(role, otherRole))) return false;
      // A list that names who types it would count for both: it must bring nothing to who showed the code.
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
    return this.#pairing && senderOf(source) !== null && !source.isBot && source.chatType === "dm";
  }

  /** One code at a time for each who tries, so that none is looked at before the last one was counted. */
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
