/**
 * Another person's ids in every route: 10,000 random requests of random people to the page, while conversations go on and
 * accounts are linked and unlinked. Everything that the page can show says a word that nothing else says, and the books of the
 * access oracle (`support/page-rights-world.ts`) know who may read it. What holds for each answer: every word in it is one
 * that they may read, and every id one that they may have; what is another's is answered exactly as what is not there; and
 * what is for owners is refused to others before anything of it is read. A route that has no case here fails the test.
 */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatOfIdentity } from "../../src/adapter/web/web-source.js";
import type { JobId, SessionId } from "../../src/session/ids.js";
import type { Account, Kept } from "../support/access-books.js";
import { PageRightsWorld, type Person } from "../support/page-rights-world.js";
import { OF_THE_PAGE, type PageCall } from "../support/page-server.js";
import { webCall, webResponse } from "../support/web-call.js";

const CASES = 10_000;
const SEED = 23;
const EVENTS_SHARE = 0.03;

/** Well formed, and nobody's. */
const NO = {
  session: "20200101_000000_000000000000" as SessionId,
  job: "j_00000000" as JobId,
  process: "p_0000000000",
  device: "0000000000",
  upload: `${"0".repeat(32)}-${"0".repeat(64)}`,
};
const GARBAGE = [
  "x",
  "0",
  "-1",
  "%00",
  "..%2f..",
  "__proto__",
  "%27%20OR%201=1",
  "a".repeat(300),
  "%F0%9F%98%80",
  "null",
  "*",
  "%25",
];

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What is asked, and how it is to be answered. */
interface Case {
  readonly call: PageCall;
  /** What it asks for is another's: the same call with an id that is nobody's must be answered in the same way. */
  readonly missing?: { readonly call: PageCall; readonly id: string; readonly asked: string };
  /** Says more about a good answer. */
  readonly check?: (json: never, where: string) => void;
  /** Asked over a connection, because what it sends or gets comes in pieces. */
  readonly ask?: (person: Person) => Promise<Answer>;
}

let world: PageRightsWorld;
/** Where lists were cut off, for whoever. */
const cursors: string[] = [];
/** What people have uploaded. */
const uploads: { readonly account: Account; readonly ref: string }[] = [];

beforeAll(async () => {
  world = await PageRightsWorld.open(SEED);
  for (const person of world.persons)
    if (!person.account.only) uploads.push({ account: person.account, ref: await upload(person) });
}, 120_000);
afterAll(() => world.close());

const pick = <Item>(items: readonly Item[]): Item => world.access.pick(items);
const chance = (share: number): boolean => world.access.chance(share);
const sorted = (ids: Iterable<string>): string[] => [...ids].sort();
const own = (person: Person): Kept[] => world.access.books.seen(person.spot);
const aSession = (person: Person): Kept => pick(chance(0.3) ? own(person) : world.access.books.sessions);

async function upload(person: Person): Promise<string> {
  const { status, json, text } = await put(person, `of ${person.account.name}`);
  if (status !== 200) throw new Error(text);
  return (json as { ref: string }).ref;
}

function put({ cookie }: Pick<Person, "cookie">, body: string) {
  const headers = { cookie, ...OF_THE_PAGE, "content-type": "application/octet-stream" };
  return webCall(world.server.url, { method: "PUT", path: "/api/files", headers, body });
}

/** Everything that comes to somebody who opens the page there, up to the last post. */
async function streamed({ cookie }: Pick<Person, "cookie">, query: string): Promise<Answer> {
  const headers = { cookie, ...OF_THE_PAGE, accept: "text/event-stream" };
  const incoming = await webResponse(world.server.url, { path: `/api/stream${query}`, headers });
  let text = "";
  incoming.setEncoding("utf8");
  const isAll = (): boolean => {
    const [, last] = /"kind":"hello","position":(\d+)/.exec(text) ?? [];
    const after = Number(/after=(\d+)$/.exec(query)?.[1] ?? last);
    return last !== undefined && (after >= Number(last) || text.includes(`id: ${last}\n`));
  };
  incoming.on("data", (piece: string) => {
    text += piece;
    if (incoming.statusCode === 200 && isAll()) incoming.destroy();
  });
  incoming.on("error", () => {});
  await once(incoming, "close");
  return { status: incoming.statusCode ?? 0, text };
}

/** The query of a list, at random: also with the cursor of another list or another person. */
function listQuery(more: readonly string[] = []): string {
  const parts = [...more];
  if (chance(0.5)) parts.push(`limit=${pick(["1", "3", "200", "0", "x", "99999"])}`);
  if (chance(0.4) && cursors.length > 0) parts.push(`cursor=${encodeURIComponent(pick(cursors))}`);
  else if (chance(0.1)) parts.push(`cursor=${pick(GARBAGE)}`);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

const get = (path: string): Case => ({ call: { path } });
const post = (path: string, body: object): PageCall => ({ method: "POST", path, body });

/** A path with an id in it, and the same with one that is nobody's if it is not theirs. */
function byId(asked: string, id: string, isTheirs: boolean, path: (id: string) => string): Case {
  const call = { path: path(encodeURIComponent(asked)) };
  return isTheirs ? { call } : { call, missing: { call: { path: path(id) }, id, asked } };
}

function ofSession(person: Person, path: (id: string) => string): Case {
  if (chance(0.1)) return get(path(pick(GARBAGE)));
  const kept = aSession(person);
  return byId(kept.id, NO.session, world.maySee(person.account, kept), path);
}

const has = (ids: readonly string[]) => (json: { items: { id: string }[] }, where: string) =>
  expect(sorted(json.items.map(({ id }) => id)), where).toEqual(sorted(ids));

function jobsOf({ account }: Person): string[] {
  const { jobs } = world.access.books;
  return account.role === "guest"
    ? []
    : jobs.filter((job) => world.isSame(job.account, account)).map(({ id }) => id);
}

function processesOf({ account }: Person): string[] {
  const theirs = world.processes.filter(
    ({ starter, kept }) => world.isSame(starter, account) && world.maySee(account, kept),
  );
  return account.role === "guest" ? [] : theirs.map(({ id }) => id);
}

function ofProcess(person: Person, what: string): Case {
  const query = chance(0.5) ? `?after=${pick(["0", "1", "99999", "x"])}` : "";
  const path = (id: string) => `/api/processes/${id}/${what}${query}`;
  if (chance(0.1)) return get(path(pick(GARBAGE)));
  const theirs = processesOf(person);
  const id = theirs.length > 0 && chance(0.4) ? pick(theirs) : pick(world.processes).id;
  return byId(id, NO.process, theirs.includes(id), path);
}

const CASES_OF: Readonly<Record<string, (person: Person) => Case | Promise<Case>>> = {
  "POST /api/enter": () => ({
    call: post("/api/enter", { key: pick([NO.upload.slice(0, 22), "x", ...uploads.map(({ ref }) => ref)]) }),
  }),
  "POST /api/leave": () => ({ call: { ...post("/api/leave", {}), cookie: `baton=${"x".repeat(22)}` } }),
  "GET /api/me": ({ identity, device }) => ({
    ...get("/api/me"),
    check: (json: object, where) => expect(json, where).toMatchObject({ identity, device }),
  }),
  "GET /api/chat": () =>
    get(`/api/chat${pick(["", "?thread=thread-0001", "?thread=thread-0002", `?thread=${pick(GARBAGE)}`])}`),
  "GET /api/conversations": (person) => {
    if (chance(0.3)) {
      const check = has(own(person).map(({ id }) => id));
      const isAll = own(person).length <= 200;
      return { ...get("/api/conversations?limit=200"), ...(isAll ? { check } : {}) };
    }
    return get(
      `/api/conversations${listQuery([pick(["open=1", "open=2", "platform=telegram", "platform=web", "x=y"])])}`,
    );
  },
  "GET /api/conversations/:id": (person) => ofSession(person, (id) => `/api/conversations/${id}`),
  "GET /api/conversations/:id/messages": (person) => {
    const query = pick([
      "",
      "?after=0",
      "?before=2",
      "?before=99999",
      "?after=1&before=2",
      `?after=${pick(GARBAGE)}`,
    ]);
    return ofSession(person, (id) => `/api/conversations/${id}/messages${query}`);
  },
  "GET /api/conversations/:id/messages/:seq{[0-9]{1,9}}/files/:n{[0-9]{1,2}}": (person) => {
    const mine = world.files.filter(({ kept }) => world.maySee(person.account, kept));
    const { kept, seq } = pick(mine.length > 0 && chance(0.4) ? mine : world.files);
    const path = (id: string) =>
      `/api/conversations/${id}/messages/${seq}/files/${pick(["0", "0", "0", "1"])}`;
    return byId(kept.id, NO.session, world.maySee(person.account, kept), path);
  },
  "GET /api/search": (person) => {
    const { books } = world.access;
    if (chance(0.4)) {
      const { mark } = pick(chance(0.5) ? books.found(person.spot) : books.said);
      const hits = books.found(person.spot, mark).map(({ kept, seq }) => `${kept.id} ${seq}`);
      const check = (json: { items: { sessionId: string; seq: number }[] }, where: string) =>
        expect(sorted(json.items.map(({ sessionId, seq }) => `${sessionId} ${seq}`)), where).toEqual(
          sorted(hits),
        );
      return { ...get(`/api/search?q=${mark}&limit=100`), check };
    }
    const words = ["garden", "party+plan", "gard*", "%22the+garden%22", "", "Plan", "OR", "%22"];
    const filters = [
      "role=user",
      "role=assistant",
      "role=x",
      "platform=discord",
      "platform=x",
      "after=2020-01-01",
      "before=x",
    ];
    return get(`/api/search${listQuery([`q=${pick(words)}`, ...(chance(0.4) ? [pick(filters)] : [])])}`);
  },
  "GET /api/places": () => get("/api/places"),
  "GET /api/handoffs": () => get("/api/handoffs"),
  "GET /api/jobs": (person) => ({ ...get("/api/jobs"), check: has(jobsOf(person)) }),
  "GET /api/jobs/:id/runs": (person) => {
    const path = (id: string) => `/api/jobs/${id}/runs${pick(["", "?limit=1", "?limit=x"])}`;
    if (chance(0.1)) return get(path(pick(GARBAGE)));
    const theirs = jobsOf(person);
    const id = theirs.length > 0 && chance(0.4) ? pick(theirs) : pick(world.access.books.jobs).id;
    return byId(id, NO.job, theirs.includes(id), path);
  },
  "GET /api/processes": (person) => ({ ...get("/api/processes"), check: has(processesOf(person)) }),
  "GET /api/processes/:id/output": (person) => ofProcess(person, "output"),
  "GET /api/processes/:id/screen": (person) => ofProcess(person, "screen"),
  "GET /api/memory": ({ spot }) => ({
    ...get("/api/memory"),
    check: (json: { items: { id: string }[] }, where) =>
      expect(sorted(json.items.map(({ id }) => id)), where).toEqual(
        sorted(world.access.books.notesFor(spot).map(({ id }) => `${id}`)),
      ),
  }),
  "GET /api/usage": ({ account }) => {
    const by = pick(["day", "person", "model", "platform", "x"]);
    if (by === "x") return get(`/api/usage?by=${by}`);
    const { books } = world.access;
    const uses = account.role === "owner" ? books.uses : books.usesOf(account);
    const sum = (each: readonly { tokens: number }[]) => each.reduce((all, { tokens }) => all + tokens, 0);
    const check = (json: { days: { tokens: number }[]; rows: { tokens: number }[] }, where: string) => {
      expect([sum(json.days), sum(json.rows)], where).toEqual([sum(uses), sum(uses)]);
    };
    return by === "person" && account.role !== "owner"
      ? get("/api/usage?by=person")
      : { ...get(`/api/usage?by=${by}`), check };
  },
  "GET /api/devices": (person) => {
    const theirs = world.persons.filter(({ account }) => world.isSame(account, person.account));
    return {
      ...get("/api/devices"),
      check: has(theirs.map(({ device }) => device)),
    };
  },
  "POST /api/devices/revoke": async (person) => {
    const { device } = pick(world.persons.filter(({ account }) => !world.isSame(account, person.account)));
    const asked = chance(0.2) ? pick(GARBAGE) : device;
    const call = (id: string) => post("/api/devices/revoke", { id });
    if (chance(0.8)) return { call: call(asked), missing: { call: call(NO.device), id: NO.device, asked } };
    const spare = await world.enter(person.account);
    return { call: call(spare.device), check: (json, where) => expect(json, where).toEqual({ done: true }) };
  },
  "GET /api/work": () => get("/api/work"),
  "GET /api/owner/platforms": () => get("/api/owner/platforms"),
  "GET /api/owner/people": () => get("/api/owner/people"),
  "POST /api/owner/people/deny": ({ account }) => {
    const identity = account.role === "owner" ? pick([...GARBAGE, "telegram:nobody", "x:y"]) : world.asking;
    return { call: post("/api/owner/people/deny", { identity }) };
  },
  "GET /api/owner/turns": () => get(`/api/owner/turns${listQuery()}`),
  "GET /api/owner/inbox": () => get(`/api/owner/inbox${listQuery()}`),
  "GET /api/owner/outbox": () =>
    get(`/api/owner/outbox${listQuery([`state=${pick(["waiting", "failed", "unknown", "sent"])}`])}`),
  "POST /api/owner/outbox": ({ account }) => {
    const id =
      account.role === "owner"
        ? pick(["999999", ...GARBAGE])
        : `${1 + Math.floor(world.access.random() * 50)}`;
    return { call: post("/api/owner/outbox", { id, decision: pick(["send", "drop", "x"]) }) };
  },
  "GET /api/owner/logs": () =>
    get(`/api/owner/logs?${pick(["", "level=error", "level=x", "after=1.0", "after=x"])}`),
  "GET /api/owner/settings": () => get("/api/owner/settings"),
  "GET /api/owner/health": () => get("/api/owner/health"),
  "GET /api/stream": () => {
    const query = pick(["", "?after=0", "?after=1", "?after=99999"]);
    return { ...get("/api/stream"), ask: (person) => streamed(person, query) };
  },
  "POST /api/say": (person) => {
    const id = `${Math.floor(world.access.random() * 1e15)}`.padStart(22, "a");
    const { account, ref } = pick(uploads);
    const thread = pick([null, "thread-0001", "thread-0009"]);
    const said = (of: string) => {
      const files = chance(0.7) ? [{ ref: of, name: "file", mediaType: "text/plain" }] : [];
      return post("/api/say", { id, thread, text: "hello", files });
    };
    if (account === person.account) return { call: said(ref) };
    const call = post("/api/say", {
      id,
      thread,
      text: "hello",
      files: [{ ref, name: "file", mediaType: "text/plain" }],
    });
    const missing = post("/api/say", {
      id,
      thread,
      text: "hello",
      files: [{ ref: NO.upload, name: "file", mediaType: "text/plain" }],
    });
    return { call, missing: { call: missing, id: NO.upload, asked: ref } };
  },
  "PUT /api/files": () => ({
    ...get("/api/files"),
    ask: (person) => put(person, `more of ${person.account.name}`),
  }),
  "GET /api/posts/:position{[0-9]{1,15}}/files/:n{[0-9]{1,2}}": ({ identity }) => {
    const position = pick(["0", "1", "2", "3", "4", "99999"]);
    const most = world.posts.get(identity) ?? 0;
    const n = pick(["0", "1"]);
    const isThere = Number(position) >= 1 && Number(position) <= most && n === "0";
    const check = (_: unknown, where: string) => expect(isThere, where).toBe(true);
    return { ...get(`/api/posts/${position}/files/${n}`), check };
  },
};

async function answerTo(call: PageCall, person: Person): Promise<Answer> {
  const answer = await world.server.answer({ cookie: person.cookie, ...call });
  return { status: answer.status, text: await answer.text() };
}

/** Ids in an answer that are of a conversation, a process or a device that is not theirs. */
function foreignIds(text: string, person: Person): string[] {
  const seen = new Set(own(person).map(({ id }) => id as string));
  const sessions = (text.match(/\d{8}_\d{6}_[0-9a-f]{12}/g) ?? []).filter((id) => !seen.has(id));
  const processes = world.processes
    .map(({ id }) => id)
    .filter((id) => text.includes(id) && !processesOf(person).includes(id));
  const jobs = (text.match(/j_[0-9a-f]{8}/g) ?? []).filter((id) => !jobsOf(person).includes(id));
  const devices = world.persons.filter(
    ({ device, account }) => text.includes(`"${device}"`) && !world.isSame(account, person.account),
  );
  return [...sessions, ...processes, ...jobs, ...devices.map(({ device }) => device)];
}

/** Which turns run where is told to owners; their ids open nothing. */
const TELLS_IDS = new Set(["GET /api/owner/turns"]);
const STATUSES = [200, 400, 403, 404, 409, 429];

test("every route has a case", () => {
  const routes = world.server.app.routes.filter(({ method }) => method !== "ALL");
  expect(sorted(routes.map(({ method, path }) => `${method} ${path}`))).toEqual(
    sorted(Object.keys(CASES_OF)),
  );
  const others = world.server.app.routes.filter(({ method }) => method === "ALL");
  expect(sorted(others.map(({ path }) => path))).toEqual(["/*", "/api/*"]);
});

test(`${CASES} requests give exactly what the oracle lets people see (seed ${SEED})`, async () => {
  const seen = { theirs: 0, others: 0, refused: 0, words: 0 };
  const routes = Object.keys(CASES_OF);
  const rare = new Set(["PUT /api/files", "GET /api/stream"]);
  for (let n = 0; n < CASES; n++) {
    if (chance(EVENTS_SHARE)) await world.happen();
    const route = pick(routes);
    if (rare.has(route) && !chance(0.3)) continue;
    const person = pick(world.persons);
    const one = await (CASES_OF[route] ?? expect.unreachable(route))(person);
    const where = `seed ${SEED}, case ${n}: ${route} of ${person.account.name}: ${JSON.stringify(one.call)}`;
    const before = world.server.received.length;
    const answer = one.ask ? await one.ask(person) : await answerTo(one.call, person);
    expect(world.forbidden(answer.text, person.account), where).toEqual([]);
    if (route === "POST /api/enter" || route === "POST /api/leave") continue;
    if (person.account.only) {
      expect([answer.status, codeIn(answer)], where).toEqual([401, "signed_out"]);
      continue;
    }
    if (route.includes("/api/owner/") && person.account.role !== "owner") {
      expect([answer.status, codeIn(answer)], where).toEqual([403, "owners_only"]);
      seen.refused += 1;
      continue;
    }
    expect(STATUSES, `${where} ${answer.text}`).toContain(answer.status);
    if (answer.status === 200 && !TELLS_IDS.has(route))
      expect(foreignIds(answer.text, person), where).toEqual([]);
    for (const { source } of world.server.received.slice(before))
      expect(source.userId, where).toBe(chatOfIdentity(person.identity));
    if (one.missing) {
      const { call, id, asked } = one.missing;
      const missing = await answerTo(call, person);
      expect(missing.status, where).toBeGreaterThanOrEqual(400);
      expect({ ...answer, text: answer.text.replaceAll(asked, id) }, where).toEqual(missing);
      seen.others += 1;
    } else if (answer.status === 200) {
      const json = jsonIn(answer.text);
      one.check?.(json as never, where);
      const { nextCursor } = json as { nextCursor?: string | null };
      if (nextCursor && cursors.length < 500) cursors.push(nextCursor);
      seen.theirs += 1;
      seen.words += /mk\d+z/.test(answer.text) ? 1 : 0;
    } else
      expect(one.check && !/limit=|cursor=/.test(one.call.path) && answer.status !== 404, where).toBeFalsy();
  }
  // It has met all of it, often.
  expect(seen.theirs).toBeGreaterThan(CASES / 5);
  expect(seen.others).toBeGreaterThan(CASES / 12);
  expect(seen.refused).toBeGreaterThan(CASES / 12);
  expect(seen.words).toBeGreaterThan(CASES / 10);
}, 240_000);

test("nothing of it changed what is another's", async () => {
  const { store, now } = world.access;
  for (const { cookie, account, identity } of world.persons.filter(({ account }) => !account.only)) {
    const me = await answerTo({ path: "/api/me" }, { cookie } as Person);
    expect([account.name, (jsonIn(me.text) as { identity?: string }).identity]).toEqual([
      account.name,
      identity,
    ]);
  }
  expect(await store.people.requests(now)).toMatchObject([{ identity: world.asking, denied: false }]);
});

function codeIn({ text }: Answer): unknown {
  return (jsonIn(text) as { error?: { code?: string } }).error?.code;
}

/** Files are no JSON. */
function jsonIn(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
