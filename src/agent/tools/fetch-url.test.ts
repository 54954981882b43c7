/**
 * Real servers on loopback, reached under names that are allowed by hand; and a canary there that nobody must reach by
 * any spelling, redirect or resolver. Connections to the outside are stopped where a socket would make them.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { FetchOptions } from "./fetch-pinned.js";
import { fetchUrlTool } from "./fetch-url.js";

const LIMITS = { bytes: 100_000, totalMs: 10_000, idleMs: 5_000 };

let site: Server;
let port: number;
let answer: RequestListener;
const requests: IncomingMessage[] = [];

let canary: Server;
let canaryPort: number;
let canaryConnections = 0;

beforeAll(async () => {
  site = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  // Both families at once.
  canary = createServer((_request, response) => response.end("canary"))
    .on("connection", () => canaryConnections++)
    .listen(0, "::");
  await Promise.all([once(site, "listening"), once(canary, "listening")]);
  port = (site.address() as AddressInfo).port;
  canaryPort = (canary.address() as AddressInfo).port;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
  canary.close();
});
afterEach(() => {
  vi.restoreAllMocks();
  requests.length = 0;
});

const signal = new AbortController().signal;

/** The site is `site.test`, and allowed. */
function fetchUrl(url: string, options: Partial<FetchOptions> = {}, stop = signal) {
  const resolve = async () => ["127.0.0.1"];
  const tool = fetchUrlTool({ allowHosts: [`site.test:${port}`], limits: LIMITS, resolve, ...options });
  return tool.run({ url }, { call: aCall, signal: stop });
}
const page = (path = "/", options?: Partial<FetchOptions>) =>
  fetchUrl(`http://site.test:${port}${path}`, options);
const answering = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
  answer = (_request, response) =>
    response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
};

describe("fetch_url", () => {
  it("gives a page as text, and the server what it needs to know and no more", async () => {
    answering("<title>T</title><h1>Hi</h1><p>See <a href='/x'>this</a>", {
      "content-type": "text/html; charset=utf-8",
    });
    expect(await page("/dir?q=1#part")).toBe(
      `http://site.test:${port}/dir?q=1#part\nTitle: T\n\n# Hi\n\nSee [this](http://site.test:${port}/x)`,
    );
    expect(requests.map(({ method, url }) => [method, url])).toEqual([["GET", "/dir?q=1"]]);
    const { host, connection, ...headers } = requests[0]?.headers ?? {};
    expect(host).toBe(`site.test:${port}`);
    expect(connection).toBe("close");
    expect(Object.keys(headers).sort()).toEqual(["accept", "accept-encoding", "user-agent"]);
  });

  it.each([
    "text/plain",
    "application/json",
    "application/ld+json",
    "text/xml; charset=x",
    "application/rss+xml",
    "",
  ])("gives %j as it is", async (type) => {
    answer = (_request, response) => {
      if (type) response.setHeader("content-type", type);
      response.end('{"a": "<b>"}\u001b[31m');
    };
    expect(await page()).toBe(`http://site.test:${port}/\n\n{"a": "<b>"}`);
  });

  it("reads other alphabets", async () => {
    answering(Buffer.from("caf\xe9", "latin1"), { "content-type": "text/plain; charset=iso-8859-1" });
    expect(await page()).toMatch(/café$/);
    answering(Buffer.from("<meta charset='windows-1251'><p>\xcf\xf0\xe8\xe2\xe5\xf2", "latin1"), {
      "content-type": "text/html",
    });
    expect(await page()).toMatch(/Привет$/);
  });

  it("refuses what is not text, with type and size", async () => {
    answering(Buffer.alloc(2_000), { "content-type": "image/png", "content-length": "2000" });
    expect(await page()).toBe('Error: it is not text but "image/png", 2.0 kB: only text can be fetched.');
    answer = (_request, response) => response.end(Buffer.from([1, 0, 2]));
    expect(await page()).toMatch(
      /^Error: .* is not text, and the server does not say what it is: 3 bytes\.$/,
    );
  });

  it("says what the server answered where that is an error", async () => {
    answering("no such page", {}, 404);
    expect(await page("/x")).toBe(
      `Error: the server answered 404 Not Found.\nhttp://site.test:${port}/x\n\nno such page`,
    );
    answering("", {}, 204);
    expect(await page("/x")).toBe(`http://site.test:${port}/x\n\n(no text)`);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("unpacks %s, and only so much of it", async (encoding, pack) => {
    answering(pack("hello"), { "content-encoding": encoding });
    expect(await page()).toMatch(/\nhello$/);
    const bomb = pack(Buffer.alloc(50_000_000, "a"));
    answering(bomb, { "content-encoding": encoding });
    const result = await page();
    expect(result).toMatch(/a…\n\n\(The rest is not shown\.\)$/);
    expect(result.length).toBeLessThan(41_000);
  });

  it("refuses packings it does not know, and broken ones", async () => {
    answering("x", { "content-encoding": "gzip, gzip" });
    expect(await page()).toMatch(/^Error: the answer has the unknown encoding "gzip, gzip"/);
    answering("not gzip", { "content-encoding": "gzip" });
    expect(await page()).toMatch(/^Error: the answer ended too early: /);
  });

  it("stops reading an endless answer", async () => {
    answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const pour = () => {
        while (response.write("x".repeat(10_000)) && !response.destroyed);
      };
      response.on("drain", pour);
      pour();
    };
    expect(await page()).toMatch(/\(The rest is not shown\.\)$/);
  });

  it("ends after its time, in all and without a byte", async () => {
    answer = () => {};
    expect(await page("/", { limits: { ...LIMITS, idleMs: 100 } })).toMatch(
      /^Error: site\.test:\d+ could not be reached: no data came for 0\.1 s\.$/,
    );
    answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
    };
    expect(await page("/", { limits: { ...LIMITS, idleMs: 100 } })).toMatch(
      /^Error: the answer ended too early: /,
    );
    const drips: NodeJS.Timeout[] = [];
    answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      drips.push(setInterval(() => response.write("x"), 20));
    };
    expect(await page("/", { limits: { ...LIMITS, totalMs: 300 } })).toBe(
      "Error: it took longer than 0.3 s.",
    );
    drips.forEach(clearInterval);
    const never = () => new Promise<string[]>(() => {});
    expect(await page("/", { limits: { ...LIMITS, totalMs: 100 }, resolve: never })).toBe(
      "Error: it took longer than 0.1 s.",
    );
  });

  it("stops when the turn is stopped", async () => {
    const controller = new AbortController();
    answer = () => controller.abort();
    expect(await fetchUrl(`http://site.test:${port}/`, {}, controller.signal)).toBe("Stopped.");
  });

  it("tries the next address where one does not answer", async () => {
    answering("reached");
    const closed = createServer().listen(0, "::1");
    await once(closed, "listening");
    closed.close();
    expect(await page("/", { resolve: async () => ["::1", "127.0.0.1"] })).toMatch(/reached$/);
  });

  it.each([
    ["nonsense", /is not a valid URL/],
    ["", /`url` is empty/],
    ["file:///etc/passwd", /begins with file:/],
    ["ftp://example.org/", /begins with ftp:/],
    ["data:text/plain,hi", /begins with data:/],
    ["http://user@example.org/", /user name or a password/],
    ["http://user:secret@example.org/", /user name or a password/],
    ["http://example.org:22/", /port 22 is not allowed; allowed ports are 80, 443, 8080, 8443/],
    ["http://example.org:6379/", /port 6379/],
    ["http://nowhere.invalid/", /the host nowhere\.invalid was not found/],
  ])("%j is refused", async (url, words) => {
    const connect = stoppedSockets();
    const result = await fetchUrl(url, { resolve: async () => Promise.reject(new Error("ENOTFOUND")) });
    expect(result).toMatch(/^Error: /);
    expect(result).toMatch(words);
    expect(result).not.toContain("secret");
    expect(connect).not.toHaveBeenCalled();
  });

  it("follows redirects, relative ones too, but not forever", async () => {
    answer = (request, response) => {
      const step = Number(request.url?.slice(1));
      if (step < 5) response.writeHead(302, { location: step === 0 ? "1" : `/${step + 1}` }).end();
      else response.end("arrived");
    };
    expect(await page("/0")).toBe(`http://site.test:${port}/5\n\narrived`);
    answering("", { location: "/again" }, 308);
    requests.length = 0;
    expect(await page("/")).toBe("Error: it redirects more than 5 times.");
    expect(requests.length).toBe(6);
  });

  it("keeps the name for TLS, and does not trust a certificate that nobody vouches for", async () => {
    const names: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(new Error("no certificate"));
      },
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port: tlsPort } = server.address() as AddressInfo;
    const allowHosts = [`secure.test:${tlsPort}`];
    expect(await fetchUrl(`https://secure.test:${tlsPort}/`, { allowHosts })).toMatch(/could not be reached/);
    expect(names).toEqual(["secure.test"]);
    server.close();
  });
});

/** Where sockets would connect to; none does. */
function stoppedSockets() {
  return vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
    process.nextTick(() => this.destroy(new Error("stopped by the test")));
    return this;
  });
}

/** Spellings of loopback, private, link-local and other addresses that are not for us. */
const SPELLINGS = [
  // IPv4 loopback: dotted, short, decimal, octal, hexadecimal, mixed
  ..."127.0.0.1 127.1 127.0.1 127.127.127.127 127.0.0.0 127.255.255.255 2130706433 017700000001 0x7f000001".split(
    " ",
  ),
  ..."0x7F000001 0177.0.0.1 0177.0.0.01 00000177.0.0.1 0x7f.0.0.1 0x7f.1 0x7f.0x0.0x0.0x1 0177.1 127.0x1 127.0.01".split(
    " ",
  ),
  ..."127.00000.0.1 0x7f.0.0.0x1 0000000000000000000177.0.0.1 0x0000000007f.0.0.1 127.0.0.1. 2130706433. 0x7f000001.".split(
    " ",
  ),
  // unspecified
  ..."0 0.0.0.0 0x0 00 0.0 0.0.0 0.0.0.0. 00000000000 0x00000000 0.1.2.3".split(" "),
  // private, shared, link-local, metadata, multicast, reserved
  ..."10.0.0.1 10.1 167772161 0xa000001 012.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 2886729729 0xac100001".split(
    " ",
  ),
  ..."192.168.0.1 192.168.1 3232235521 0xc0a80001 0300.0250.0.1 169.254.169.254 169.254.43518 2852039166".split(
    " ",
  ),
  ..."0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.16689662 100.64.0.1 100.100.100.200 192.0.0.192".split(
    " ",
  ),
  ..."198.18.0.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 0xffffffff 168.63.129.16".split(
    " ",
  ),
  // IPv6: loopback, unspecified, mapped, compatible, translated
  ..."[::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::0:1] [::0.0.0.1] [::]".split(
    " ",
  ),
  ..."[0:0:0:0:0:0:0:0] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1]".split(
    " ",
  ),
  ..."[::ffff:0.0.0.0] [::ffff:10.0.0.1] [::ffff:192.168.0.1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]".split(
    " ",
  ),
  ..."[::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a00:1]".split(
    " ",
  ),
  ..."[64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:0001::1] [2002:c0a8:1::1] [2001:0:7f00:1::] [2001::1]".split(
    " ",
  ),
  // IPv6: link-local, unique local, site-local, multicast, documentation, discard
  ..."[fe80::1] [febf::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [ff01::1] [2001:db8::1] [100::1]".split(
    " ",
  ),
  // other digits, dots and percent signs
  ..."１２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1 %31%32%37.0.0.1 127.0.0.%31 ０x7f000001 𝟏𝟐𝟕.𝟎.𝟎.𝟏".split(
    " ",
  ),
  // names
  ..."localhost LOCALHOST LocalHost localhost. localhost.localdomain ip6-localhost ⓛocalhost loopback.example".split(
    " ",
  ),
  ..."127.0.0.1.nip.io 7f000001.rebind.example private.example metadata.google.internal printer.local a b.".split(
    " ",
  ),
];

/** What the names above mean; several addresses count by the worst. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "private.example": ["8.8.8.8", "10.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
  "loopback.example": ["2606:4700:4700::1111", "::1"],
  "printer.local": ["fe80::1%eth0"],
};

describe("private places", () => {
  const resolve = async (name: string) => NAMES[name.replace(/\.$/, "")] ?? ["127.0.0.1"];
  const refuse = async (url: string, options: Partial<FetchOptions> = {}) => {
    const result = await fetchUrl(url, { ports: [String(canaryPort)], resolve, allowHosts: [], ...options });
    expect(result, url).toMatch(/^Error: /);
    expect(result, url).not.toContain("\ncanary");
    return result;
  };

  it("the canary is there, for whoever may go", async () => {
    for (const host of ["127.0.0.1", "[::1]"]) {
      const before = canaryConnections;
      const allowHosts = [`${host}:${canaryPort}`];
      expect(await fetchUrl(`http://${host}:${canaryPort}/`, { allowHosts })).toMatch(/canary$/);
      expect(canaryConnections).toBe(before + 1);
    }
  });

  it(`are not reached by ${SPELLINGS.length} spellings`, async () => {
    expect(new Set(SPELLINGS).size).toBeGreaterThanOrEqual(130);
    const before = canaryConnections;
    const connect = vi.spyOn(Socket.prototype, "connect");
    for (const host of SPELLINGS) {
      for (const scheme of ["http", "https", "HTTP", "http:\\\\x@", "http:/", " http"]) {
        const start = /^ ?https?$/i.test(scheme) ? `${scheme}://` : scheme;
        await refuse(`${start}${host}:${canaryPort}/`);
      }
      await refuse(`http://user:pw@${host}:${canaryPort}/`);
      await refuse(`http://8.8.8.8@${host}:${canaryPort}/`);
      await refuse(`http://${host}:${canaryPort}#@8.8.8.8/`);
    }
    expect(connect).not.toHaveBeenCalled();
    expect(canaryConnections).toBe(before);
  });

  it("are not reached by redirects", async () => {
    const before = canaryConnections;
    for (const host of SPELLINGS) {
      for (const status of [301, 307]) {
        answering(
          "",
          { location: encodeURI(`http://${host}:${canaryPort}/`).replaceAll("%25", "%") },
          status,
        );
        await refuse(`http://site.test:${port}/`, { allowHosts: [`site.test:${port}`] });
      }
    }
    for (const location of [
      `//127.0.0.1:${canaryPort}/`,
      `//u:p@site.test:${port}/`,
      "file:///etc/passwd",
      "gopher://x/",
    ]) {
      answering("", { location }, 302);
      await refuse(`http://site.test:${port}/`, { allowHosts: [`site.test:${port}`] });
    }
    expect(canaryConnections).toBe(before);
  });

  it("are not reached by a name that means something else the second time", async () => {
    const before = canaryConnections;
    const connect = stoppedSockets();
    for (const later of [["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"]]) {
      const answers = [["8.8.8.8"], later, later];
      const rebinding = vi.fn(async () => answers.shift() ?? later);
      await refuse(`http://rebind.example:${canaryPort}/`, { resolve: rebinding });
      expect(rebinding).toHaveBeenCalledTimes(1);
    }
    // It went to the number that was looked at, not to the name.
    const hosts = connect.mock.calls
      .flat(2)
      .flatMap((option) => (option as { host?: string } | null)?.host ?? []);
    expect([...new Set(hosts)]).toEqual(["8.8.8.8"]);
    expect(canaryConnections).toBe(before);
  });

  it("are not reached by a redirect to the same name, which means something else by then", async () => {
    const before = canaryConnections;
    const answers = [["127.0.0.1"], ["::1"]];
    answering("", { location: `http://rebind.example:${canaryPort}/` }, 302);
    const options = { allowHosts: [`rebind.example:${port}`], resolve: async () => answers.shift() ?? [] };
    const result = await refuse(`http://rebind.example:${port}/`, options);
    expect(result).toMatch(/rebind\.example is a private or local address/);
    expect(canaryConnections).toBe(before);
  });

  it("are allowed by exact host and port only", async () => {
    const allowHosts = [`127.0.0.1:${canaryPort + 1}`, `site.test:${canaryPort}`, `sub.site.test:${port}`];
    await refuse(`http://127.0.0.1:${canaryPort}/`, { allowHosts });
    await refuse(`http://site.test:${port}/`, { allowHosts, ports: [String(port)] });
    await refuse(`http://site.test.:${canaryPort}/`, { allowHosts });
  });

  it("include this machine's own addresses", async () => {
    const os = await import("node:os");
    const own = Object.values(os.networkInterfaces()).flatMap((all) =>
      (all ?? []).map(({ address }) => address),
    );
    for (const address of own)
      await refuse(`http://own.example:${canaryPort}/`, { resolve: async () => [address] });
  });
});
