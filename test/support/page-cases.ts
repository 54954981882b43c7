/**
 * For each route of the page, random requests: with ids of one's own, of others and of nobody, with garbage, and with cursors
 * that somebody else was given. Each says what the answer must be, as far as the books know it.
 */
import { once } from "node:events";
import { expect } from "vitest";
import { chatOfIdentity } from "../../src/adapter/web/web-source.js";
import type { Account, Kept } from "./access-books.js";
import { type PageRightsWorld, type Person, THREAD } from "./page-rights-world.js";
import { OF_THE_PAGE, type PageCall } from "./page-server.js";
import { ASKING, POST_COUNT } from "./page-things.js";
import { webCall, webResponse } from "./web-call.js";

export interface PageAnswer {
  readonly status: number;
  readonly text: string;
}

/** What is asked, and how it is to be answered. */
export interface PageCase {
  readonly call: PageCall;
  /** It asks for what is another's: with an id that is nobody's, the answer must be the same. */
  readonly missing?: { readonly call: PageCall; readonly id: string; readonly asked: string };
  /** It must be answered, and so. */
  readonly check?: (json: never, where: string) => void;
  /** It must be answered with this. */
  readonly status?: number;
  /** Asked over a connection, because what it sends or gets comes in pieces. */
  readonly ask?: () => Promise<PageAnswer>;
}

type Ids = { readonly items: readonly { readonly id: string }[] };
type Hits = { readonly items: readonly { readonly sessionId: string; readonly seq: number }[] };
type Usage = Readonly<Record<"days" | "rows", readonly { readonly tokens: number }[]>>;

/** Well formed, and nobody's. */
const NO = {
  session: "20200101_000000_000000000000",
  job: "j_00000000",
  process: "p_0000000000",
  device: "0000000000",
  upload: `${"0".repeat(32)}-${"0".repeat(64)}`,
};
const WORDS = [
  "x",
  "0",
  "-1",
  "%00",
  "..%2f..",
  "__proto__",
  "null",
  "*",
  "%25",
  "%F0%9F%98%80",
  "%27%20OR%201=1",
];
const GARBAGE = [...WORDS, "a".repeat(300)];
const SEARCHES = ["garden", "party+plan", "gard*", "%22the+garden%22", "", "Plan", "OR", "%22"];
const FILTERS = ["role=user", "role=x", "platform=discord", "platform=x", "after=2020-01-01", "before=x"];
const FILE = { name: "file", mediaType: "text/plain" };

export const sorted = (ids: Iterable<string>): string[] => [...ids].sort();
const get = (path: string): PageCase => ({ call: { path } });
const post = (path: string, body: object): PageCall => ({ method: "POST", path, body });
const has = (ids: readonly string[]) => (json: Ids, where: string) =>
  expect(sorted(json.items.map(({ id }) => id)), where).toEqual(sorted(ids));
const sum = (each: readonly { readonly tokens: number }[]) =>
  each.reduce((all, { tokens }) => all + tokens, 0);

export class PageCases {
  readonly #world: PageRightsWorld;
  /** Where lists were cut off, for whoever. */
  readonly #cursors: string[] = [];
  readonly #uploads: { readonly account: Account; readonly ref: string }[] = [];

  /** Everybody who has access has uploaded something. */
  static async of(world: PageRightsWorld): Promise<PageCases> {
    const cases = new PageCases(world);
    for (const person of world.persons) {
      const { status, text } = await cases.#put(person);
      if (status === 200) cases.#uploads.push({ account: person.account, ref: JSON.parse(text).ref });
    }
    return cases;
  }

  private constructor(world: PageRightsWorld) {
    this.#world = world;
  }

  /** A list ended there. */
  cutOff(cursor: string): void {
    if (this.#cursors.length < 500) this.#cursors.push(cursor);
  }

  /** By the method and the path, as the app knows them. */
  readonly routes: Readonly<Record<string, (person: Person) => PageCase | Promise<PageCase>>> = {
    "POST /api/enter": () => ({ call: post("/api/enter", { key: this.#pick(["x", "A".repeat(22)]) }) }),
    "POST /api/leave": () => ({ call: { ...post("/api/leave", {}), cookie: `baton=${"x".repeat(22)}` } }),
    "GET /api/me": ({ identity, device }) => ({
      ...get("/api/me"),
      check: (json: object, where) => expect(json, where).toMatchObject({ identity, device }),
    }),
    "GET /api/chat": () =>
      get(`/api/chat${this.#pick(["", `?thread=${THREAD}`, "?thread=thread-0002", "?thread=x"])}`),
    "GET /api/conversations": (person) => {
      const theirs = this.#world.sessionsOf(person).map(({ id }) => id);
      if (this.#chance(0.3) && theirs.length <= 200)
        return { ...get("/api/conversations?limit=200"), check: has(theirs) };
      const filters = ["open=1", "open=0", "open=2", "platform=telegram", "platform=web", "x=y"];
      return get(`/api/conversations${this.#listQuery(this.#pick(filters))}`);
    },
    "GET /api/conversations/:id": (person) => this.#ofSession(person, (id) => `/api/conversations/${id}`),
    "GET /api/conversations/:id/messages": (person) => {
      const query = this.#pick([
        "",
        "?after=0",
        "?before=2",
        "?before=99999",
        "?after=1&before=2",
        "?after=x",
      ]);
      return this.#ofSession(person, (id) => `/api/conversations/${id}/messages${query}`);
    },
    "GET /api/conversations/:id/messages/:seq{[0-9]{1,9}}/files/:n{[0-9]{1,2}}": ({ account }) => {
      const { things, words } = this.#world;
      const isTheirs = ({ kept }: { readonly kept: Kept }) => words.maySee(account, kept);
      const file = this.#often(things.files.filter(isTheirs), things.files);
      const n = this.#pick(["0", "0", "0", "1"]);
      const path = (id: string) => `/api/conversations/${id}/messages/${file.seq}/files/${n}`;
      return this.#byId(file.kept.id, NO.session, isTheirs(file), path);
    },
    "GET /api/search": ({ spot }) => {
      const { books } = this.#world.access;
      if (this.#chance(0.4)) {
        const { mark } = this.#often(books.found(spot), books.said);
        const hits = books.found(spot, mark).map(({ kept, seq }) => `${kept.id} ${seq}`);
        const check = ({ items }: Hits, where: string) =>
          expect(sorted(items.map(({ sessionId, seq }) => `${sessionId} ${seq}`)), where).toEqual(
            sorted(hits),
          );
        return { ...get(`/api/search?q=${mark}&limit=100`), check };
      }
      const filters = this.#chance(0.4) ? [this.#pick(FILTERS)] : [];
      return get(`/api/search${this.#listQuery(`q=${this.#pick(SEARCHES)}`, ...filters)}`);
    },
    "GET /api/places": () => get("/api/places"),
    "GET /api/handoffs": (person) => this.#ofSession(person, (id) => `/api/handoffs?session=${id}`),
    "GET /api/jobs": (person) => ({ ...get("/api/jobs"), check: has(this.#world.jobsOf(person)) }),
    "GET /api/jobs/:id/runs": (person) => {
      const query = this.#pick(["", "?limit=1", "?limit=x"]);
      const path = (id: string) => `/api/jobs/${id}/runs${query}`;
      if (this.#chance(0.1)) return get(path(this.#pick(GARBAGE)));
      const theirs = this.#world.jobsOf(person);
      const id = this.#often(
        theirs,
        this.#world.access.books.jobs.map((job) => job.id as string),
      );
      return this.#byId(id, NO.job, theirs.includes(id), path);
    },
    "GET /api/processes": (person) => ({
      ...get("/api/processes"),
      check: has(this.#world.processesOf(person)),
    }),
    "GET /api/processes/:id/output": (person) => this.#ofProcess(person, "output"),
    "GET /api/processes/:id/screen": (person) => this.#ofProcess(person, "screen"),
    "GET /api/memory": ({ spot }) => {
      const theirs = this.#world.access.books.notesFor(spot).map(({ id }) => `${id}`);
      return { ...get("/api/memory"), check: has(theirs) };
    },
    "GET /api/usage": ({ account }) => {
      const by = this.#pick(["day", "person", "model", "platform", "x"]);
      const asked = get(`/api/usage?by=${by}`);
      const { books } = this.#world.access;
      if (by === "x") return { ...asked, status: 400 };
      if (by === "person" && account.role !== "owner") return { ...asked, status: 403 };
      const uses = account.role === "owner" ? books.uses : books.usesOf(account);
      const check = ({ days, rows }: Usage, where: string) =>
        expect([sum(days), sum(rows)], where).toEqual([sum(uses), sum(uses)]);
      return { ...asked, check };
    },
    "GET /api/devices": (person) => ({ ...get("/api/devices"), check: has(this.#world.devicesOf(person)) }),
    "POST /api/devices/revoke": async (person) => {
      const call = (id: string) => post("/api/devices/revoke", { id });
      if (this.#chance(0.1)) {
        const { device } = await this.#world.enter(person.account);
        return { call: call(device), check: (json, where) => expect(json, where).toEqual({ done: true }) };
      }
      const theirs = this.#world.devicesOf(person);
      const others = this.#world.persons.map(({ device }) => device).filter((id) => !theirs.includes(id));
      const asked = this.#pick(this.#chance(0.2) ? GARBAGE : others);
      return { call: call(asked), missing: { call: call(NO.device), id: NO.device, asked } };
    },
    "GET /api/work": () => get("/api/work"),
    "GET /api/owner/platforms": () => get("/api/owner/platforms"),
    "GET /api/owner/people": () => get("/api/owner/people"),
    "POST /api/owner/people/deny": ({ account }) => {
      const identity = account.role === "owner" ? this.#pick([...GARBAGE, "telegram:nobody", "x:y"]) : ASKING;
      return { call: post("/api/owner/people/deny", { identity }) };
    },
    "GET /api/owner/turns": () => get(`/api/owner/turns${this.#listQuery()}`),
    "GET /api/owner/inbox": () => get(`/api/owner/inbox${this.#listQuery()}`),
    "GET /api/owner/outbox": () => {
      const state = this.#pick(["waiting", "failed", "unknown", "sent"]);
      return get(`/api/owner/outbox${this.#listQuery(`state=${state}`)}`);
    },
    "POST /api/owner/outbox": ({ account }) => {
      const some = `${1 + Math.floor(this.#world.access.random() * 50)}`;
      const id = account.role === "owner" ? this.#pick(["999999", ...GARBAGE.slice(2)]) : some;
      return { call: post("/api/owner/outbox", { id, decision: this.#pick(["send", "drop", "x"]) }) };
    },
    "GET /api/owner/logs": () =>
      get(`/api/owner/logs?${this.#pick(["", "level=error", "level=x", "after=1.0", "after=x"])}`),
    "GET /api/owner/settings": () => get("/api/owner/settings"),
    "GET /api/owner/health": () => get("/api/owner/health"),
    "GET /api/stream": (person) => {
      const after = this.#pick([null, 0, 1, 99_999]);
      return { ...get(`/api/stream, after ${after}`), ask: () => this.#stream(person, after) };
    },
    "POST /api/say": ({ account, identity }) => {
      const id = `${Math.floor(this.#world.access.random() * 1e15)}`.padStart(22, "a");
      const thread = this.#pick([null, THREAD, "thread-0009"]);
      const say = (ref: string) => post("/api/say", { id, thread, text: "hello", files: [{ ref, ...FILE }] });
      const upload = this.#often(
        this.#uploads.filter((each) => each.account === account),
        this.#uploads,
      );
      if (upload.account !== account) return this.#foreign(say, upload.ref, NO.upload);
      const check = (_: unknown, where: string) => {
        const { source, files } = this.#world.server.received.at(-1) ?? {};
        expect(source?.userId, where).toBe(chatOfIdentity(identity));
        expect(
          files?.map(({ ref }) => ref),
          where,
        ).toEqual([upload.ref]);
      };
      return { call: say(upload.ref), check };
    },
    "PUT /api/files": (person) => ({ ...get("/api/files"), ask: () => this.#put(person) }),
    "GET /api/posts/:position{[0-9]{1,15}}/files/:n{[0-9]{1,2}}": () => {
      const position = this.#pick([0, 1, POST_COUNT, POST_COUNT + 1, 99_999]);
      const n = this.#pick([0, 1]);
      const isThere = position >= 1 && position <= POST_COUNT && n === 0;
      return { ...get(`/api/posts/${position}/files/${n}`), status: isThere ? 200 : 404 };
    },
  };

  #pick<Item>(items: readonly Item[]): Item {
    return this.#world.access.pick(items);
  }

  #chance(share: number): boolean {
    return this.#world.access.chance(share);
  }

  /** One of the first ones as often as one of all. */
  #often<Item>(first: readonly Item[], all: readonly Item[]): Item {
    return this.#pick(first.length > 0 && this.#chance(0.4) ? first : all);
  }

  #listQuery(...parts: string[]): string {
    if (this.#chance(0.5)) parts.push(`limit=${this.#pick(["1", "3", "200", "0", "x", "99999"])}`);
    if (this.#chance(0.4) && this.#cursors.length > 0)
      parts.push(`cursor=${encodeURIComponent(this.#pick(this.#cursors))}`);
    else if (this.#chance(0.1)) parts.push(`cursor=${this.#pick(GARBAGE)}`);
    return parts.length === 0 ? "" : `?${parts.join("&")}`;
  }

  #foreign(call: (id: string) => PageCall, asked: string, id: string): PageCase {
    return { call: call(asked), missing: { call: call(id), id, asked } };
  }

  #byId(asked: string, nobodys: string, isTheirs: boolean, path: (id: string) => string): PageCase {
    const call = (id: string) => ({ path: path(id) });
    return isTheirs ? { call: call(asked) } : this.#foreign(call, asked, nobodys);
  }

  #ofSession(person: Person, path: (id: string) => string): PageCase {
    if (this.#chance(0.1)) return get(path(this.#pick(GARBAGE)));
    const { id } = this.#often(this.#world.sessionsOf(person), this.#world.access.books.sessions);
    return this.#byId(
      id,
      NO.session,
      this.#world.sessionsOf(person).some((kept) => kept.id === id),
      path,
    );
  }

  #ofProcess(person: Person, what: string): PageCase {
    const query = this.#pick(["", "", "?after=0", "?after=1", "?after=99999", "?after=x"]);
    const path = (id: string) => `/api/processes/${id}/${what}${query}`;
    if (this.#chance(0.1)) return get(path(this.#pick(GARBAGE)));
    const theirs = this.#world.processesOf(person);
    const id = this.#often(
      theirs,
      this.#world.things.processes.map((process) => process.id as string),
    );
    return this.#byId(id, NO.process, theirs.includes(id), path);
  }

  #put({ cookie, account }: Person): Promise<PageAnswer> {
    const headers = { cookie, ...OF_THE_PAGE, "content-type": "application/octet-stream" };
    const body = `of ${account.name}`;
    return webCall(this.#world.server.url, { method: "PUT", path: "/api/files", headers, body });
  }

  /** Everything that comes to somebody who opens the page there, up to the last post. */
  async #stream({ cookie }: Person, after: number | null): Promise<PageAnswer> {
    const headers = { cookie, ...OF_THE_PAGE, accept: "text/event-stream" };
    const path = after === null ? "/api/stream" : `/api/stream?after=${after}`;
    const incoming = await webResponse(this.#world.server.url, { path, headers });
    let text = "";
    const isAll = (): boolean => {
      const [, last] = /"kind":"hello","position":(\d+)/.exec(text) ?? [];
      if (last === undefined) return false;
      return after === null || after >= Number(last) || text.includes(`id: ${last}\n`);
    };
    incoming.setEncoding("utf8").on("error", () => {});
    incoming.on("data", (piece: string) => {
      text += piece;
      if (incoming.statusCode === 200 && isAll()) incoming.destroy();
    });
    await once(incoming, "close");
    return { status: incoming.statusCode ?? 0, text };
  }
}
