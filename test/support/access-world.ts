/**
 * A store with people whose conversations, notes and jobs all have equal titles and texts, on two platforms, in private
 * and in groups; things that happen there; and the books of an oracle that watched them happen.
 */
import { MemoryDesk } from "../../src/gateway/memory/desk.js";
import { People, type PeopleRules } from "../../src/gateway/people.js";
import { openDb } from "../../src/open-sessions.js";
import { identityOf } from "../../src/session/access.js";
import { newJobId, type SessionId, sessionIdAt } from "../../src/session/ids.js";
import type { SessionScopes } from "../../src/session/session-key.js";
import { Sessions, type SessionsConfig } from "../../src/session/sessions.js";
import type { SessionSource } from "../../src/session/source.js";
import { noteUsageIn } from "../../src/store/sql/usage.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { type Account, Books, type Kept, type Lane, type Spot, type Whose } from "./access-books.js";
import { randomFrom } from "./random.mjs";

export const HERE = "telegram";
export const THERE = "discord";
export const TITLE = "Garden plans";
const DAY_MS = 86_400_000;
const IDLE_DAYS = 100;

/** What everybody says, with a word at the end that nobody else says. */
export const saying = (mark: string): string => `The garden party plan is ready ${mark}`;
const noting = (mark: string): string => `Likes the garden party ${mark}`;

interface Seat {
  readonly platform: string;
  readonly user: string;
  readonly role: Account["role"];
  readonly only?: string;
}
const seat = (platform: string, user: string, role: Account["role"] = "member"): Seat => ({
  platform,
  user,
  role,
});

const SEATS: readonly Seat[] = [
  seat(HERE, "ann"),
  seat(THERE, "ann-7"), // The same person.
  seat(HERE, "bob"),
  seat(THERE, "bob"), // Somebody else.
  seat(HERE, "a:b"),
  seat(HERE, "a%3Ab"),
  seat(HERE, "gus", "guest"),
  seat(HERE, "olga", "owner"),
  seat(THERE, "olga-7", "owner"), // The same person.
  seat(HERE, "root", "owner"), // Who has the terminal.
  { ...seat(HERE, "nia", "guest"), only: "board" }, // Who has access there, and nowhere else.
  seat(HERE, "ula"),
  seat(THERE, "uma"), // At times the same person.
];

const rulesFor = (role: Account["role"]) =>
  Object.fromEntries(
    [HERE, THERE].map((at) => [
      at,
      SEATS.filter((each) => each.platform === at && each.role === role && !each.only).map(
        ({ user }) => user,
      ),
    ]),
  );
export const RULES: PeopleRules = {
  owners: rulesFor("owner"),
  allow: rulesFor("member"),
  guests: rulesFor("guest"),
};

/** The people whom a group lists: nobody else may write there. */
const BOARD = "board";
const ON_THE_BOARD = ["ann", "gus", "olga", "nia"];
export const GROUPS = { [`${HERE}:${BOARD}`]: { people: ON_THE_BOARD } };

export class AccessWorld {
  readonly books = new Books();
  readonly accounts: Account[] = [];
  readonly spots: Spot[] = [];
  readonly people: People;
  readonly sessions: Sessions;
  readonly desk: MemoryDesk;
  readonly config: SessionsConfig;
  readonly random: () => number;
  readonly #identities = new Map<Account, string>();
  readonly #lanes = new Map<string, Lane>();
  #isLinked = false;
  now = Date.UTC(2026, 0, 10, 12);

  static async open(scopes: SessionScopes, seed: number): Promise<AccessWorld> {
    const db = await openDb("sqlite::memory:");
    const store = await openSqlStore(db, 0);
    const world = new AccessWorld(db, store, scopes, seed);
    await world.#build();
    return world;
  }

  private constructor(
    readonly db: Awaited<ReturnType<typeof openDb>>,
    readonly store: Awaited<ReturnType<typeof openSqlStore>>,
    readonly scopes: SessionScopes,
    seed: number,
  ) {
    this.random = randomFrom(seed);
    this.config = { scopes, reset: { default: { mode: "idle", idleMinutes: IDLE_DAYS * 1_440 } } };
    const clock = () => this.now;
    this.sessions = new Sessions(store, { clock, config: this.config });
    this.people = new People(store.people, RULES, { clock, groups: GROUPS });
    this.desk = new MemoryDesk({ notes: store.memory, maxCharacters: 100_000, clock });
    for (const seated of SEATS) this.#seat(seated);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  identity(account: Account): string {
    return this.#identities.get(account) ?? "";
  }

  async who(spot: Spot) {
    const who = await this.people.access(spot.source);
    if (!who.allowed) throw new Error(`${spot.account.name}: ${who.reason}`);
    return who;
  }

  async view(spot: Spot) {
    return this.sessions.as((await this.who(spot)).viewer);
  }

  /** They can write alone, and in two groups of their platform, each with a topic; and in a third one that lists them. */
  #seat({ platform, user, role, only }: Seat): void {
    const account = { name: `${platform} ${user}`, role, ...(only ? { only: `${platform} ${only}` } : {}) };
    this.accounts.push(account);
    const of = { platform, userId: user, userName: "Sam Same" };
    const dm: SessionSource = { ...of, chatId: user, chatType: "dm" };
    this.#identities.set(account, identityOf(dm) ?? "");
    const isListed = platform === HERE && ON_THE_BOARD.includes(user);
    const board = `${HERE} ${BOARD}`;
    if (isListed) this.books.listed.set(board, [...(this.books.listed.get(board) ?? []), account]);
    if (!only) this.#spot(account, dm, "private");
    for (const chatId of [...(only ? [] : ["team", "club"]), ...(isListed ? [BOARD] : [])]) {
      const group: SessionSource = { ...of, chatId, chatType: "group", chatName: "Same" };
      this.#spot(account, group, this.scopes.group === "member" ? "own" : "shared");
      this.#spot(account, { ...group, threadId: "7" }, this.scopes.thread === "member" ? "own" : "shared");
    }
  }

  #spot(account: Account, source: SessionSource, kind: Spot["kind"]): void {
    const chat = `${source.platform} ${source.chatId}`;
    const of: Whose = kind === "shared" ? { chat } : { account };
    const name = JSON.stringify([chat, source.threadId, kind === "shared" ? null : account.name]);
    const lane = this.#lanes.get(name) ?? { of, chat, current: null, expired: null };
    this.#lanes.set(name, lane);
    this.spots.push({ account, source, kind, chat, lane });
  }

  /** What there is before the first case. */
  async #build(): Promise<void> {
    const { books, store, spots, accounts } = this;
    const named = (name: string) => this.accounts.find((each) => each.name === name) as Account;
    for (const [one, other] of [
      ["ann", "ann-7"],
      ["olga", "olga-7"],
    ]) {
      const [here, there] = [named(`${HERE} ${one}`), named(`${THERE} ${other}`)];
      await this.#join(this.identity(here), this.identity(there));
      books.link(here, there);
    }
    const root = named(`${HERE} root`);
    await this.#join("local:terminal", this.identity(root));
    books.operator = root;

    for (const spot of spots) await this.say(spot);
    this.now += (IDLE_DAYS + 1) * DAY_MS;
    for (const kept of [...books.sessions]) {
      const entry = await this.sessions.get(kept.id);
      if (!entry || !(await this.sessions.expire(entry))) throw new Error("It has not expired.");
      books.expire(kept);
    }
    await this.sessions.indexAll();
    for (const spot of spots) if (this.chance(0.8)) await this.say(spot);
    for (const spot of spots) if (this.chance(0.5)) await this.branch(spot);
    for (let n = 0; n < 60; n++) await this.happen();

    const whose: Whose[] = [...accounts.map((account) => ({ account })), ...this.#chats()];
    for (const of of whose) {
      const owner =
        "account" in of ? `person:${this.identity(of.account)}` : `chat:${of.chat.replace(" ", ":")}`;
      for (let n = 0; n < 2; n++) {
        const mark = books.mark();
        const saved = await store.memory.add([owner], owner, noting(mark), "agent", 9_999, this.now);
        if (saved.kind !== "saved") throw new Error("The note is not there.");
        books.notes.push({ id: saved.note.id, of, mark });
      }
    }
    for (const spot of spots) if (this.chance(0.6)) await this.#job(spot);
    for (let n = 0; n < 300; n++) await this.use();
  }

  #chats(): Whose[] {
    const groups = this.spots.filter(({ kind }) => kind !== "private");
    return [...new Set(groups.map(({ chat }) => chat))].map((chat) => ({ chat }));
  }

  async #join(one: string, other: string): Promise<void> {
    await this.people.store.join(one, other, this.people.newId(), this.now);
  }

  async #job({ account, source, chat }: Spot): Promise<void> {
    const owner = this.identity(account);
    const id = newJobId();
    const timing = { schedule: { kind: "every" as const, everyMs: DAY_MS }, timeZone: "UTC", from: this.now };
    const job = {
      id,
      name: TITLE,
      prompt: saying(this.books.mark()),
      command: null,
      session: "origin" as const,
      model: null,
      tools: null,
      timeoutMs: 60_000,
      dailyTokens: null,
      timing,
      catchUp: { missed: "latest" as const, graceMs: 60_000 },
      overlap: "skip" as const,
      jitterMs: 0,
      repeat: null,
      deliver: "origin",
      by: source,
      owner,
      origin: { key: this.sessions.laneOf(source).key, source, account: "bot" },
    };
    const clock = { nextAt: this.now + DAY_MS, wakeAt: this.now + DAY_MS };
    if (!(await this.store.jobs.add(job, clock, [owner], 1_000, this.now))) throw new Error("No job.");
    this.books.jobs.push({ id, account, chat });
  }

  /** Somebody's call of a model, on a day, in a conversation of anybody. */
  async use(): Promise<void> {
    const { books } = this;
    const account = this.pick(this.accounts);
    const sessionId = this.pick(books.sessions).id;
    const jobId = this.chance(0.3) && books.jobs.length > 0 ? this.pick(books.jobs).id : "";
    const model = this.pick(["big", "small"]);
    const at = this.now - Math.floor(this.random() * 3) * DAY_MS;
    const tokens = 1 + Math.floor(this.random() * 1e6);
    await this.db.transaction((tx) =>
      noteUsageIn(tx, {
        identity: this.identity(account),
        sessionId,
        jobId,
        model,
        usage: { inputTokens: tokens },
        at,
      }),
    );
    books.uses.push({
      account,
      sessionId,
      jobId,
      model,
      day: new Date(at).toISOString().slice(0, 10),
      tokens,
    });
  }

  // Things that happen.

  /** One of them. */
  async happen(): Promise<void> {
    this.now += 1_000;
    const spot = this.pick(this.spots);
    const does = this.pick(["say", "fresh", "answer", "resume", "resume", "hand off", "end", "redo", "link"]);
    switch (does) {
      case "say":
        return this.say(spot);
      case "fresh":
        return this.say(spot, true);
      case "answer":
        return this.answer(spot);
      case "resume":
        return this.resume(spot);
      case "hand off":
        return this.handOff(spot);
      case "end":
        return this.end(spot);
      case "redo":
        return this.redo(spot);
      case "link":
        return this.#toggleLink();
    }
  }

  async say(spot: Spot, forceNew = false): Promise<void> {
    const mark = this.books.mark();
    const message = { role: "user" as const, content: saying(mark) };
    const { entry } = await this.sessions.receive(spot.source, message, { forceNew });
    const present = forceNew ? null : spot.lane.current;
    if (present && present.id !== entry.sessionId) throw new Error("It did not go on.");
    const kept = present ?? this.books.begin(entry.sessionId, spot);
    this.books.say(kept, { mark, by: "user", at: this.now });
    if (!present) await this.title(kept);
  }

  /** Everybody calls theirs the same. */
  async title(kept: Kept): Promise<void> {
    if (!this.books.isTitleFree(kept.of, TITLE)) return;
    await this.sessions.setTitle(kept.id, TITLE);
    kept.title = TITLE;
  }

  async answer({ lane }: Spot): Promise<void> {
    if (!lane.current) return;
    const mark = this.books.mark();
    await this.sessions.append(lane.current.id, { role: "assistant", content: saying(mark) });
    this.books.say(lane.current, { mark, by: "assistant", at: this.now });
  }

  async resume(spot: Spot): Promise<void> {
    const seen = this.books.seen(spot);
    if (seen.length === 0) return;
    const kept = this.pick(seen);
    await (await this.view(spot)).switchTo(spot.source, kept.id);
    this.books.move(kept, spot.lane);
  }

  /** To somewhere else where the same account writes. */
  async handOff(spot: Spot): Promise<void> {
    const kept = spot.lane.current;
    const to = this.pick(this.spots.filter(({ account }) => account === spot.account));
    if (!kept || to.lane === spot.lane) return;
    await (await this.view(spot)).requestHandoff(kept.id, "elsewhere");
    const claimed = await this.sessions.claimHandoff({ holder: "me" });
    if (!claimed) throw new Error("There is no handoff.");
    await this.sessions.completeHandoff(claimed.id, { fence: claimed.fence, destination: to.source });
    this.books.move(kept, to.lane);
  }

  async end({ lane }: Spot): Promise<void> {
    if (!lane.current) return;
    await this.sessions.end(lane.current.id);
    this.books.end(lane.current);
  }

  /** All but the first message is taken back. */
  async redo({ lane }: Spot): Promise<void> {
    const kept = lane.current;
    if (!kept) return;
    const messages = await this.sessions.load(kept.id);
    await this.sessions.rewrite(kept.id, messages.slice(0, 1));
    for (const said of this.books.in(kept).slice(1)) said.superseded = true;
  }

  async branch(spot: Spot): Promise<void> {
    const original = spot.lane.current;
    const entry = original && (await this.sessions.get(original.id));
    if (!entry) return;
    const { key, origin, displayName, owner, chat } = entry;
    this.now += 1_000;
    const sessionId: SessionId = sessionIdAt(
      this.now,
      Math.floor(this.random() * 2 ** 48)
        .toString(16)
        .padStart(12, "0"),
    );
    const times = {
      createdAt: this.now,
      updatedAt: this.now,
      endedAt: this.now,
      endReason: "ended" as const,
    };
    const copy = { sessionId, key, origin, displayName, owner, chat, ...times, bind: false };
    await this.sessions.adopt({ ...copy, parentId: original.id }, await this.sessions.load(original.id));
    await this.sessions.switchTo(key, sessionId);
    this.books.branch(sessionId, original, spot);
  }

  async #toggleLink(): Promise<void> {
    const [ula, uma] = this.accounts.slice(-2) as [Account, Account];
    if (this.#isLinked) {
      await this.people.store.unlink(this.identity(uma), this.people.newId(), this.now);
      this.books.unlink(uma);
    } else {
      await this.#join(this.identity(ula), this.identity(uma));
      this.books.link(ula, uma);
    }
    this.#isLinked = !this.#isLinked;
  }
}
