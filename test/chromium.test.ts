/** That the watched browser sees what a test of the page must not pass over. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WatchedChromium, withoutChromium } from "./support/chromium.js";

const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self' https://example.com; img-src 'self'";
const PAGES: Readonly<Record<string, string>> = {
  "/quiet": "<title>quiet</title>",
  "/away": '<script src="/away.js"></script>',
  "/away.js": 'fetch("https://example.com/").catch(() => document.title = "done");',
  "/inline": "<title>done</title><script>document.title = 'never'</script>",
  "/error": '<script src="/error.js"></script>',
  "/error.js": 'document.title = "done"; throw new Error("oh");',
};

let server: Server;
let at: string;

beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(PAGES[url] === undefined ? 204 : 200, {
      "content-type": type,
      "content-security-policy": POLICY,
    });
    response.end(PAGES[url]);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

describe.skipIf(withoutChromium() !== "")(`a watched browser${withoutChromium()}`, () => {
  async function visit(path: string, title: string): Promise<string | null> {
    const browser = await WatchedChromium.open();
    const page = await (await browser.person()).newPage();
    await page.goto(`${at}${path}`);
    await expect.poll(() => page.title(), { timeout: 60_000 }).toBe(title);
    await page.evaluate("new Promise(requestAnimationFrame)");
    return browser.close().then(
      () => null,
      ({ message }: Error) => message,
    );
  }

  test("is content with a page that does nothing wrong", async () => {
    expect(await visit("/quiet", "quiet")).toBe(null);
  });

  test("sees what leaves this machine", async () => {
    expect(await visit("/away", "done")).toContain(
      "a request that leaves this machine: https://example.com/",
    );
  });

  test("sees what the policy refuses", async () => {
    expect(await visit("/inline", "done")).toContain(
      "Refused by the Content Security Policy: script-src-elem inline",
    );
  });

  test("sees errors", async () => {
    expect(await visit("/error", "done")).toContain("uncaught: Error: oh");
  });
});
