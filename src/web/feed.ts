/**
 * Tells the pages that are open what has changed, so that they ask again for what they show. What holds: a page hears only of
 * conversations that its person may see now; changes that come together are told together; and while no page is open,
 * nothing is read. A page that is about to open asks for everything anyway.
 */
import type { WireTopic } from "../adapter/web/wire.js";
import { senderOf } from "../gateway/authorize.js";
import type { Fact } from "../gateway/facts.js";
import type { InboxItem } from "../gateway/inbox-item.js";
import { mayAccess } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import type { Later } from "../util/later.js";
import { type Seeing, type Seer, seerName, seersOf } from "./feed-seers.js";
import type { OpenPages, WebSetting } from "./setting.js";
import { isByProxy } from "./sign-in.js";

export interface FeedSetting extends Pick<WebSetting, "clock" | "onProblem"> {
  readonly store: Pick<WebSetting["store"], "subscribe" | "devices">;
  readonly sessions: Pick<WebSetting["sessions"], "get">;
  readonly gateway: { readonly people: Seeing };
  readonly later: Later;
}

/** Changes within this time are told together. */
const TOGETHER_MS = 200;
/** Of more conversations than that at once, each page asks for everything. */
const MOST_SESSIONS = 100;
/** How often everybody may be told to ask for everything, which costs as much as there are pages. */
const PACE_MS = 2_000;
const PACE_PER_STREAM_MS = 10;

/** What is to be told. */
class Changes {
  readonly sessions = new Set<SessionId>();
  /** Whose messages wait. */
  readonly writers = new Set<string>();
  /** For everybody who has the page open. */
  readonly topics = new Set<WireTopic>();
  /** What waits concerns those who look after the gateway. */
  forOwners = false;
  devices = false;
}

/** Returns what ends it. */
export function feedPages(pages: OpenPages, setting: FeedSetting): () => void {
  const feed = new Feed(pages, setting);
  const unsubscribe = setting.store.subscribe((fact) => feed.take(fact));
  return () => {
    unsubscribe();
    feed.end();
  };
}

class Feed {
  readonly #pages: OpenPages;
  readonly #setting: FeedSetting;
  #changes = new Changes();
  #soon: (() => void) | null = null;
  #isTelling = false;
  #all: (() => void) | null = null;
  #allAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(pages: OpenPages, setting: FeedSetting) {
    this.#pages = pages;
    this.#setting = setting;
  }

  take(fact: Fact): void {
    if (this.#pages.size === 0 || !this.#note(fact)) return;
    this.#tellSoon();
  }

  end(): void {
    this.#isOver = true;
    this.#soon?.();
    this.#all?.();
  }

  /** False if there is nothing to tell about it soon. */
  #note(fact: Fact): boolean {
    const changes = this.#changes;
    switch (fact.kind) {
      case "session":
      case "messages":
      case "elsewhere":
        changes.sessions.add(fact.sessionId);
        return true;
      case "inbox":
        for (const writer of writersOf(fact.item)) changes.writers.add(writer);
        changes.forOwners = true;
        return true;
      case "outbox":
        changes.forOwners = true;
        return true;
      case "handoffs":
      case "processes":
      case "jobs":
      case "work":
        changes.topics.add(fact.kind);
        return true;
      case "devices":
        changes.devices = true;
        return true;
      case "unknown":
        this.#tellAllSoon();
        return false;
      case "stops":
        return false;
      default:
        return fact satisfies never;
    }
  }

  #tellSoon(): void {
    if (this.#soon || this.#isTelling || this.#isOver) return;
    this.#soon = this.#setting.later(() => {
      this.#soon = null;
      void this.#tell();
    }, TOGETHER_MS);
  }

  async #tell(): Promise<void> {
    const changes = this.#changes;
    this.#changes = new Changes();
    if (this.#pages.size === 0) return;
    this.#isTelling = true;
    try {
      for (const what of changes.topics) this.#pages.tellAll(() => true, { kind: "changed", what });
      if (changes.devices) await this.#endRevoked();
      await this.#tellThose(changes);
    } catch (error) {
      this.#failed(error);
    }
    this.#isTelling = false;
    if (isSomething(this.#changes)) this.#tellSoon();
  }

  async #tellThose({ sessions, writers, forOwners }: Changes): Promise<void> {
    if (sessions.size > MOST_SESSIONS) this.#tellAllSoon();
    const few = sessions.size > MOST_SESSIONS ? [] : [...sessions];
    if (few.length === 0 && writers.size === 0 && !forOwners) return;
    const seers = await seersOf(this.#pages.streams(), this.#setting.gateway.people);
    const concerned = seers.filter(
      ({ who }) =>
        (forOwners && who.role === "owner") || who.identities.some((identity) => writers.has(identity)),
    );
    this.#tellSeers(concerned, "waiting");
    let isGone = false;
    for (const id of few) {
      const entry = await this.#setting.sessions.get(id);
      isGone ||= entry === null;
      if (entry)
        this.#tellSeers(
          seers.filter(({ who }) => mayAccess(who.viewer, entry)),
          "session",
          id,
        );
    }
    // Nobody knows any more who could see it: the lists are read again.
    if (isGone) this.#pages.tellAll(() => true, { kind: "changed", what: "session" });
  }

  #tellSeers(seers: readonly Seer[], what: WireTopic, id?: SessionId): void {
    if (seers.length === 0) return;
    const names = new Set(seers.map(({ name }) => name));
    this.#pages.tellAll((signedIn) => names.has(seerName(signedIn)), {
      kind: "changed",
      what,
      ...(id === undefined ? {} : { id }),
    });
  }

  #tellAllSoon(): void {
    if (this.#all || this.#isOver) return;
    const { clock, later } = this.#setting;
    const pace = Math.max(PACE_MS, PACE_PER_STREAM_MS * this.#pages.size);
    const wait = Math.min(pace, Math.max(TOGETHER_MS, this.#allAt + pace - clock()));
    this.#all = later(() => {
      this.#all = null;
      if (this.#pages.size === 0) return;
      this.#allAt = clock();
      this.#pages.tellAll(() => true, { kind: "changed", what: "all" });
      this.#endRevoked().catch((error) => this.#failed(error, false));
    }, wait);
  }

  /** Those who were signed out, perhaps by another process. What a proxy says of somebody is no device of ours. */
  async #endRevoked(): Promise<void> {
    const open = new Set(this.#pages.streams().map(({ device }) => device));
    const devices = [...open].filter((device) => !isByProxy(device));
    if (devices.length === 0) return;
    const known = new Set((await this.#setting.store.devices.list(null)).map(({ id }) => id));
    for (const device of devices) if (!known.has(device)) this.#pages.end(device);
  }

  /** What was not told is somewhere in everything. */
  #failed(error: unknown, again = true): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#setting.onProblem(`Can't tell the open pages what has changed: ${reason}`, { cause: error });
    if (again) this.#tellAllSoon();
  }
}

function isSomething({ sessions, writers, topics, forOwners, devices }: Changes): boolean {
  return sessions.size + writers.size + topics.size > 0 || forOwners || devices;
}

function writersOf({ source, by }: InboxItem): readonly string[] {
  return [source, ...(by ? [by] : [])].flatMap((each) => senderOf(each) ?? []);
}
