/** What the tests of the page rely on: a fault in the browser fails them, unless it is the one that they bring about. */
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";

describe.skipIf(findChromium() === null)(`the watch over a browser${withoutChromium()}`, () => {
  test("forgives errors in the console while that is allowed, and nothing else", async () => {
    const server = createServer(
      (socket) => void socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"),
    );
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const watched = await WatchedChromium.open();
    const page = await (await watched.person()).newPage();
    const load = (name: string) =>
      Promise.all([
        page.waitForEvent("console", (message) => message.location().url.endsWith(name)),
        page.setContent(`<img src="${url}${name}">`),
      ]);
    const forbid = watched.allow(/./);
    await load("allowed");
    await Promise.all([
      page.waitForEvent("pageerror"),
      page.evaluate(
        () =>
          void setTimeout(() => {
            throw new Error("uncaught here");
          }),
      ),
    ]);
    await page.setContent('<img src="http://elsewhere.invalid/picture">');
    forbid();
    await load("forbidden");
    const closed = watched.close();
    await expect(closed).rejects.toThrow("In the browser");
    server.close();
    const faults = watched.faults.join("\n");
    expect(faults).toContain("uncaught here");
    expect(faults).toContain("leaves this machine: http://elsewhere.invalid/picture");
    expect(faults).toContain("/forbidden");
    expect(faults).not.toContain("/allowed");
  });
});
