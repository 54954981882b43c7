/**
 * Another person's ids in every route: 10,000 random requests of random people to the page, while conversations go on and
 * accounts are linked and unlinked. Everything that the page can show says a word that nothing else says, and the books of the
 * access oracle (`support/page-words.ts`) know who may read it. What holds for each answer: every word in it is one that they
 * may read, and every id one that they may have; what is another's is answered exactly as what is not there; and what is for
 * owners is refused to others. A route that has no requests in `support/page-cases.ts` fails the test.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageAnswer, PageCases, sorted } from "../support/page-cases.js";
import { PageRightsWorld, type Person } from "../support/page-rights-world.js";
import type { PageCall } from "../support/page-server.js";
import { ASKING } from "../support/page-things.js";

const CASES = 10_000;
const SEED = 23;
const EVENTS_SHARE = 0.03;
const OWNERS = "/api/owner/";
/** Asked over a connection, which takes longer. */
const RARE = new Set(["PUT /api/files", "GET /api/stream"]);
/** They are told nothing about anybody. */
const NOBODYS = new Set(["POST /api/enter", "POST /api/leave"]);
/** Owners are told which conversations have a turn; its id opens nothing for them. */
const TELLS_IDS = "GET /api/owner/turns";

let world: PageRightsWorld;
let cases: PageCases;
let letters: unknown;

beforeAll(async () => {
  world = await PageRightsWorld.open(SEED);
  cases = await PageCases.of(world);
  letters = await outbox();
}, 120_000);
afterAll(() => world.close());

async function answerTo(call: PageCall, { cookie }: Pick<Person, "cookie">): Promise<PageAnswer> {
  const answer = await world.server.answer({ cookie, ...call });
  return { status: answer.status, text: await answer.text() };
}

/** Ids in an answer of what is not theirs. */
function foreignIds(text: string, person: Person): string[] {
  const { books } = world.access;
  const theirs = new Set<string>(world.sessionsOf(person).map(({ id }) => id));
  for (const id of [...world.jobsOf(person), ...world.processesOf(person)]) theirs.add(id);
  const all = [books.sessions, books.jobs, world.things.processes].flatMap((each) =>
    each.map(({ id }) => id as string),
  );
  const devices = world.persons.filter(({ account }) => !world.isSame(account, person.account));
  const known = [...all.filter((id) => !theirs.has(id)), ...devices.map(({ device }) => `"${device}"`)];
  return known.filter((id) => text.includes(id));
}

test("every route has requests", () => {
  const isOfAll = ({ method }: { readonly method: string }) => method === "ALL";
  const { routes } = world.server.app;
  const named = routes.filter((route) => !isOfAll(route)).map(({ method, path }) => `${method} ${path}`);
  expect(sorted(named)).toEqual(sorted(Object.keys(cases.routes)));
  expect(sorted(routes.filter(isOfAll).map(({ path }) => path))).toEqual(["/*", "/api/*"]);
});

test(`${CASES} requests give exactly what the oracle lets people see (seed ${SEED})`, async () => {
  const seen = { theirs: 0, others: 0, owners: 0, out: 0 };
  const names = Object.keys(cases.routes);
  for (let n = 0; n < CASES; n++) {
    if (world.access.chance(EVENTS_SHARE)) await world.happen();
    const route = world.access.pick(names.filter((name) => !RARE.has(name) || world.access.chance(0.2)));
    const person = world.access.pick(world.persons);
    const { account } = person;
    const { call, missing, check, status, ask } =
      (await cases.routes[route]?.(person)) ?? expect.unreachable(route);
    const where = `seed ${SEED}, case ${n}: ${route} of ${account.name}: ${JSON.stringify(call)}`;
    const answer = ask ? await ask() : await answerTo(call, person);
    expect(world.words.forbidden(answer.text, account), where).toEqual([]);
    if (NOBODYS.has(route)) continue;
    if (account.only) {
      expect([answer.status, codeIn(answer)], where).toEqual([401, "signed_out"]);
      seen.out += 1;
    } else if (route.includes(OWNERS) && account.role !== "owner") {
      expect([answer.status, codeIn(answer)], where).toEqual([403, "owners_only"]);
      seen.owners += 1;
    } else if (missing) {
      const nothing = await answerTo(missing.call, person);
      expect([400, 404, 409], where).toContain(nothing.status);
      expect({ ...answer, text: answer.text.replaceAll(missing.asked, missing.id) }, where).toEqual(nothing);
      seen.others += 1;
    } else {
      const isToBe = status ? [status] : check ? [200] : [200, 400, 404];
      expect(isToBe, `${where} ${answer.text}`).toContain(answer.status);
      if (answer.status !== 200) continue;
      if (route !== TELLS_IDS) expect(foreignIds(answer.text, person), where).toEqual([]);
      const json = jsonIn(answer.text);
      check?.(json as never, where);
      if (json.nextCursor) cases.cutOff(json.nextCursor);
      seen.theirs += 1;
    }
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(CASES / 20); // It has met all of that, often.
  expect(sorted(world.words.met)).toEqual(sorted(world.words.kinds)); // Whoever may read something has read some of it.
}, 240_000);

test("and nobody has changed what is another's", async () => {
  const { store, now } = world.access;
  for (const { cookie, account, identity } of world.persons.filter(({ account }) => !account.only)) {
    const { text } = await answerTo({ path: "/api/me" }, { cookie });
    expect([account.name, jsonIn(text).identity]).toEqual([account.name, identity]);
  }
  expect(await store.people.requests(now)).toMatchObject([{ identity: ASKING, denied: false }]);
  expect(await outbox()).toEqual(letters);
});

function outbox(): Promise<unknown> {
  return world.access.db.all("SELECT id, state FROM outbox ORDER BY id");
}

function codeIn({ text }: PageAnswer): unknown {
  return jsonIn(text).error?.code;
}

interface Json {
  readonly error?: { readonly code: string };
  readonly identity?: string;
  readonly nextCursor?: string | null;
}

/** Files and streams are no JSON. */
function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
