/**
 * Attacks on the page's server by how a request is sent: half of it, with the rest once the sender has lost their rights;
 * without ever reading the answer; on thousands of connections that then do nothing; or so broken that no route is asked.
 * `attacks.test.ts` has those by what is sent.
 */
import { once } from "node:events";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ownNames } from "../../src/adapter/web/bind.js";
import { PageFiles } from "../../src/adapter/web/page-files.js";
import { sentFile } from "../../src/adapter/web/sent-file.js";
import { WebServer } from "../../src/adapter/web/server.js";
import { WEB } from "../../src/adapter/web/web-source.js";
import { PATHS } from "../../src/adapter/web/wire.js";
import { JSON_TYPE, OF_THE_PAGE } from "../support/page-server.js";
import { answerOn, rawCall, rawHead, rawOpened } from "../support/raw-call.js";
import { ANN, OLGA, SignInWorld } from "../support/sign-in-world.js";
import { webCall } from "../support/web-call.js";
import { servedForEach } from "../support/web-serving.js";

const DEVICE = "lost-phone";
const COOKIE = `device=${DEVICE}; identity=telegram:1`;
const SECURE = ["x-content-type-options: nosniff", "x-frame-options: DENY", "content-security-policy: "];

const served = servedForEach();
const { serve } = served;

describe("who is signed out while their request is being sent", () => {
  /** Sends all but the end of a body; the rest once they were let in by their cookie, and then signed out. */
  async function sentLate(method: string, path: string, type: string, body: string): Promise<string> {
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    await serve({
      signedIn: async (request) => {
        const who = await served.world.signedIn(request);
        isAsked();
        return who;
      },
    });
    const headers = { cookie: COOKIE, ...OF_THE_PAGE, "content-type": type, connection: "close" };
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const head = rawHead(served.url, method, path, { ...headers, ...length });
    const socket = await rawOpened(served.url, head + body.slice(0, 2));
    await asked;
    served.world.out.add(DEVICE);
    socket.write(body.slice(2));
    return answerOn(socket);
  }

  test("says nothing", async () => {
    const said = JSON.stringify({ id: "a".repeat(22), thread: null, text: "rm -rf" });
    expect(await sentLate("POST", PATHS.say, "application/json", said)).toMatch(/^HTTP\/1\.1 401 /);
    expect(served.received).toEqual([]);
  });

  test("uploads nothing, and nothing of it is left", async () => {
    const answer = await sentLate("PUT", PATHS.upload, "application/octet-stream", "some words");
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain("signed_out");
    expect(filesIn(join(served.world.folder, "uploads"))).toEqual([]);
  });
});

describe("rights that change while the body of a call is being read", () => {
  let page: SignInWorld;
  beforeEach(async () => {
    page = await SignInWorld.open();
  });
  afterEach(() => page.close());

  /** Answers a call; `meanwhile` happens when the first byte of its body is wanted. */
  async function answerTo(path: string, cookie: string, meanwhile: () => Promise<unknown>) {
    const bytes = new TextEncoder().encode(JSON.stringify({ identity: "telegram:eve" }));
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await meanwhile();
          controller.enqueue(bytes);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = {
      ...{ host: new URL(page.page.url).host, ...OF_THE_PAGE, ...JSON_TYPE },
      ...{ cookie, "content-length": String(bytes.byteLength) },
    };
    const incoming = { method: "POST", url: path, headers, socket: { remoteAddress: "127.0.0.1" } };
    const init = { method: "POST", headers, body, duplex: "half" };
    const request = new Request(new URL(path, page.page.url), init as RequestInit);
    const env = { incoming, outgoing: { setHeader: () => {} } } as unknown as HttpBindings;
    const answer = await page.page.app.fetch(request, env);
    return { status: answer.status, text: await answer.text() };
  }

  test("no route that takes a body does anything for a browser that was signed out", async () => {
    const takes = (path: string) => !["/api/enter", "/api/leave"].includes(path); // They need nobody.
    const routes = page.page.app.routes.filter(({ method, path }) => method === "POST" && takes(path));
    const paths = routes.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([PATHS.say, "/api/owner/people/deny"]));
    for (const path of paths) {
      const cookie = await page.signIn(OLGA);
      const device = await page.deviceOf(cookie);
      let isRevoked = false;
      const { status } = await answerTo(path.replace(/:\w+(?:\{[^}]*\})?/g, "1"), cookie, async () => {
        isRevoked = await page.store.devices.revoke(device, null);
      });
      expect([path, isRevoked, status]).toEqual([path, true, 401]);
    }
    expect(page.page.received).toEqual([]);
  });

  test("who is no owner any more does nothing as an owner", async () => {
    const { people } = page.page.gateway.forCommands;
    await people.store.join(OLGA, ANN, people.newId(), page.now);
    const cookie = await page.signIn(ANN);
    const deny = (meanwhile: () => Promise<unknown>) => answerTo("/api/owner/people/deny", cookie, meanwhile);
    expect((await deny(async () => {})).text).not.toContain("owners_only");
    const after = await deny(() => people.store.unlink(ANN, people.newId(), page.now));
    expect([after.status, after.text]).toEqual([403, expect.stringContaining("owners_only")]);
  });
});

describe("connections that do nothing", () => {
  test.each([
    ["a wrong name", { host: "evil.example" }],
    ["another site", { origin: "https://evil.example" }],
    ["nobody who is signed in", OF_THE_PAGE],
  ])("an answer to %s ends its connection", async (_, headers) => {
    const answer = await rawCall(served.url, rawHead(served.url, "GET", PATHS.stream, headers));
    expect(answer).toMatch(/^HTTP\/1\.1 40[13] /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  test("a body that says no length is not read on", async () => {
    const headers = { cookie: COOKIE, ...OF_THE_PAGE, ...JSON_TYPE, "transfer-encoding": "chunked" };
    const answer = await rawCall(served.url, `${rawHead(served.url, "POST", PATHS.say, headers)}2\r\n{"\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 411 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  describe("in a server for four", () => {
    const MOST = 4;
    let server: WebServer;
    let open: () => void;
    let place: string;
    let sockets: Socket[];
    beforeEach(async () => {
      sockets = [];
      server = new WebServer({
        ...{ host: "127.0.0.1", port: 0, maxConnections: MOST, room: { json: 1, file: 1 } },
        names: (port) => ownNames({ host: "127.0.0.1", publicUrl: null, hasTls: false }, port),
        page: PageFiles.read(join(served.world.folder, "page")),
        problem: (sentence) => expect.unreachable(sentence),
      });
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      server.app.get("/api/slow", async () => {
        await opened;
        return Response.json({});
      });
      place = `http://127.0.0.1:${await server.listen()}`;
    });
    afterEach(async () => {
      open();
      for (const socket of sockets) socket.destroy();
      await server.close();
    });

    /** A connection that has asked for this, and stays open. */
    async function asks(path: string): Promise<Socket> {
      const socket = await rawOpened(place, rawHead(place, "GET", path, OF_THE_PAGE));
      sockets.push(socket);
      return socket;
    }
    const status = () =>
      webCall(place, { path: "/" }).then(
        (answer) => answer.status,
        () => null,
      );

    test("those that were answered make room for the next one", async () => {
      for (let n = 0; n < MOST; n++) await once(await asks("/"), "data");
      expect(await status()).toBe(200);
    });

    test("those whose answer came when it was full, too", async () => {
      for (let n = 0; n < MOST; n++) await asks("/api/slow");
      const answered = Promise.all(sockets.map((socket) => once(socket, "data")));
      expect(await status()).toBeNull();
      open();
      await answered;
      await expect.poll(status).toBe(200);
    });
  });
});

describe.skipIf(!existsSync("/proc/self/fd"))("files of which nobody reads the answer", () => {
  const NAME = "f".repeat(32);
  const path = (): string => join(served.world.mediaFolder, NAME);
  const isOpen = (): boolean => readdirSync("/proc/self/fd").some((fd) => linkOf(fd) === path());
  const file = () => ({ path: path(), name: "film.mp4", mediaType: "video/mp4" });
  beforeEach(() => writeFile(path(), Buffer.alloc(2 ** 20)));

  test("the head alone opens nothing that stays open", async () => {
    await served.adapter.send({
      address: { platform: WEB, chatId: "telegram/1" },
      ...{ text: "a film", deliveryId: "a", files: [file()] },
    });
    for (const [range, status, size] of [
      ["none", 200, 2 ** 20],
      ["bytes=10-", 206, 2 ** 20 - 10],
    ] as const) {
      const asked = { method: "HEAD", path: "/api/posts/1/files/0", headers: { range } };
      const answer = await served.world.browser().call(asked);
      expect([answer.status, answer.headers["content-length"]]).toEqual([status, String(size)]);
      expect(isOpen()).toBe(false);
    }
  });

  test("a client that is gone before the first byte closes it", async () => {
    const leaving = new AbortController();
    const asked = new Request("http://127.0.0.1/", { signal: leaving.signal });
    const answer = await sentFile(file(), asked);
    expect(isOpen()).toBe(true);
    leaving.abort();
    await expect.poll(isOpen).toBe(false);
    expect([answer?.status, answer?.bodyUsed]).toEqual([200, false]); // Nobody has let go of it meanwhile.
  });

  test("also if it left while Baton was looking for the file", async () => {
    const server = new WebServer({
      ...{ host: "127.0.0.1", port: 0, maxConnections: 4, room: { json: 1, file: 1 } },
      names: (port) => ownNames({ host: "127.0.0.1", publicUrl: null, hasTls: false }, port),
      page: PageFiles.read(join(served.world.folder, "page")),
      problem: (sentence) => expect.unreachable(sentence),
    });
    let socket: Socket | undefined;
    const answered = new Promise<Response | null>((resolve) => {
      server.app.get("/api/film", async ({ env, req }) => {
        const gone = once(env.outgoing, "close");
        socket?.destroy();
        await gone;
        const answer = await sentFile(file(), req.raw);
        resolve(answer);
        return answer ?? new Response(null, { status: 404 });
      });
    });
    const place = `http://127.0.0.1:${await server.listen()}`;
    socket = await rawOpened(place, "");
    socket.write(rawHead(place, "GET", "/api/film", OF_THE_PAGE));
    const answer = await answered;
    await expect.poll(isOpen).toBe(false);
    expect(answer?.status).toBe(200); // Nobody has let go of it meanwhile.
    await server.close();
  });
});

describe("what no route is asked for", () => {
  const named = (line: string, more = ""): string =>
    `${line} HTTP/1.1\r\nhost: ${new URL(served.url).host}\r\n${more}\r\n`;
  test.each([
    ["no host", 403, () => "GET / HTTP/1.1\r\n\r\n"],
    ["an empty host", 403, () => "GET / HTTP/1.1\r\nhost:\r\n\r\n"],
    ["a host that is none", 400, () => "GET / HTTP/1.1\r\nhost: a b\r\n\r\n"],
    ["all of the server", 400, () => named("OPTIONS *")],
    ["a proxy's target that is none", 400, () => named("GET http://[")],
    ["an expectation", 417, () => named("GET /", "expect: wonders\r\n")],
    ["no HTTP", 400, () => "\x16\x03\x01\x02\r\n\r\n"],
    ["a head that is too long", 431, () => named("GET /", `x: ${"a".repeat(20_000)}\r\n`)],
  ])("%s is refused as everything else is", async (_, status, bytes) => {
    const answer = await rawCall(served.url, bytes());
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    for (const header of SECURE) expect(answer.toLowerCase()).toContain(header.toLowerCase());
  });

  test("what is broken after the head of an answer is not answered in the middle of it", async () => {
    const socket = await rawOpened(
      served.url,
      rawHead(served.url, "GET", PATHS.stream, { ...OF_THE_PAGE, cookie: COOKIE }),
    );
    const [hello] = (await once(socket, "data")) as [Buffer];
    expect(hello.toString()).toMatch(/^HTTP\/1\.1 200 /);
    const rest = answerOn(socket);
    socket.write("no HTTP at all\r\n\r\n");
    expect(await rest).not.toContain("HTTP/1.1");
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

/** What a descriptor is; null if it was closed meanwhile. */
function linkOf(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}
