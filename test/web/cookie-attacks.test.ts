/**
 * Attacks on the cookie of the page, and on who one is, request by request: the real adapter, sign-in and routes over a
 * SQLite store in a file, with a clock that the test sets. Those on links are in sign-in-attacks.test.ts.
 */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ANN, BOB, cookieSet, type Heads, MALLORY, OLGA, SignInWorld } from "../support/sign-in-world.js";
import type { WebAnswer } from "../support/web-call.js";

const PUBLIC = "https://baton.example.com";

let world: SignInWorld;

beforeEach(async () => {
  world = await SignInWorld.open();
});
afterEach(() => world.close());

describe("session fixation", () => {
  test("a value that was planted before is never the one that is signed in", async () => {
    const planted = randomBytes(16).toString("base64url");
    const before = [
      `baton=${planted}`,
      `__Host-baton=${planted}`,
      `baton=${planted}; baton=${planted}`,
      "baton=",
      "baton",
    ];
    for (const cookie of [...before, `baton=${planted}; __Host-baton=${planted}; Baton=x`]) {
      const given = cookieSet(await world.enter(await world.keyFor(ANN), { cookie }));
      expect(given).toMatch(/^baton=[A-Za-z0-9_-]{22}$/);
      expect(given).not.toContain(planted);
      expect(await world.whoIs(cookie)).toBeNull();
      expect(await world.whoIs(`baton=${planted}`)).toBeNull();
    }
  });

  test("who signs in over a cookie of somebody else has a new one, and that one is over", async () => {
    const mallory = await world.signIn(MALLORY);
    const ann = await world.signIn(ANN, { cookie: mallory });
    expect(ann).not.toBe(mallory);
    expect([await world.whoIs(ann), await world.whoIs(mallory)]).toEqual([ANN, null]);
    expect(await world.store.devices.list([MALLORY])).toEqual([]);
  });

  test("who signs in again has one session more, and the old one is over", async () => {
    const old = await world.signIn(ANN);
    const young = await world.signIn(ANN, { cookie: old });
    expect([await world.whoIs(old), await world.whoIs(young)]).toEqual([null, ANN]);
    expect(await world.store.devices.list([ANN])).toHaveLength(1);
  });

  test("a wrong link signs nobody out, and changes no cookie", async () => {
    const ann = await world.signIn(ANN);
    expect((await world.enter("A".repeat(22), { cookie: ann })).headers["set-cookie"]).toBeUndefined();
    expect(await world.whoIs(ann)).toBe(ANN);
  });

  // Another program at this machine, on another port, may set cookies for the same name and a longer path.
  test("a second cookie of that name, of the attacker's own session, makes nobody the attacker", async () => {
    const [mallory, ann] = [await world.signIn(MALLORY), await world.signIn(ANN)];
    for (const cookie of [`${mallory}; ${ann}`, `${ann}; ${mallory}`, `${mallory}; ${ann}; ${mallory}`])
      expect([cookie, await world.whoIs(cookie)]).toEqual([cookie, null]);
    expect([await world.say(`${mallory}; ${ann}`), world.page.received]).toEqual([401, []]);
  });

  test("of several cookies of that name none survives a new sign-in, and those that are none do no harm", async () => {
    const [mallory, old] = [await world.signIn(MALLORY), await world.signIn(ANN)];
    const ann = await world.signIn(ANN, { cookie: `${mallory}; ${old}` });
    expect([await world.whoIs(mallory), await world.whoIs(old), await world.whoIs(ann)]).toEqual([
      null,
      null,
      ANN,
    ]);
    expect(await world.whoIs(`${mallory}; ${ann}`)).toBe(ANN);
    expect(await world.whoIs(`baton=${"x".repeat(22)}; baton=; ${ann}; ${ann}`)).toBe(ANN);
  });

  test("a second cookie of the attacker's hides none behind many others", async () => {
    const [mallory, ann] = [await world.signIn(MALLORY), await world.signIn(ANN)];
    for (const count of [1, 2, 3, 4, 5, 50])
      for (const filler of [
        () => `baton=${randomBytes(16).toString("base64url")}`,
        (n: number) => `x${n}=y`,
      ]) {
        const fillers = Array.from({ length: count * 3 }, (_, n) => filler(n)).join("; ");
        for (const cookie of [`${mallory}; ${fillers}; ${ann}`, `${fillers}; ${mallory}; ${ann}`])
          expect([count, await world.whoIs(cookie)]).toEqual([count, null]);
      }
  });

  test("under https the name without the prefix, which other hosts can set, is not read", async () => {
    await world.again({ publicUrl: PUBLIC });
    const who = (cookie: string) => world.whoIsFrom("10.0.0.1", {}, cookie);
    const enterAs = async (identity: string, cookie: string | null) =>
      cookieSet(await world.enterFrom("10.0.0.1", await world.keyFor(identity), { cookie }));
    const mallory = await enterAs(MALLORY, null);
    const [, token] = mallory.split("=");
    const ann = await enterAs(ANN, `baton=${token}`);
    expect(await who(`baton=${token}`)).toBeNull();
    expect(await who(`baton=${token}; ${ann}`)).toBe(ANN);
    expect(await who(`__host-baton=${token}; ${ann}`)).toBe(ANN);
    expect(await who(`${ann}; baton=${token}`)).toBe(ANN);
  });
});

describe("the cookie", () => {
  const attributes = ({ headers }: WebAnswer) =>
    (headers["set-cookie"] ?? []).flatMap((each) => each.split("; ").slice(1)).sort();
  const ALWAYS = ["HttpOnly", `Max-Age=${400 * 86_400}`, "Path=/", "SameSite=Strict"];

  test("what can't be one never reaches the store, and of many none does", async () => {
    const known = vi.spyOn(world.store.devices, "known");
    const none = [
      "",
      "x",
      "A".repeat(21),
      "A".repeat(23),
      "../etc/passwd",
      "' OR 1=1 --",
      "%00",
      "A".repeat(8_000),
    ];
    for (const value of none) expect(await world.whoIs(`baton=${value}`)).toBeNull();
    const many = Array.from({ length: 400 }, () => `baton=${randomBytes(16).toString("base64url")}`);
    expect(await world.whoIs(many.join("; "))).toBeNull();
    expect(known).not.toHaveBeenCalled();
  });

  test("without TLS, at this machine", async () => {
    const entered = await world.enter(await world.keyFor(ANN));
    expect(cookieSet(entered)).toMatch(/^baton=[A-Za-z0-9_-]{22}$/);
    expect(attributes(entered)).toEqual(ALWAYS);
  });

  test.each([
    ["a proxy at the public address", { publicUrl: PUBLIC }],
    ["TLS of its own", { hasTls: true }],
  ])("with %s it has the prefix that no other host can set, and is for https only", async (_, more) => {
    await world.again(more);
    const entered = await world.enterFrom("10.0.0.1", await world.keyFor(ANN));
    expect(cookieSet(entered)).toMatch(/^__Host-baton=[A-Za-z0-9_-]{22}$/);
    expect(attributes(entered)).toEqual([...ALWAYS, "Secure"]);
    const leaves = { method: "POST", path: "/api/leave", body: {}, cookie: cookieSet(entered) } as const;
    const left = await world.answerFrom("10.0.0.1", leaves);
    expect(cookieSet(left)).toBe("__Host-baton=");
    expect(attributes(left)).toEqual(["HttpOnly", "Max-Age=0", "Path=/", "SameSite=Strict", "Secure"]);
  });

  test("its value is new each time, and 128 bits", async () => {
    const cookies = new Set<string>();
    for (let n = 0; n < 100; n++) cookies.add(await world.signIn(ANN));
    expect(cookies.size).toBe(100);
    for (const cookie of cookies)
      expect(Buffer.from(cookie.slice("baton=".length), "base64url")).toHaveLength(16);
  });

  test("survives a restart of the server", async () => {
    const ann = await world.signIn(ANN);
    const device = await world.deviceOf(ann);
    await world.again();
    world.now += 30 * 86_400_000;
    expect([await world.whoIs(ann), await world.deviceOf(ann)]).toEqual([ANN, device]);
  });

  test("neither it nor a key is in any file, in no spelling", async () => {
    const ann = await world.signIn(ANN);
    await world.keyFor(BOB); // One that nobody has used.
    await world.enter(await world.keyFor(MALLORY), { cookie: ann });
    await world.signIn(OLGA);
    await world.call({ path: "/api/conversations" }, { cookie: ann });
    const written = await world.written();
    const holds = (text: string) => written.some((file) => file.includes(text));
    expect(world.secrets.length).toBeGreaterThan(5);
    for (const secret of world.secrets) {
      const bytes = Buffer.from(secret, "base64url");
      for (const spelt of [secret, bytes.toString("latin1"), bytes.toString("hex"), bytes.toString("base64")])
        expect(holds(spelt)).toBe(false);
    }
    expect(holds(OLGA)).toBe(true); // It would have been seen.
  });
});

describe("who one is", () => {
  const HEADER = "x-forwarded-user";
  const PROXY = "10.0.0.1";
  const trusting = (proxies: readonly string[]) =>
    world.again({ trustedHeader: { name: "X-Forwarded-User", proxies } });
  const who = (from: string, headers: Heads, cookie?: string) => world.whoIsFrom(from, headers, cookie);

  test("being at this machine makes nobody somebody, whatever they say", async () => {
    for (const from of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
      for (const name of [HEADER, "x-forwarded-for", "x-real-ip", "forwarded", "remote-user"])
        for (const value of [OLGA, from]) expect(await who(from, { [name]: value })).toBeNull();
    expect(await world.whoIs(null)).toBeNull();
  });

  test("a proxy's header counts from the proxy's address only", async () => {
    await trusting([PROXY, "::1"]);
    for (const from of [PROXY, `::ffff:${PROXY}`, "::FFFF:10.0.0.1", "::1"])
      expect(await who(from, { [HEADER]: ANN })).toBe(ANN);
    const near = ["10.0.0.11", "10.0.0.10", "110.0.0.1", "10.0.0.1.5", "::ffff:10.0.0.2", "fe80::10.0.0.1"];
    const says: Heads[] = [
      {},
      { "x-forwarded-for": PROXY },
      { "x-real-ip": PROXY },
      { forwarded: `for=${PROXY}` },
    ];
    for (const from of ["127.0.0.1", "", ...near])
      for (const more of says)
        expect([from, await who(from, { [HEADER]: OLGA, ...more })]).toEqual([from, null]);
    expect(await world.whoIs(null, { [HEADER]: OLGA })).toBeNull(); // Over a real connection from here.
  });

  test("over a real connection from a proxy that is named, the header counts; without it nobody is signed in", async () => {
    await trusting(["127.0.0.1"]);
    expect(await world.whoIs(null, { [HEADER]: BOB })).toBe(BOB);
    expect(await world.whoIs(null)).toBeNull();
  });

  test("a proxy names people with access, and nobody else", async () => {
    await trusting([PROXY]);
    const strangers = [
      "telegram:nobody",
      "telegram:*",
      "telegram:ann/..",
      "telegram:ann\u00a0x",
      `${ANN}, ${OLGA}`,
    ];
    const nothing = [
      "",
      "*",
      "ann",
      ":ann",
      "telegram:",
      "web:ann",
      "web:telegram/ann",
      "Telegram:ann",
      "__proto__:ann",
    ];
    for (const name of [...strangers, ...nothing])
      expect([name, await who(PROXY, { [HEADER]: name })]).toEqual([name, null]);
  });

  test("a cookie beside the header makes nobody two people", async () => {
    const mallory = await world.signIn(MALLORY);
    await trusting([PROXY]);
    expect(await who(PROXY, { [HEADER]: ANN }, mallory)).toBe(ANN);
    expect(await who(PROXY, {}, mallory)).toBe(MALLORY);
    expect(await who("10.9.9.9", { [HEADER]: ANN }, mallory)).toBe(MALLORY);
  });

  test("whose access is taken away sees nothing at the next call, and whose role changes has the new one", async () => {
    const { people } = world.store;
    const eve = "discord:eve";
    const person = await people.join(eve, "discord:eve-2", "p_0000000001", world.now);
    await people.setRole(person.id, "owner");
    const cookie = await world.signIn(eve);
    expect((await world.call({ path: "/api/owner/people" }, { cookie })).status).toBe(200);
    await people.setRole(person.id, "guest");
    expect((await world.call({ path: "/api/owner/people" }, { cookie })).status).toBe(403);
    expect(await world.whoIs(cookie)).toBe(eve);
    const key = await world.keyFor(eve);
    await people.forget({ personId: person.id });
    for (const path of ["me", "stream", "chat", "conversations", "devices", "owner/people"].map(
      (name) => `/api/${name}`,
    ))
      expect([path, (await world.call({ path }, { cookie })).status]).toEqual([path, 401]);
    expect([await world.say(cookie), world.page.received]).toEqual([401, []]);
    const late = await world.enter(key); // A link from before opens nothing either.
    if (late.status === 200) expect(await world.whoIs(cookieSet(late))).toBeNull();
  });
});
