/**
 * The world of the access oracle with the page served over it: everybody is signed in, there is something of everything that
 * the page shows, and each of these says a word that nothing else says. The books know who may read which word.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatOfIdentity, webSource } from "../../src/adapter/web/web-source.js";
import { STATE } from "../../src/gateway/connection.js";
import { makeLink } from "../../src/gateway/web/links.js";
import type { ProcessStatus } from "../../src/process/process.js";
import type { Processes, SeenProcess } from "../../src/process/processes.js";
import type { KeptProcess } from "../../src/process/store.js";
import { newProcessId, newTurnId, type ProcessId } from "../../src/session/ids.js";
import { addressOf, formatAddress } from "../../src/session/source.js";
import { type Account, type Kept, marksIn, type Spot } from "./access-books.js";
import { AccessWorld, GROUPS, HERE, RULES, saying } from "./access-world.js";
import { PageServer } from "./page-server.js";

/** Somebody with a browser. */
export interface Person {
  readonly account: Account;
  readonly identity: string;
  readonly cookie: string;
  readonly device: string;
  /** Their chat in the page. */
  readonly spot: Spot;
}

export interface KeptFile {
  readonly kept: Kept;
  readonly seq: number;
}

export interface RunningProcess {
  readonly id: ProcessId;
  readonly starter: Account;
  readonly kept: Kept;
  readonly said: string;
}

const SCOPES = { group: "member" } as const;
const LOG_LINES = 20;
const UNASKED = 100;

export class PageRightsWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "baton-rights-"));
  readonly persons: Person[] = [];
  readonly files: KeptFile[] = [];
  readonly processes: RunningProcess[] = [];
  /** By identity: how many posts their chat in the page has. */
  readonly posts = new Map<string, number>();
  /** Lanes in which something goes on that the rest must not disturb. */
  readonly busy = new Set<Spot["lane"]>();
  /** What everybody who asks for access is called by. */
  readonly asking = "telegram:stranger";
  readonly access: AccessWorld;
  #server!: PageServer;
  /** Who may read a word that is in no conversation. */
  readonly #rules = new Map<string, (account: Account) => boolean>();
  readonly #threads: Spot[] = [];
  /** The words of conversations that somebody may read, until something happens. */
  readonly #read = new Map<Account, ReadonlySet<string>>();

  static async open(seed: number): Promise<PageRightsWorld> {
    const world = new PageRightsWorld(await AccessWorld.open(SCOPES, seed));
    await world.#build();
    return world;
  }

  private constructor(access: AccessWorld) {
    this.access = access;
  }

  get server(): PageServer {
    return this.#server;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.access.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The words in a text that somebody may not read, or that nobody ever said. */
  forbidden(text: string, account: Account): string[] {
    return marksIn(text).filter((mark) => !this.#mayRead(mark, account));
  }

  maySee(account: Account, kept: Kept): boolean {
    return this.access.books.maySee(this.#spotOf(account), kept);
  }

  isSame(one: Account, other: Account): boolean {
    return this.access.books.isSame(one, other);
  }

  /** Has one more browser signed in as somebody. */
  async enter(account: Account): Promise<Pick<Person, "cookie" | "device">> {
    const { store, now, books } = this.access;
    const agent = this.#word((other) => books.isSame(account, other));
    const whose = { identity: this.access.identity(account), alias: null, called: null };
    const link = await makeLink(store.devices, this.#server, whose, now);
    const body = { key: new URL(link).hash.slice("#key=".length) };
    const headers = { "user-agent": agent };
    const answer = await this.#server.answer({
      method: "POST",
      path: "/api/enter",
      body,
      headers,
      from: "10.0.0.1",
    });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const device = (await store.devices.list([whose.identity])).find(({ name }) => name === agent);
    if (!device) throw new Error(`${account.name} is not signed in.`);
    return { cookie, device: device.id };
  }

  /** Something happens in a conversation, or two accounts become one person's, or are that no longer. */
  async happen(): Promise<void> {
    const { access } = this;
    access.now += 1_000;
    this.#read.clear();
    const spot = access.pick(access.spots.filter(({ lane }) => !this.busy.has(lane)));
    switch (access.pick(["say", "fresh", "answer", "end", "redo", "link"])) {
      case "say":
        return access.say(spot);
      case "fresh":
        return access.say(spot, true);
      case "answer":
        return access.answer(spot);
      case "end":
        return access.end(spot);
      case "redo":
        return access.redo(spot);
      case "link":
        return this.#link();
    }
  }

  async #link(): Promise<void> {
    const { accounts, books, people, now } = this.access;
    const [ula, uma] = accounts.slice(-2) as [Account, Account];
    const [one, other] = [this.access.identity(ula), this.access.identity(uma)];
    if (books.isSame(ula, uma)) {
      await people.store.unlink(other, people.newId(), now);
      books.unlink(uma);
    } else {
      await people.store.join(one, other, people.newId(), now);
      books.link(ula, uma);
    }
  }

  #mayRead(mark: string, account: Account): boolean {
    const rule = this.#rules.get(mark);
    if (rule) return rule(account);
    const read = this.#read.get(account) ?? new Set(this.#wordsIn(this.#spotOf(account)));
    this.#read.set(account, read);
    return read.has(mark);
  }

  #wordsIn(spot: Spot): string[] {
    const { books } = this.access;
    return [...books.found(spot), ...books.notesFor(spot)].map(({ mark }) => mark);
  }

  /** A word that nothing else says. */
  #word(mayRead: (account: Account) => boolean): string {
    const mark = this.access.books.mark();
    this.#rules.set(mark, mayRead);
    return mark;
  }

  #forOwners(): string {
    return this.#word(({ role }) => role === "owner");
  }

  /** Of one person, whom also the operator may read. */
  #of(account: Account): string {
    const { books } = this.access;
    const isOperators = (other: Account) => books.operator !== null && books.isSame(books.operator, other);
    return this.#word((other) => books.isSame(account, other) || isOperators(other));
  }

  #spotOf(account: Account): Spot {
    const person = this.persons.find((each) => each.account === account);
    if (!person) throw new Error(`${account.name} has no browser.`);
    return person.spot;
  }

  async #build(): Promise<void> {
    const { access } = this;
    const { books } = access;
    const pages = new Map(access.accounts.map((account) => [account, this.#seat(account)]));
    for (let n = 0; n < 150; n++) await access.happen();
    for (const spot of pages.values()) if (!spot.account.only) await access.say(spot);
    for (const spot of this.#threads) await access.say(spot);
    await this.#serve();
    for (const [account, spot] of pages) {
      // Whoever has access only in a group can have a link, and it opens nothing.
      const entered = await this.enter(account);
      this.persons.push({ account, identity: access.identity(account), spot, ...entered });
    }
    for (const kept of books.sessions)
      if (kept.title === null) await access.sessions.setTitle(kept.id, `Plan ${this.#inSession(kept)}`);
    for (const kept of books.sessions) if (access.chance(0.3)) await this.#file(kept);
    for (const person of this.persons) await this.#posts(person);
    for (const job of await access.store.jobs.list(null)) await this.#job(job.id, job.prompt ?? "");
    const present = books.sessions.filter(({ lane }) => lane.current !== null);
    for (const kept of books.sessions) if (access.chance(0.4)) this.#process(kept);
    for (const [n, kept] of present.entries()) {
      if (n % 7 === 0) await this.#handoff(kept);
      if (n % 7 === 1) await this.#turn(kept);
      if (n % 3 === 2) await this.#letters(kept);
    }
    for (const spot of access.spots) if (access.chance(0.5)) await this.#waits(spot);
    await this.#ofTheGateway();
  }

  /** The chat in the page, and a thread of it, of somebody who has access everywhere. */
  #seat(account: Account): Spot {
    const identity = this.access.identity(account);
    const chat = `web ${chatOfIdentity(identity)}`;
    const spotIn = (thread: string | null): Spot => {
      const lane = { of: { account }, chat, current: null, expired: null };
      return { account, source: webSource(identity, "Sam Same", thread), kind: "private", chat, lane };
    };
    const [plain, thread] = [spotIn(null), spotIn("thread-0001")];
    if (!account.only) {
      this.access.spots.push(plain, thread);
      this.#threads.push(thread);
    }
    return plain;
  }

  async #serve(): Promise<void> {
    const { store, sessions, desk } = this.access;
    const { folder } = this;
    const setting = this.#forOwners();
    const finding = this.#forOwners();
    this.#server = await PageServer.open({
      ...{ folder, store, sessions },
      clock: () => this.access.now,
      settings: () => [{ key: "agent.name", value: setting, from: "default" }],
      findings: async () => [{ check: "store", finding, status: "ok" }],
      gateway: {
        people: RULES,
        groups: { byChat: GROUPS },
        scopes: SCOPES,
        memory: desk,
        jobs: {
          outputFolder: null,
          runsHere: false,
          mostRunning: 1,
          timeZone: "UTC",
          timeoutMs: 1,
          mostPerPerson: 9,
        },
        processes: { processes: this.#host(), limits: { maxWaitSeconds: 1, outputCharacters: 1_000 } },
      },
    });
  }

  /** For all who may see that conversation. */
  #inSession(kept: Kept): string {
    return this.#word((account) => this.maySee(account, kept));
  }

  /** A message with a file, the file's name and its content. */
  async #file(kept: Kept): Promise<void> {
    const { access } = this;
    const { books } = access;
    const mark = books.mark();
    const file = this.#newFile(this.#word((account) => this.maySee(account, kept) && !said?.superseded));
    const name = this.#word((account) => this.maySee(account, kept) && !said?.superseded);
    const attachments = [{ file, mediaType: "text/plain", name, size: 10 }];
    await access.sessions.append(kept.id, { role: "user", content: saying(mark), attachments });
    books.say(kept, { mark, by: "user", at: access.now });
    const said = books.said.at(-1);
    this.files.push({ kept, seq: kept.nextSeq - 1 });
  }

  #newFile(content: string): string {
    const file = randomBytes(16).toString("hex");
    writeFileSync(join(this.folder, "media", file), content);
    return file;
  }

  /** What Baton said in the page, with files: to that identity alone. */
  async #posts({ account, identity }: Person): Promise<void> {
    const { store, now } = this.access;
    const own = () => this.#word((other) => other === account);
    for (const thread of [null, null, "thread-0001"]) {
      const file = { file: this.#newFile(own()), name: own(), mediaType: "text/plain", size: 10 };
      const post = {
        deliveryId: own(),
        thread,
        text: own(),
        purpose: "notice",
        buttons: [],
        files: [file],
      } as const;
      await store.posts.add(chatOfIdentity(identity), { ...post, transcript: null }, now);
    }
    this.posts.set(identity, 3);
  }

  /** What its person wrote, and what came of it. */
  async #job(id: string, prompt: string): Promise<void> {
    const { books, db, now } = this.access;
    const job = books.jobs.find((each) => each.id === id);
    if (!job) throw new Error("Nobody knows of this job.");
    const isTheirs = (other: Account) => books.isSame(job.account, other) && other.role !== "guest";
    for (const mark of marksIn(prompt)) this.#rules.set(mark, isTheirs);
    const sql =
      "INSERT INTO job_runs (job_id, scheduled_for, state, said, error, made_at) VALUES (?, ?, ?, ?, ?, ?)";
    for (const state of ["done", "failed"]) {
      const at = now - (state === "done" ? 1 : 2);
      await db.run(sql, id, at, state, this.#word(isTheirs), this.#word(isTheirs), at);
    }
  }

  /** Somebody who may see that conversation had it started. */
  #process(kept: Kept): void {
    const { access } = this;
    const seers = this.persons.filter(({ account }) => !account.only && this.maySee(account, kept));
    if (seers.length === 0) return;
    const { account: starter } = access.pick(seers);
    const said = this.#word(
      (account) => account.role !== "guest" && this.isSame(account, starter) && this.maySee(account, kept),
    );
    this.processes.push({ id: newProcessId(), starter, kept, said });
  }

  /** In place of the host: its processes have printed their word, which is also in their command. */
  #host(): Processes {
    const { access } = this;
    const status = ({ id, said }: RunningProcess): ProcessStatus => ({
      id,
      pid: 1,
      startedAt: access.now,
      pty: { cols: 80, rows: 5 },
      end: null,
      endedAt: null,
      output: { from: 0, to: said.length },
      takesInput: false,
      unsent: "",
    });
    const kept = ({ id, said, starter, kept }: RunningProcess) => {
      const { source } = this.#spotOf(starter);
      const what = {
        command: said,
        workdir: "/",
        environment: "",
        pty: true,
        by: source,
        sessionId: kept.id,
      };
      return { ...what, id, home: "here", state: "running", startedAt: access.now, end: null, endedAt: null };
    };
    const seen = (process: RunningProcess): SeenProcess => ({
      kept: kept(process) as unknown as KeptProcess,
      status: status(process),
    });
    const one = (id: ProcessId) => this.processes.find((process) => process.id === id);
    const known = (id: ProcessId) => seen(one(id) ?? ({} as RunningProcess));
    const host: Pick<Processes, "list" | "find" | "read"> & {
      status: (id: ProcessId) => Promise<SeenProcess>;
    } = {
      list: async () => this.processes.map(seen),
      find: async (id) => (one(id) ? known(id) : null),
      status: async (id) => known(id),
      read: async (id, from) => {
        const { said = "" } = one(id) ?? {};
        const begin = from < 0 ? 0 : Math.min(from, said.length);
        return { text: said.slice(begin), from: begin, to: said.length };
      },
    };
    return host as unknown as Processes;
  }

  async #handoff(kept: Kept): Promise<void> {
    if ((await this.access.sessions.get(kept.id))?.endedAt !== null) return; // A branch that nobody has gone on with.
    await this.access.sessions.requestHandoff(kept.id, this.#inSession(kept));
    this.busy.add(kept.lane);
  }

  /** A turn that runs: its message is of the one who has the lane. */
  async #turn(kept: Kept): Promise<void> {
    const { access } = this;
    const spot = access.spots.find(({ lane }) => lane === kept.lane);
    if (!spot || this.busy.has(kept.lane)) return;
    const inboxId = await this.#waits(spot);
    await access.db.run("UPDATE inbox SET state = 'running' WHERE id = ?", inboxId);
    const { key } = access.sessions.laneOf(spot.source);
    const address = formatAddress(addressOf(spot.source));
    await access.db.run(
      `INSERT INTO turns (id, inbox_id, session_id, key, address, state, owner, lease_until, fence, attempt, started_at)
       VALUES (?, ?, ?, ?, ?, 'running', 'test', ?, 1, 1, ?)`,
      ...[newTurnId(), inboxId, kept.id, key, address, access.now + 1e9, access.now],
    );
    this.busy.add(kept.lane);
  }

  /** Something that somebody wrote and nobody has answered. */
  async #waits({ account, source }: Spot): Promise<number> {
    const { store, sessions, now } = this.access;
    const { platform } = source;
    const text = saying(this.#of(account));
    const messageId = randomBytes(16).toString("base64url");
    const { key } = sessions.laneOf(source);
    const of = { platform, account: "bot", kind: "message", key, source, messageId, text } as const;
    const item = await store.inbox.accept(of, "test", now);
    if (!item) throw new Error("It was not accepted.");
    return item.id;
  }

  /** Not sent yet, failed and in doubt: of a conversation, or of none. Only owners see them, and not all of the words. */
  async #letters(kept: Kept): Promise<void> {
    const { access } = this;
    const { store, db, now } = access;
    const spot = access.spots.find(({ lane }) => lane === kept.lane);
    if (!spot) return;
    const { of } = kept.lane;
    for (const state of ["pending", "failed", "unknown"]) {
      const isOfNone = access.chance(0.3) && (spot.kind === "private" || !("account" in of));
      const text = isOfNone && "account" in of ? this.#of(of.account) : this.#inSessionOf(kept, isOfNone);
      const deliveryId = `d-${randomBytes(8).toString("hex")}`;
      const letter = {
        deliveryId,
        account: "bot",
        holder: "",
        address: addressOf(spot.source),
        purpose: "notice",
      };
      const of_ = { sessionId: isOfNone ? null : kept.id, shown: false, text };
      await store.outbox.add([{ ...letter, ...of_ } as never], now);
      await db.run("UPDATE outbox SET state = ? WHERE delivery_id = ?", state, deliveryId);
    }
  }

  /** What is said to all of a chat, and is in no conversation, is read by the operator alone. */
  #inSessionOf(kept: Kept, isOfNone: boolean): string {
    const { books } = this.access;
    if (!isOfNone) return this.#inSession(kept);
    return this.#word((account) => books.operator !== null && books.isSame(books.operator, account));
  }

  /** What only those see who look after it. */
  async #ofTheGateway(): Promise<void> {
    const { store, now, people } = this.access;
    const time = new Date(now).toISOString();
    const line = () => JSON.stringify({ time, level: "warn", by: "gateway", pid: 1, msg: this.#forOwners() });
    const log = Array.from({ length: LOG_LINES }, () => `${line()}\n`).join("");
    writeFileSync(join(this.folder, "logs", "baton.log"), log);
    await store.work.begin({ what: this.#forOwners(), unit: "sessions", total: null }, "test", now);
    const state = { state: { kind: "lost", reason: this.#forOwners() }, lastError: this.#forOwners() };
    await store.accounts.write({ platform: HERE, account: "bot" }, STATE, JSON.stringify(state));
    const who = { identity: this.asking, platform: HERE, called: this.#forOwners() };
    const asked = { ...who, codeHash: "x", expiresAt: now + UNASKED * 86_400_000 };
    if ((await people.store.ask(asked, now)) !== "asked") throw new Error("Nobody asks.");
  }
}
