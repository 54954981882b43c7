/**
 * The world of the access oracle with the page served over it: everybody is signed in, and there is something of everything
 * that the page shows.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatOfIdentity, webSource } from "../../src/adapter/web/web-source.js";
import { makeLink } from "../../src/gateway/web/links.js";
import type { Account, Kept, Spot } from "./access-books.js";
import { AccessWorld, GROUPS, RULES } from "./access-world.js";
import { hostOf, type PageProcess } from "./page-processes.js";
import { PageServer } from "./page-server.js";
import { PageThings } from "./page-things.js";
import { PageWords } from "./page-words.js";

/** Somebody with a browser. */
export interface Person {
  readonly account: Account;
  readonly identity: string;
  readonly cookie: string;
  readonly device: string;
  /** Their chat in the page. */
  readonly spot: Spot;
}

export const THREAD = "thread-0001";
const SCOPES = { group: "member" } as const;
const EVENTS_BEFORE = 150;
/** Where people sign in from: nobody guesses links there. */
const FROM = "10.0.0.1";

export class PageRightsWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "baton-rights-"));
  readonly persons: Person[] = [];
  readonly words: PageWords;
  readonly things: PageThings;
  readonly access: AccessWorld;
  readonly #seats = new Map<Account, Spot>();
  #server!: PageServer;

  static async open(seed: number): Promise<PageRightsWorld> {
    const world = new PageRightsWorld(await AccessWorld.open(SCOPES, seed));
    await world.#build();
    return world;
  }

  private constructor(access: AccessWorld) {
    this.access = access;
    this.words = new PageWords(access.books, (account) => this.#seatOf(account));
    this.things = new PageThings(access, this.words, this.folder);
  }

  get server(): PageServer {
    return this.#server;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.access.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  isSame(one: Account, other: Account): boolean {
    return this.access.books.isSame(one, other);
  }

  sessionsOf({ spot }: Person): Kept[] {
    return this.access.books.seen(spot);
  }

  jobsOf({ account }: Person): string[] {
    const theirs = this.access.books.jobs.filter((job) => this.isSame(job.account, account));
    return account.role === "guest" ? [] : theirs.map(({ id }) => id);
  }

  processesOf({ account }: Person): string[] {
    const isTheirs = ({ starter, kept }: PageProcess) =>
      this.isSame(starter, account) && this.words.maySee(account, kept);
    return account.role === "guest" ? [] : this.things.processes.filter(isTheirs).map(({ id }) => id);
  }

  devicesOf({ account }: Person): string[] {
    const theirs = this.persons.filter((person) => this.isSame(person.account, account));
    return theirs.map(({ device }) => device);
  }

  /** Has one more browser signed in as somebody. */
  async enter(account: Account): Promise<Pick<Person, "cookie" | "device">> {
    const { store, now, books } = this.access;
    const own = (kind: string) => this.words.word(kind, (other) => books.isSame(account, other));
    const [called, agent] = [own("what somebody is called"), own("browser")];
    const identity = this.access.identity(account);
    const link = await makeLink(store.devices, this.#server, { identity, alias: null, called }, now);
    const body = { key: new URL(link).hash.slice("#key=".length) };
    const asked = { method: "POST", path: "/api/enter", body, from: FROM } as const;
    const answer = await this.#server.answer({ ...asked, headers: { "user-agent": agent } });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const device = (await store.devices.list([identity])).find(({ name }) => name === agent);
    if (!device) throw new Error(`${account.name} is not signed in.`);
    return { cookie, device: device.id };
  }

  /** Something happens in a conversation, or two accounts become one person's, or are that no longer. */
  async happen(): Promise<void> {
    const { access } = this;
    access.now += 1_000;
    this.words.changed();
    const spot = access.pick(access.spots.filter(({ lane }) => !this.things.busy.has(lane)));
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

  async #build(): Promise<void> {
    const { access } = this;
    const seats = access.accounts.map((account) => this.#seat(account));
    for (let n = 0; n < EVENTS_BEFORE; n++) await access.happen();
    for (const spot of access.spots) if (spot.source.platform === "web") await access.say(spot);
    await this.#serve();
    for (const spot of seats) {
      // Somebody who has access only in a group can have a link, and it opens nothing.
      const { account } = spot;
      this.persons.push({
        account,
        identity: access.identity(account),
        spot,
        ...(await this.enter(account)),
      });
    }
    await this.things.fill(seats);
  }

  #seatOf(account: Account): Spot {
    const seat = this.#seats.get(account);
    if (!seat) throw new Error(`${account.name} has no chat in the page.`);
    return seat;
  }

  /** The chat in the page of an account, and one thread of it: nobody writes there who has no access. */
  #seat(account: Account): Spot {
    const identity = this.access.identity(account);
    const chat = `web ${chatOfIdentity(identity)}`;
    const spotIn = (thread: string | null): Spot => {
      const lane = { of: { account }, chat, current: null, expired: null };
      return { account, source: webSource(identity, "Sam Same", thread), kind: "private", chat, lane };
    };
    const spot = spotIn(null);
    if (!account.only) this.access.spots.push(spot, spotIn(THREAD));
    this.#seats.set(account, spot);
    return spot;
  }

  async #serve(): Promise<void> {
    const { store, sessions, desk } = this.access;
    const [value, finding] = [this.words.forOwners("setting"), this.words.forOwners("finding")];
    const jobs = { outputFolder: null, runsHere: false, mostRunning: 1, timeZone: "UTC", timeoutMs: 1 };
    const limits = { maxWaitSeconds: 1, outputCharacters: 1_000 };
    this.#server = await PageServer.open({
      ...{ folder: this.folder, store, sessions },
      clock: () => this.access.now,
      settings: () => [{ key: "agent.name", value, from: "default" }],
      findings: async () => [{ check: "store", finding, status: "ok" }],
      gateway: {
        ...{ people: RULES, groups: { byChat: GROUPS }, scopes: SCOPES, memory: desk },
        jobs: { ...jobs, mostPerPerson: 9 },
        processes: { processes: hostOf(this.things.processes), limits },
      },
    });
  }
}
