/**
 * Attacks on links and on the way in, request by request: the real adapter, sign-in and routes over a SQLite store in a file,
 * with a clock that the test sets. Those on the cookie, and on who one is after that, are in cookie-attacks.test.ts.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LINK_MS } from "../../src/gateway/web/links.js";
import { JSON_TYPE, OF_THE_PAGE, type PageCall } from "../support/page-server.js";
import {
  ANN,
  BOB,
  codeOf,
  cookieSet,
  type Heads,
  keyIn,
  MALLORY,
  SignInWorld,
} from "../support/sign-in-world.js";
import { webCall } from "../support/web-call.js";

const MINUTE_MS = 60_000;

let world: SignInWorld;

beforeEach(async () => {
  world = await SignInWorld.open();
});
afterEach(() => world.close());

describe("a stolen link", () => {
  test("lets in nobody after its owner has used it", async () => {
    const key = await world.keyFor(ANN);
    const ann = cookieSet(await world.enter(key));
    for (const cookie of [null, ann, await world.signIn(MALLORY)]) {
      const stolen = await world.enter(key, { cookie });
      expect([stolen.status, codeOf(stolen)]).toEqual([403, "link_over"]);
      expect(stolen.headers["set-cookie"]).toBeUndefined();
    }
    expect(await world.whoIs(ann)).toBe(ANN);
  });

  test("that somebody else uses first is refused to its owner, who then sees the thief and signs them out", async () => {
    const key = await world.keyFor(ANN);
    const thief = cookieSet(await world.enter(key));
    expect((await world.enter(key)).status).toBe(403);
    const ann = await world.signIn(ANN);
    const { items } = (await world.call({ path: "/api/devices" }, { cookie: ann })).json as {
      items: { id: string; isThis: boolean }[];
    };
    const [other, ...more] = items.filter(({ isThis }) => !isThis);
    expect(more).toEqual([]);
    await world.post("/api/devices/revoke", { id: other?.id }, { cookie: ann });
    expect([await world.whoIs(thief), await world.whoIs(ann)]).toEqual([null, ANN]);
  });

  test("is taken once, also if many present it at the same instant", async () => {
    for (let round = 0; round < 5; round++) {
      const key = await world.keyFor(ANN);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => world.enterFrom(`10.${round}.0.${n}`, key)),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(59);
      expect(answers.filter(({ headers }) => headers["set-cookie"])).toEqual(winners);
      expect(await world.store.devices.list([ANN])).toHaveLength(round + 1);
    }
  });

  test("is taken once, also by two gateways over the same store", async () => {
    const other = await world.beside();
    try {
      for (let round = 0; round < 10; round++) {
        const body = { key: await world.keyFor(ANN) };
        const asked: PageCall = { method: "POST", path: "/api/enter", body };
        const both = await Promise.all([world.page.answer(asked), other.page.answer(asked)]);
        expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
      }
    } finally {
      await other.close();
    }
  });
});

describe("a replayed link", () => {
  test("is over after five minutes, and valid until then", async () => {
    const [late, early] = [await world.keyFor(ANN), await world.keyFor(ANN)];
    world.now += LINK_MS - 1;
    expect((await world.enter(early)).status).toBe(200);
    world.now += 1;
    expect((await world.enter(late)).status).toBe(403);
    world.now -= 2 * MINUTE_MS; // The clock is set back: what was used stays used.
    expect((await world.enter(early)).status).toBe(403);
  });

  test("lets nobody in again after a restart", async () => {
    const [used, unused] = [await world.keyFor(ANN), await world.keyFor(BOB)];
    await world.enter(used);
    await world.again();
    expect((await world.enter(used)).status).toBe(403);
    expect(await world.whoIs(cookieSet(await world.enter(unused)))).toBe(BOB);
  });

  test("is no cookie, and a cookie is no link", async () => {
    const key = await world.keyFor(ANN);
    for (const name of ["baton", "__Host-baton"]) expect(await world.whoIs(`${name}=${key}`)).toBeNull();
    const [, token = ""] = cookieSet(await world.enter(key)).split("=");
    expect((await world.enter(token)).status).toBe(403);
    expect((await world.enter(createHash("sha256").update(key).digest("hex"))).status).toBe(403);
  });

  test("a cookie is over once its browser has left, wherever it was copied to", async () => {
    const cookie = await world.signIn(ANN);
    const { headers } = await world.post("/api/leave", {}, { cookie });
    expect(headers["set-cookie"]).toEqual(["baton=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"]);
    await expectOver(cookie);
  });

  test("a cookie is over once it is revoked, here or at the command line", async () => {
    const [one, other, ann] = [await world.signIn(ANN), await world.signIn(ANN), await world.signIn(ANN)];
    const devices = await world.store.devices.list([ANN]);
    const [first, second] = await Promise.all([one, other].map((cookie) => world.deviceOf(cookie)));
    expect(devices.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]));
    await world.post("/api/devices/revoke", { id: first }, { cookie: ann });
    await world.store.devices.revoke(second ?? "", null);
    await expectOver(one);
    await expectOver(other);
    expect(await world.whoIs(ann)).toBe(ANN);
  });
});

/** Nothing takes it any more, also not later. */
async function expectOver(cookie: string): Promise<void> {
  for (const path of ["/api/me", "/api/stream", "/api/chat", "/api/conversations", "/api/posts/1/files/0"])
    expect([path, (await world.call({ path }, { cookie })).status]).toEqual([path, 401]);
  expect(await world.say(cookie)).toBe(401);
  expect(world.page.received).toEqual([]);
  await world.again();
  expect(await world.whoIs(cookie)).toBeNull();
}

describe("a proxy that logs what it is asked for", () => {
  let proxy: Server;
  let log: string;

  /** Passes everything on, and writes down what the browser sends. */
  beforeEach(async () => {
    log = "";
    proxy = createServer((socket) => {
      const onward = connect(Number(new URL(world.page.url).port), "127.0.0.1");
      for (const each of [socket, onward]) each.on("error", () => {});
      socket.on("data", (bytes) => {
        log += bytes.toString("latin1");
      });
      socket.pipe(onward).pipe(socket);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
  });
  afterEach(async () => {
    proxy.close();
    await once(proxy, "close");
  });

  const through = (path: string): string => {
    const address = proxy.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}${path}`;
  };
  const headers = () => ({ host: new URL(world.page.url).host, connection: "close" });

  test("sees no key: it stands in the fragment, which is sent to nobody", async () => {
    const link = await world.linkFor(ANN);
    const { pathname, search } = new URL(link);
    expect([pathname, search]).toEqual(["/", ""]);
    const shown = await webCall(through(""), { path: `${pathname}${search}`, headers: headers() });
    expect(shown.status).toBe(200);
    expect(log).toMatch(/^GET \/ HTTP\/1\.1\r\n/);
    expect(log).not.toContain(keyIn(link));
    expect(shown.headers["referrer-policy"]).toBe("no-referrer");
    expect(JSON.stringify(shown.headers) + shown.text).not.toContain(keyIn(link));
  });

  test("sees the key in a body only, which is over by then; and no answer repeats it", async () => {
    const key = await world.keyFor(ANN);
    const body = JSON.stringify({ key });
    const asked = { ...headers(), ...OF_THE_PAGE, ...JSON_TYPE, referer: `${world.page.url}/` };
    const entered = await webCall(through(""), { path: "/api/enter", method: "POST", body, headers: asked });
    expect(entered.status).toBe(200);
    const [head = "", ...rest] = log.split("\r\n\r\n");
    expect(head).not.toContain(key);
    expect(rest.join()).toContain(key);
    expect(JSON.stringify(entered.headers) + entered.text).not.toContain(key);
    expect(entered.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    const token = cookieSet(entered).split("=")[1] ?? "";
    expect(entered.text).not.toContain(token);
    const me = await world.call({ path: "/api/me" }, { cookie: cookieSet(entered) });
    const devices = await world.call({ path: "/api/devices" }, { cookie: cookieSet(entered) });
    for (const secret of [key, token]) expect(me.text + devices.text).not.toContain(secret);
  });

  test("a key in a path, a query, a header or a cookie lets nobody in, and is not used up", async () => {
    const key = await world.keyFor(ANN);
    const before = ["/?key=", "/key=", "/", "/%23key=", "/api/me?key=", "/api/enter/", "/api/enter?key="];
    for (const path of [...before.map((text) => `${text}${key}`), `/api/enter#key=${key}`]) {
      const answers = [await world.call({ path }), await world.call({ path, method: "POST", body: "{}" })];
      for (const answer of answers) {
        expect([path, answer.headers["set-cookie"]]).toEqual([path, undefined]);
        expect(answer.text).not.toContain(key);
      }
    }
    const named: Heads[] = [
      { authorization: `Bearer ${key}` },
      { "x-key": key },
      { referer: `/#key=${key}` },
    ];
    for (const headers of named) expect(await world.whoIs(`key=${key}`, headers)).toBeNull();
    expect(await world.whoIs(cookieSet(await world.enter(key)))).toBe(ANN);
  });
});

describe("log-in CSRF", () => {
  const FOREIGN = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
  const origin = "https://evil.example";

  test("no page of another site signs anybody in, by a form or by fetch", async () => {
    const ann = await world.signIn(ANN);
    const key = await world.keyFor(MALLORY);
    const heads: Heads[] = [
      { origin },
      { ...FOREIGN, origin },
      { ...FOREIGN, origin: "null" },
      { ...OF_THE_PAGE, origin },
      { ...OF_THE_PAGE, "sec-fetch-site": "same-site" },
      { ...OF_THE_PAGE, "sec-fetch-site": "cross-site" },
      { ...OF_THE_PAGE, "sec-fetch-site": "none" },
      { ...FOREIGN, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", origin },
      { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }, // Without our header.
      { ...OF_THE_PAGE, "sec-fetch-dest": "iframe" },
      {},
    ];
    const types = [
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ];
    const bodies = [JSON.stringify({ key }), `key=${key}`, `{"key":"${key}","x":"="}`];
    for (const head of heads)
      for (const type of types)
        for (const body of bodies) {
          const headers = { ...head, "content-type": type, cookie: ann };
          const answer = await webCall(world.page.url, { path: "/api/enter", method: "POST", headers, body });
          expect([403, 415]).toContain(answer.status);
          expect(answer.headers["set-cookie"]).toBeUndefined();
        }
    for (const type of types.slice(1)) {
      const sent = { ...OF_THE_PAGE, "content-type": type };
      const asked = { path: "/api/enter", method: "POST", headers: sent, body: JSON.stringify({ key }) };
      expect((await webCall(world.page.url, asked)).status).toBe(415);
    }
    expect(await world.whoIs(ann)).toBe(ANN);
    expect(await world.whoIs(cookieSet(await world.enter(key)))).toBe(MALLORY); // It was not used up.
  });

  test("no page of another site signs anybody out", async () => {
    const ann = await world.signIn(ANN);
    for (const head of [{ ...FOREIGN, origin }, { ...OF_THE_PAGE, origin }, {}]) {
      const sent = { ...head, ...JSON_TYPE, cookie: ann };
      const asked = { path: "/api/leave", method: "POST", headers: sent, body: "{}" };
      const answer = await webCall(world.page.url, asked);
      expect([answer.status, answer.headers["set-cookie"]]).toEqual([403, undefined]);
    }
    expect(await world.whoIs(ann)).toBe(ANN);
  });

  test("nothing but a POST signs anybody in", async () => {
    const key = await world.keyFor(MALLORY);
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await world.call({ path: `/api/enter?key=${key}`, method });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });
});

describe("guessing links", () => {
  const WRONG = "A".repeat(22);
  const MOST = 30;

  test("an address has 30 wrong tries a minute, then it waits, and others don't", async () => {
    const key = await world.keyFor(ANN);
    for (let n = 0; n < MOST; n++)
      expect((await world.enterFrom("10.0.0.1", randomBytes(16).toString("base64url"))).status).toBe(403);
    for (const tried of [WRONG, key]) {
      const locked = await world.enterFrom("10.0.0.1", tried);
      expect([locked.status, codeOf(locked)]).toEqual([429, "too_many_tries"]);
      expect(locked.headers["retry-after"]).toBe("60");
    }
    expect((await world.enterFrom("10.0.0.2", key)).status).toBe(200);
    world.now += MINUTE_MS - 1;
    expect((await world.enterFrom("10.0.0.1", WRONG)).status).toBe(429);
    world.now += 1;
    for (let n = 0; n < MOST; n++) expect((await world.enterFrom("10.0.0.1", WRONG)).status).toBe(403);
    expect((await world.enterFrom("10.0.0.1", WRONG)).status).toBe(429);
  });

  test("no more than that reach the store, also if they come at the same instant", async () => {
    const tried = vi.spyOn(world.store.devices, "enter");
    const keys = Array.from({ length: 500 }, () => randomBytes(16).toString("base64url"));
    const answers = await Promise.all(keys.map((key) => world.enterFrom("10.0.0.1", key)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(MOST);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(500 - MOST);
    expect(tried).toHaveBeenCalledTimes(MOST);
  });

  test("right links are not counted", async () => {
    for (let n = 0; n < 2 * MOST; n++)
      expect((await world.enterFrom("10.0.0.1", await world.keyFor(ANN))).status).toBe(200);
    for (let n = 0; n < MOST - 1; n++) await world.enterFrom("10.0.0.1", WRONG);
    expect((await world.enterFrom("10.0.0.1", await world.keyFor(ANN))).status).toBe(200);
  });

  test("what can't be a key is counted, and costs the store nothing", async () => {
    const tried = vi.spyOn(world.store.devices, "enter");
    const texts = ["", "A".repeat(21), "A".repeat(400_000), `${WRONG}\n`, "é".repeat(22)];
    for (const key of [...texts, undefined, null, 5, [], {}, [WRONG]])
      expect((await world.enterFrom("10.0.0.1", key)).status).toBe(403);
    for (const body of ["", "[]", "null", "{", '"x"', "\u0000"]) {
      const answer = await world.call({ path: "/api/enter", method: "POST", body });
      expect([body, answer.status]).toEqual([body, 400]);
    }
    expect((await world.enter("A".repeat(600_000))).status).toBe(413);
    expect(tried).not.toHaveBeenCalled();
  });

  test("what it remembers of addresses is bounded, and who tries most recently is remembered", async () => {
    for (let n = 0; n < MOST; n++) await world.enterFrom("2001:db8::1", WRONG);
    expect((await world.enterFrom("2001:db8::1", WRONG)).status).toBe(429);
    const others = Array.from({ length: 10_000 }, (_, n) => `2001:db8::2:${n.toString(16)}`);
    for (const other of others) await world.enterFrom(other, "x");
    const last = others.at(-1) ?? "";
    for (let n = 1; n < MOST; n++) expect((await world.enterFrom(last, "x")).status).toBe(403);
    expect((await world.enterFrom(last, "x")).status).toBe(429);
    expect((await world.enterFrom("2001:db8::1", "x")).status).toBe(403); // The oldest of 10,001 is forgotten.
  });

  test("an address in a header changes nothing: only the connection says where it is from", async () => {
    const enterSaying = (n: number) => {
      const address = `10.1.0.${n}`;
      const headers = { "x-forwarded-for": address, forwarded: `for=${address}`, "x-real-ip": address };
      return world.enterFrom("10.0.0.1", WRONG, { headers });
    };
    for (let n = 0; n < MOST; n++) expect((await enterSaying(n)).status).toBe(403);
    expect((await enterSaying(99)).status).toBe(429);
  });
});
