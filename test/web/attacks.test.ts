/**
 * Attacks on the page's server, each as the browser of the person attacked or a program on the way would send it. In front
 * are requests with exactly these headers; behind are the real adapter and a real store. What nobody may do leaves no trace:
 * nothing is received, and nothing of anybody's is in the answer. `server-attacks.test.ts` has those on connections and on what
 * changes while a request runs, `sign-in-attacks.test.ts` those on signing in, and `hostile-page.test.ts` what a real browser makes of hostile text.
 */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bindProblem } from "../../src/adapter/web/bind.js";
import { LONGEST_SAID } from "../../src/adapter/web/say.js";
import { WEB } from "../../src/adapter/web/web-source.js";
import { OUR_HEADER, OUR_HEADER_VALUE, PATHS } from "../../src/adapter/web/wire.js";
import { rawCall, rawEnded, rawHead, rawOpened } from "../support/raw-call.js";
import { type WebAnswer, type WebCall, webCall, webResponse } from "../support/web-call.js";
import { servedForEach } from "../support/web-serving.js";

const ANN = "device=ann-1; identity=telegram:1";
const CHAT = "telegram/1";
const JSON_TYPE = { "content-type": "application/json" };
const OURS = { [OUR_HEADER]: OUR_HEADER_VALUE };
/** What a browser says of a request that a page on another site makes. */
const FROM_ELSEWHERE = {
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
};
const FROM_HERE = { ...FROM_ELSEWHERE, "sec-fetch-site": "same-origin" };

const served = servedForEach();
const { serve } = served;
const call = (asked: WebCall): Promise<WebAnswer> => webCall(served.url, asked);
const said = (id = "a".repeat(22)): string => JSON.stringify({ id, thread: null, text: "rm -rf" });
const say = (headers: Readonly<Record<string, string>>, body = said()): Promise<WebAnswer> =>
  call({ method: "POST", path: PATHS.say, headers: { cookie: ANN, ...headers }, body });
const headOf = (method: string, path: string, headers: Readonly<Record<string, string>>): string =>
  rawHead(served.url, method, path, headers);
const raw = (bytes: string): Promise<string> => rawCall(served.url, bytes);
const codeOf = ({ json }: WebAnswer): unknown =>
  (json as { error?: { code?: string } } | undefined)?.error?.code;

async function post(text: string, more: object = {}): Promise<void> {
  const letter = { address: { platform: WEB, chatId: CHAT }, text, deliveryId: text, ...more };
  await served.adapter.send(letter);
}

describe("another site", () => {
  test("DNS rebinding: a name that means this machine, but is not ours, gets nothing", async () => {
    const { port } = new URL(served.url);
    for (const host of [
      `evil.example:${port}`,
      "evil.example",
      `127.0.0.1.evil.example:${port}`,
      "127.0.0.1:1",
    ]) {
      for (const path of ["/", PATHS.stream, "/assets/page-0123abcd.js"]) {
        const answer = await call({ path, headers: { host, cookie: ANN, ...OURS } });
        expect([host, path, answer.status]).toEqual([host, path, 403]);
      }
    }
    for (const without of ["", "host:\r\n"])
      expect(await raw(`GET / HTTP/1.1\r\n${without}connection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 40[03] /,
      );
    const itself = await call({ path: "/", headers: { host: `localhost:${port}` } });
    expect(itself.status).toBe(200);
  });

  test("CSRF by a form: neither its types nor its missing header are taken", async () => {
    const origin = "https://evil.example";
    const fromForms: Record<string, string>[] = [
      { origin },
      { origin, ...FROM_ELSEWHERE, "sec-fetch-mode": "navigate" },
      {},
    ];
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      for (const from of fromForms)
        expect((await say({ ...from, "content-type": type })).status).toBeGreaterThanOrEqual(400);
    // Also where a browser says nothing of where it comes from.
    expect(codeOf(await say(JSON_TYPE))).toBe("header_missing");
    expect(served.received).toEqual([]);
  });

  test("CSRF by fetch: no other origin is answered, and none is allowed to ask beforehand", async () => {
    for (const origin of [
      "https://evil.example",
      "null",
      `${served.url}.evil.example`,
      "http://127.0.0.1:1",
    ]) {
      expect(codeOf(await say({ ...JSON_TYPE, ...OURS, ...FROM_ELSEWHERE, origin }))).toBe("wrong_origin");
      const asked = await call({
        method: "OPTIONS",
        path: PATHS.say,
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": OUR_HEADER,
        },
      });
      expect(asked.status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(asked.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    for (const site of ["cross-site", "same-site", "none", "made-up"])
      expect(codeOf(await say({ ...JSON_TYPE, ...OURS, "sec-fetch-site": site }))).toBe("cross_site");
    expect(served.received).toEqual([]);
  });

  test("CSRF by a picture, a script or a frame: nothing is read by GET from elsewhere", async () => {
    await post("a secret plan");
    for (const dest of ["image", "script", "style", "iframe", "embed", "object", "worker", "audio"]) {
      for (const site of ["cross-site", "same-site"]) {
        const headers = {
          cookie: ANN,
          "sec-fetch-site": site,
          "sec-fetch-mode": "no-cors",
          "sec-fetch-dest": dest,
        };
        for (const path of [PATHS.stream, "/api/posts/1/files/0", "/api/me"])
          expect((await call({ path, headers })).status).toBe(403);
      }
    }
    // From our own site, too, data is never a script or a frame.
    for (const dest of ["script", "iframe", "style", "worker"])
      expect(
        (await call({ path: "/api/me", headers: { cookie: ANN, ...FROM_HERE, "sec-fetch-dest": dest } }))
          .status,
      ).toBe(403);
  });

  test("a cross-site event stream is refused before it begins", async () => {
    await post("a secret plan");
    const asked = { path: `${PATHS.stream}?after=0`, headers: { cookie: ANN, accept: "text/event-stream" } };
    for (const from of [FROM_ELSEWHERE, { ...FROM_ELSEWHERE, "sec-fetch-site": "same-site" }, {}]) {
      const answer = await call({ ...asked, headers: { ...asked.headers, ...from } });
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain("secret plan");
    }
  });

  test("clickjacking: the page is shown in no frame, and says so", async () => {
    for (const dest of ["iframe", "frame", "embed", "object"])
      for (const site of ["same-origin", "cross-site"]) {
        const headers = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": dest };
        expect((await call({ path: "/", headers })).status).toBe(403);
      }
    const { headers } = await call({ path: "/" });
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  });

  test("an origin or a host in the address, or headers of a proxy, change nothing", async () => {
    const host = new URL(served.url).host;
    for (const path of [`http://evil.example${PATHS.stream}`, `//evil.example${PATHS.stream}`]) {
      const answer = await call({ path, headers: { host, cookie: ANN, ...OURS, ...FROM_HERE } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    const forwarded = { "x-forwarded-host": host, "x-forwarded-for": "127.0.0.1", forwarded: `host=${host}` };
    expect((await call({ path: "/", headers: { host: "evil.example", ...forwarded } })).status).toBe(403);
    expect((await say({ ...JSON_TYPE, ...OURS, origin: "https://evil.example", ...forwarded })).status).toBe(
      403,
    );
  });
});

describe("who one is", () => {
  test("being on this machine makes nobody somebody", async () => {
    for (const path of [PATHS.stream, "/api/posts/1/files/0"])
      expect((await call({ path, headers: { ...OURS, ...FROM_HERE } })).status).toBe(401);
    const answer = await call({
      method: "POST",
      path: PATHS.say,
      headers: { ...JSON_TYPE, ...OURS },
      body: said(),
    });
    expect(answer.status).toBe(401);
    expect(served.received).toEqual([]);
  });

  test("nobody reads another person's stream, posts or files, or says something for them", async () => {
    await writeFile(join(served.world.mediaFolder, "f".repeat(32)), "ann's file");
    await post("ann's plan", {
      files: [
        { path: join(served.world.mediaFolder, "f".repeat(32)), name: "plan.txt", mediaType: "text/plain" },
      ],
    });
    const bob = served.world.browser("telegram:2");
    expect((await bob.call({ path: "/api/posts/1/files/0" })).status).toBe(404);
    expect((await served.world.browser("telegram:1").call({ path: "/api/posts/1/files/0" })).text).toBe(
      "ann's file",
    );
    bob.open();
    await expect.poll(() => bob.isConnected).toBe(true);
    await post("more of ann's");
    await served.adapter.send({
      address: { platform: WEB, chatId: "telegram/2" },
      text: "for bob",
      deliveryId: "b",
    });
    await expect.poll(() => bob.shown().map(({ text }) => text)).toEqual(["for bob"]);
    const files = await served.world
      .browser("telegram:1")
      .upload([{ name: "x", mediaType: "text/plain", bytes: new TextEncoder().encode("ann's upload") }]);
    await expect(bob.say({ text: "look", files })).rejects.toThrow("409");
    await bob.say({ text: "hello" });
    expect(served.received.map(({ source }) => source.userId)).toEqual(["telegram/2"]);
  });

  test("a device that is signed out is let go of by its stream, too", async () => {
    const times: (() => void)[] = [];
    await serve({
      later: (then) => {
        times.push(then);
        return () => void times.splice(times.indexOf(then), 1);
      },
    });
    const browser = served.world.browser("telegram:1", "lost-phone");
    browser.open();
    await expect.poll(() => browser.isConnected).toBe(true);
    served.world.out.add("lost-phone");
    for (const then of times.splice(0)) then();
    await expect.poll(() => browser.events.some(({ kind }) => kind === "out")).toBe(true);
    browser.close();
  });
});

describe("what is sent back", () => {
  test("MIME sniffing: every answer says what it is, and that nothing else may be guessed", async () => {
    const paths = ["/", "/assets/page-0123abcd.js", "/api/nothing", "/nothing.html", PATHS.stream];
    for (const path of paths) {
      const answer = await call({ path, headers: { ...OURS, ...FROM_HERE } });
      expect([path, answer.headers["x-content-type-options"]]).toEqual([path, "nosniff"]);
      expect(answer.headers["content-type"]).toMatch(/^(?:text\/(?:html|javascript)|application\/json)/);
    }
  });

  test("SVG and HTML that somebody uploads is saved and never shown, under whatever name and type", async () => {
    const evil = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>";
    const path = join(served.world.mediaFolder, "e".repeat(32));
    await writeFile(path, evil);
    const kinds = [
      ["a.svg", "image/svg+xml"],
      ["a.html", "text/html"],
      ["a.xhtml", "application/xhtml+xml"],
      ["a.png", "image/svg+xml; charset=utf-8"],
      ['"; filename="b.html', "text/javascript"],
      ["../../etc/passwd\r\nset-cookie: a=b", "IMAGE/SVG+XML"],
      ["a.pdf", "application/pdf"],
    ];
    for (const [n, [name = "", mediaType = ""]] of kinds.entries()) {
      await post(`file ${n}`, { files: [{ path, name, mediaType }] });
      const position = await served.world.posts.last(CHAT);
      const answer = await served.world.browser().call({ path: `/api/posts/${position}/files/0` });
      expect(answer.status).toBe(200);
      expect(answer.headers["content-type"]).toBe("application/octet-stream");
      expect(answer.headers["content-disposition"]).toMatch(
        /^attachment; filename="[^"\r\n/]*"; filename\*=UTF-8''[^\r\n/]*$/,
      );
      expect(answer.headers["content-security-policy"]).toMatch(/default-src 'none'; sandbox/);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });

  test("a picture is shown as a picture, and has no rights if it is opened by itself", async () => {
    const path = join(served.world.mediaFolder, "d".repeat(32));
    await writeFile(path, "no picture at all");
    await post("a picture", { files: [{ path, name: "cat.png", mediaType: "image/png" }] });
    const { headers } = await served.world.browser().call({ path: "/api/posts/1/files/0" });
    expect(headers).toMatchObject({ "content-type": "image/png", "x-content-type-options": "nosniff" });
    expect(headers["content-security-policy"]).toContain("sandbox");
    expect(headers["content-disposition"]).toMatch(/^inline/);
  });

  test("the page's policy lets only its own files run, and no text become a script", async () => {
    const policy = String((await call({ path: "/" })).headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(policy.split("; ")).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*|http/);
  });

  test("what is said of us is kept by no cache, and passed on to nobody", async () => {
    const { headers } = await call({ path: "/api/nothing", headers: { ...OURS, ...FROM_HERE } });
    expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  });
});

describe("path traversal", () => {
  test.each([
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/%2e%2e%2fsecret.txt",
    "/assets/../../secret.txt",
    "/assets/..\\..\\secret.txt",
    "/assets/%00/../../secret.txt",
    "/assets//..//..//secret.txt",
    "/....//secret.txt",
    "/assets/page-0123abcd.js/../../../secret.txt",
    "/%c0%ae%c0%ae/secret.txt",
    "/secret.txt",
    "file:///etc/passwd",
  ])("%s", async (path) => {
    const answer = await call({ path });
    expect(answer.text).not.toContain("a secret");
    expect(answer.text).not.toContain("root:");
    expect([200, 400, 403, 404]).toContain(answer.status);
  });

  test("positions, numbers and references are numbers and references", async () => {
    const browser = served.world.browser();
    for (const part of ["..", "%2e%2e", "-1", "1e3", "0x1", "1;", "9".repeat(16), "1%00", "__proto__"])
      for (const path of [`/api/posts/${part}/files/0`, `/api/posts/1/files/${part}`])
        expect([path, (await browser.call({ path })).status]).toEqual([path, 404]);
    for (const ref of ["../secret.txt", `${"a".repeat(32)}-../../secret.txt`, "__proto__", "a".repeat(97)])
      await expect(
        browser.say({ text: "look", files: [{ ref, name: "x", mediaType: "text/plain" }] }),
      ).rejects.toThrow(/ 4\d\d /);
    expect(served.received).toEqual([]);
  });
});

describe("what costs too much", () => {
  test("oversized bodies are refused by their head, and not read", async () => {
    const headers = { cookie: ANN, ...OURS, ...FROM_HERE };
    const answer = await tooMuch(PATHS.say, {
      ...headers,
      ...JSON_TYPE,
      "content-length": String(LONGEST_SAID + 1),
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*connection: close/is);
    const upload = {
      ...headers,
      "content-type": "application/octet-stream",
      "content-length": String(2 ** 40),
    };
    expect(await tooMuch(PATHS.upload, upload, "PUT")).toMatch(/^HTTP\/1\.1 413 /);
    const endless = { ...headers, ...JSON_TYPE, "transfer-encoding": "chunked" };
    expect(await tooMuch(PATHS.say, endless)).toMatch(/^HTTP\/1\.1 411 /);
    const both = { ...headers, ...JSON_TYPE, "content-length": "5", "transfer-encoding": "chunked" };
    expect(await tooMuch(PATHS.say, both)).toMatch(/^HTTP\/1\.1 4\d\d /);
    const long = await raw(`GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test("slow-loris: a head and a body have their time, and those who are quick are answered meanwhile", async () => {
    await serve({ headMs: 200, bodyMs: 300 });
    const slow = await Promise.all(
      Array.from({ length: 100 }, () => rawOpened(served.url, "GET / HTTP/1.1\r\nhost: ")),
    );
    const body = await rawOpened(
      served.url,
      `${headOf("POST", PATHS.say, { cookie: ANN, ...OURS, ...JSON_TYPE, "content-length": "100" })}{`,
    );
    expect((await call({ path: "/" })).status).toBe(200);
    await Promise.all([...slow, body].map(rawEnded));
    expect(served.received).toEqual([]);
  });

  test("1,000 open streams: those that are let in are told, and more of one browser end its oldest", async () => {
    await serve({ streams: { maxPerPerson: 1_000 } });
    const browsers = Array.from({ length: 1_000 }, (_, n) =>
      served.world.browser("telegram:1", `device-${n}`),
    );
    for (const browser of browsers) browser.open();
    await expect.poll(() => browsers.every(({ isConnected }) => isConnected)).toBe(true);
    await post("to all of them");
    await expect.poll(() => browsers.filter(({ posts }) => posts.size === 1).length).toBe(1_000);
    for (const browser of browsers) browser.close();
  });

  test("one person in many browsers takes no room from others", async () => {
    await serve({ streams: { maxPerPerson: 2 } });
    const asked = (device: string, identity: string) =>
      webResponse(served.url, {
        path: PATHS.stream,
        headers: { cookie: `device=${device}; identity=${identity}`, ...OURS, ...FROM_HERE },
      });
    const other = await asked("other", "telegram:2");
    const [one, two, three] = [
      await asked("a", "telegram:1"),
      await asked("b", "telegram:1"),
      await asked("c", "telegram:1"),
    ];
    await once(one.resume(), "end");
    expect([other, one, two, three].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect([other, two, three].map(({ complete, destroyed }) => complete || destroyed)).toEqual([
      false,
      false,
      false,
    ]);
    for (const each of [other, two, three]) each.destroy();
  });

  test("more streams than there is room for are told to come back, and nothing else suffers", async () => {
    await serve({ streams: { maxStreams: 3, maxPerDevice: 2 } });
    const asked = (device: string) =>
      webResponse(served.url, {
        path: PATHS.stream,
        headers: { cookie: `device=${device}; identity=telegram:1`, ...OURS, ...FROM_HERE },
      });
    const [one, two, three] = [await asked("a"), await asked("a"), await asked("a")];
    await once(one.resume(), "end"); // The oldest of the same browser.
    expect([two.statusCode, three.statusCode]).toEqual([200, 200]);
    const four = await asked("b");
    const five = await asked("c");
    expect([four.statusCode, five.statusCode, five.headers["retry-after"]]).toEqual([200, 503, "30"]);
    expect((await call({ path: "/" })).status).toBe(200);
    for (const each of [two, three, four, five]) each.destroy();
  });

  test("one person fills neither the disk nor the queue with uploads", async () => {
    const browser = served.world.browser();
    const big = new Uint8Array(20 * 2 ** 20);
    const each = async (n: number): Promise<number> => {
      big[0] = n;
      const headers = { "content-type": "application/octet-stream" };
      return (await browser.call({ method: "PUT", path: PATHS.upload, headers, body: big })).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 26; n++) statuses.push(await each(n));
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe("where it listens", () => {
  test.each([
    ["0.0.0.0", null, false],
    ["::", null, false],
    ["192.168.1.2", null, false],
    ["baton.example.com", null, false],
    ["0.0.0.0", null, true],
    ["0.0.0.0", "http://baton.example.com", false],
    ["0.0.0.0", "https://user:secret@baton.example.com", false],
    ["0.0.0.0", "https://baton.example.com/path", false],
    ["127.0.0.1", "ftp://baton.example.com", false],
  ])("%s with the public address %s and TLS %s is refused, with what to do", (host, publicUrl, hasTls) => {
    expect(bindProblem({ host, publicUrl, hasTls })).toMatch(/web\.(?:host|publicUrl)/);
  });

  test.each([
    ["127.0.0.1", null, false],
    ["::1", null, false],
    ["localhost", null, false],
    ["192.168.1.2", null, true],
    ["0.0.0.0", "https://baton.example.com", false],
    ["127.0.0.1", "https://baton.example.com", false],
  ])("%s with the public address %s and TLS %s is served", (host, publicUrl, hasTls) => {
    expect(bindProblem({ host, publicUrl, hasTls })).toBeNull();
  });
});

/** The head of the answer to a request whose body never comes. */
function tooMuch(path: string, headers: Readonly<Record<string, string>>, method = "POST"): Promise<string> {
  return raw(headOf(method, path, headers));
}
