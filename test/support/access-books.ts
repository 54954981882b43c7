/**
 * The oracle of access: what happened, as somebody who watched would write it down, and who may see what of it. It uses
 * nothing of Baton's own rules or tables.
 *
 * A conversation is of one person or of a chat, and it is in one lane. In private, people see what is theirs and what is in
 * a lane of theirs, by all their linked accounts. In a chat, they see what is in that chat now, and is the chat's, or of
 * the account that they write with. Nobody else sees anything of it, but the machine's owner in private.
 */
import type { JobId, SessionId } from "../../src/session/ids.js";
import type { SessionSource } from "../../src/session/source.js";

/** One account on a platform. */
export interface Account {
  readonly name: string;
  readonly role: "guest" | "member" | "owner";
  /** The only chat in which they have access. */
  readonly only?: string;
}

/** Where an account writes: alone, where all share a conversation, or where each member has their own. */
export interface Spot {
  readonly account: Account;
  readonly source: SessionSource;
  readonly kind: "private" | "shared" | "own";
  readonly chat: string;
  readonly lane: Lane;
}

export interface Lane {
  readonly of: Whose;
  readonly chat: string;
  /** What goes on there with the next message; null if that begins a new one. */
  current: Kept | null;
  /** What ended there because nobody wrote for long: still shown as the lane's, until something else is. */
  expired: Kept | null;
}

/** The account that something is of; or else the chat. */
export type Whose = { readonly account: Account } | { readonly chat: string };

export interface Said {
  readonly kept: Kept;
  readonly seq: number;
  readonly mark: string;
  readonly by: "user" | "assistant";
  readonly at: number;
  /** Of its writer, if the gateway took it in. */
  readonly role?: Account["role"];
  superseded: boolean;
}

/** A conversation. */
export interface Kept {
  readonly id: SessionId;
  readonly of: Whose;
  lane: Lane;
  title: string | null;
  nextSeq: number;
  /** What turns in it used. */
  tokens: number;
}

export interface KeptNote {
  readonly id: number;
  readonly of: Whose;
  readonly mark: string;
}

export interface KeptUse {
  readonly account: Account;
  readonly sessionId: SessionId;
  readonly jobId: string;
  readonly model: string;
  readonly day: string;
  readonly tokens: number;
}

export interface KeptJob {
  readonly id: JobId;
  readonly account: Account;
  readonly chat: string;
}

export class Books {
  readonly sessions: Kept[] = [];
  /** In the order in which they were stored. */
  readonly said: Said[] = [];
  readonly notes: KeptNote[] = [];
  readonly uses: KeptUse[] = [];
  readonly jobs: KeptJob[] = [];
  /** Each account's person; accounts that are linked have the same one. */
  readonly #persons = new Map<Account, object>();
  /** Who has the terminal. */
  operator: Account | null = null;
  #marks = 0;

  /** A word that nothing else contains. */
  mark(): string {
    this.#marks += 1;
    return `mk${this.#marks}z`;
  }

  link(one: Account, other: Account): void {
    const person = this.#persons.get(one) ?? {};
    this.#persons.set(one, person);
    this.#persons.set(other, person);
  }

  unlink(account: Account): void {
    this.#persons.set(account, {});
  }

  isSame(one: Account, other: Account): boolean {
    const person = this.#persons.get(one);
    return one === other || (person !== undefined && person === this.#persons.get(other));
  }

  begin(id: SessionId, { lane }: Spot, of: Whose = lane.of): Kept {
    const kept: Kept = { id, of, lane, title: null, nextSeq: 1, tokens: 0 };
    this.sessions.push(kept);
    this.#put(kept, lane);
    return kept;
  }

  /** It leaves the lane that it was in, and whatever was in this one stays without a lane to go on in. */
  move(kept: Kept, lane: Lane): void {
    if (kept.lane.current === kept) kept.lane.current = null;
    if (kept.lane.expired === kept) kept.lane.expired = null;
    this.#put(kept, lane);
  }

  #put(kept: Kept, lane: Lane): void {
    kept.lane = lane;
    lane.current = kept;
    lane.expired = null;
  }

  end({ lane }: Kept): void {
    lane.current = null;
    lane.expired = null;
  }

  expire(kept: Kept): void {
    kept.lane.current = null;
    kept.lane.expired = kept;
  }

  say(kept: Kept, said: Pick<Said, "mark" | "by" | "at" | "role">): void {
    this.said.push({ ...said, kept, seq: kept.nextSeq, superseded: false });
    kept.nextSeq += 1;
  }

  /** A copy with the messages that count, numbered again. */
  branch(id: SessionId, original: Kept, spot: Spot): Kept {
    const copied = this.in(original);
    const kept = this.begin(id, spot, original.of);
    for (const said of copied) this.say(kept, said);
    return kept;
  }

  /** What is said in it and was not taken back. */
  in(kept: Kept): Said[] {
    return this.said.filter((said) => said.kept === kept && !said.superseded);
  }

  isTitleFree(of: Whose, title: string): boolean {
    return !this.sessions.some((kept) => kept.title === title && isEqual(kept.of, of));
  }

  // Who may write where.

  /** The accounts that a chat lists; other chats are for everybody who has access. */
  readonly listed = new Map<string, readonly Account[]>();

  mayWrite(account: Account, chat: string, isPrivate: boolean): boolean {
    const here = isPrivate ? undefined : this.listed.get(chat);
    return here ? here.includes(account) : account.only === undefined;
  }

  // Who may see what.

  maySee(spot: Spot, kept: Kept): boolean {
    const { account, chat, kind } = spot;
    const whose = [kept.of, kept.lane.of];
    if (kind === "private") {
      if (this.operator && this.isSame(account, this.operator)) return true;
      return whose.some((of) => "account" in of && this.isSame(of.account, account));
    }
    if (kept.lane.chat !== chat) return false;
    return whose.some((of) => ("account" in of ? of.account === account : of.chat === chat));
  }

  seen(spot: Spot): Kept[] {
    return this.sessions.filter((kept) => this.maySee(spot, kept));
  }

  /** Newest first. */
  found(spot: Spot, mark?: string): Said[] {
    const seen = new Set(this.seen(spot));
    const hits = this.said.filter(
      (said) => seen.has(said.kept) && !said.superseded && (mark === undefined || said.mark === mark),
    );
    return hits.reverse();
  }

  /** In private what is about the person; in a chat what is about the chat. */
  notesFor({ account, chat, kind }: Spot): KeptNote[] {
    return this.notes.filter(({ of }) =>
      kind === "private"
        ? "account" in of && this.isSame(of.account, account)
        : "chat" in of && of.chat === chat,
    );
  }

  /** The same for a turn: in private only in a conversation of their own, in which nobody with other rights spoke. */
  notesOfTurn(spot: Spot, kept: Kept | null): KeptNote[] {
    const { account, kind } = spot;
    if (kind === "private" && kept) {
      if (!("account" in kept.of) || !this.isSame(kept.of.account, account)) return [];
      if (this.in(kept).some(({ role }) => role && role !== account.role)) return [];
    }
    return this.notesFor(spot);
  }

  usesOf(account: Account): KeptUse[] {
    return this.uses.filter((use) => this.isSame(use.account, account));
  }

  /** In a chat, only jobs that were made there. */
  jobsFor({ account, chat, kind }: Spot): KeptJob[] {
    const theirs = this.jobs.filter((job) => this.isSame(job.account, account));
    return kind === "private" ? theirs : theirs.filter((job) => job.chat === chat);
  }
}

function isEqual(one: Whose, other: Whose): boolean {
  if ("account" in one) return "account" in other && one.account === other.account;
  return "chat" in other && one.chat === other.chat;
}

/** The hidden words in a text, in order. */
export function marksIn(text: string): string[] {
  return text.match(/mk\d+z/g) ?? [];
}
