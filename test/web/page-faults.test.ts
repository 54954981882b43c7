/**
 * What once went wrong in the page, in a real browser with a real gateway: each test brings about the moment in which it did.
 */
import type { BrowserContext, Locator, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { accessible } from "../support/page-checks.js";
import { ANN, PageGateway } from "../support/page-gateway.js";
import { PATIENCE_MS, sees, write } from "../support/page-steps.js";

describe.skipIf(findChromium() === null)(
  `faults of the page${withoutChromium()}`,
  { timeout: 240_000 },
  () => {
    let gateway: PageGateway;
    let chromium: WatchedChromium;
    let context: BrowserContext;
    let ann: Page;

    beforeAll(async () => {
      gateway = await PageGateway.start();
      chromium = await WatchedChromium.open();
    });
    afterAll(async () => {
      await gateway?.close();
      await chromium?.close();
    });
    beforeEach(async () => {
      context = await chromium.person();
      context.setDefaultTimeout(PATIENCE_MS);
      ann = await context.newPage();
      await ann.goto(await gateway.linkFor(ANN));
      await field(ann).waitFor();
    });
    afterEach(() => context.close());

    const field = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });
    const log = (page: Page): Locator => page.getByRole("log", { name: "Messages" });
    const times = (page: Page, text: string): Promise<number> =>
      log(page).getByText(text, { exact: true }).count();
    const newChat = async (page: Page): Promise<void> => {
      await page.getByRole("button", { name: "New chat" }).click();
      await expect.poll(() => log(page).getByRole("article").count()).toBe(0);
    };
    /** Lets calls fail, and then waits with the next one until it is told to go on. */
    const held = async (path: string) => {
      let mode: "fail" | "hold" | "pass" = "fail";
      let begin = (): void => {};
      let release = (): void => {};
      const isBegun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const isReleased = new Promise<void>((resolve) => {
        release = resolve;
      });
      const answer = async (route: Route): Promise<void> => {
        if (mode === "fail") return route.abort();
        if (mode === "hold") {
          mode = "pass";
          begin();
          await isReleased;
        }
        await route.continue();
      };
      await context.route(path, answer);
      return {
        hold: async (): Promise<void> => {
          mode = "hold";
          await isBegun;
        },
        release: (): void => release(),
        end: () => context.unroute(path, answer),
      };
    };
    const saidIn = (page: Page): string[] => {
      const said: string[] = [];
      page.on("request", (request) => {
        if (!request.url().endsWith("/api/say")) return;
        said.push((request.postDataJSON() as { text: string }).text);
      });
      return said;
    };
    /** As a page has it that comes neither over https nor from this machine. */
    const withoutLocks = async (): Promise<void> => {
      await ann.addInitScript(
        `Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined })`,
      );
      await ann.reload();
      await field(ann).waitFor();
      expect(await ann.evaluate("navigator.locks")).toBeUndefined();
    };
    /** How many messages wait in the browser's database. */
    const waiting = (page: Page): Promise<unknown> =>
      page.evaluate(`new Promise((resolve, reject) => {
        const opened = indexedDB.open("baton", 1);
        opened.onerror = () => reject(opened.error);
        opened.onsuccess = () => {
          const range = IDBKeyRange.bound("out/", "out/\\uffff");
          const counted = opened.result.transaction("kept").objectStore("kept").count(range);
          counted.onsuccess = () => resolve(counted.result);
          counted.onerror = () => reject(counted.error);
        };
      })`);

    test.each(["in this tab", "in another tab", "in a browser without locks"])(
      "a message that is taken back while its file is uploaded is not sent, %s",
      async (where) => {
        const forbid = chromium.allow(/\/api\/files/);
        if (where === "in a browser without locks") await withoutLocks();
        const uploads = await held("**/api/files*");
        const said = saidIn(ann);
        await field(ann).fill("Do not send this.");
        await ann
          .getByLabel("Files", { exact: true })
          .setInputFiles({ name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("milk") });
        await ann.getByRole("list", { name: "Files to send" }).waitFor();
        await ann.keyboard.press("Enter");
        const edit = (page: Page) => log(page).getByRole("button", { name: "Edit" });
        await edit(ann).waitFor();
        await uploads.hold();
        const taker = where === "in another tab" ? await context.newPage() : ann;
        if (taker !== ann) await taker.goto(gateway.url);
        await edit(taker).click();
        await expect
          .poll(() => field(taker).inputValue(), { timeout: PATIENCE_MS })
          .toBe("Do not send this.");
        await taker.getByRole("list", { name: "Files to send" }).getByText("list.txt").waitFor();
        uploads.release();
        await taker.getByRole("button", { name: "Remove list.txt" }).click();
        await write(taker, `And this, ${where}?`);
        await sees(ann, `heard: And this, ${where}?`);
        expect(said).not.toContain("Do not send this.");
        expect(await times(ann, "Do not send this.")).toBe(0);
        expect(await waiting(ann)).toBe(0);
        if (taker !== ann) await taker.close();
        await uploads.end();
        forbid();
      },
    );

    test.each(["in this tab", "in another tab", "in a browser without locks"])(
      "a message that is on its way can't be taken back, %s",
      async (where) => {
        const forbid = chromium.allow(/\/api\/say/);
        if (where === "in a browser without locks") await withoutLocks();
        const text = `On its way, ${where}.`;
        const calls = await held("**/api/say");
        await write(ann, text);
        const edit = (page: Page) => log(page).getByRole("button", { name: "Edit" });
        await edit(ann).waitFor();
        await calls.hold();
        const taker = where === "in another tab" ? await context.newPage() : ann;
        if (taker !== ann) await taker.goto(gateway.url);
        await edit(taker).click();
        await taker.getByText("This message is being sent now. You can't take it back.").waitFor();
        expect(await field(taker).inputValue()).toBe("");
        calls.release();
        await sees(ann, `heard: ${text}`);
        expect(await times(ann, text)).toBe(1);
        expect(await waiting(ann)).toBe(0);
        if (taker !== ann) await taker.close();
        await calls.end();
        forbid();
      },
    );

    test("a message that the browser has no room for is sent all the same", async () => {
      await ann.addInitScript(`IDBObjectStore.prototype.put = () => {
        throw new DOMException("There is no room.", "QuotaExceededError");
      }`);
      await ann.reload();
      const forbid = chromium.allow(/\/api\/say/);
      const calls = await held("**/api/say");
      await write(ann, "There is no room for this.");
      await log(ann).getByText("not sent yet").waitFor();
      await calls.hold();
      calls.release();
      await sees(ann, "heard: There is no room for this.");
      expect(await times(ann, "There is no room for this.")).toBe(1);
      expect(await log(ann).getByText("not sent yet").count()).toBe(0);
      await calls.end();
      forbid();
    });

    test("the second move of a conversation does not show how the first one went", async () => {
      await newChat(ann);
      await write(ann, "Plan a trip to Porto.");
      await sees(ann, "heard: Plan a trip to Porto.");
      const dialog = ann.getByRole("dialog", { name: "Move this conversation" });
      const move = async (): Promise<void> => {
        await ann.getByRole("button", { name: "More", exact: true }).click();
        await ann.getByRole("menuitem", { name: "Move to…" }).click();
        await dialog.getByRole("button", { name: /Telegram/ }).click();
      };
      // It can go where a conversation is.
      const onPhone = async (text: string): Promise<void> => {
        await gateway.writes(ANN, text);
        await gateway.telegram.until(() => gateway.told(ANN).includes(`heard: ${text}`));
      };
      await onPhone("Hello from my phone.");
      await move();
      await dialog.getByText("It continues there now.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await gateway.writes(ANN, "/handoff web");
      await gateway.telegram.until(() => gateway.told(ANN).some((text) => text.startsWith("Moved to ")));
      const list = ann.getByRole("navigation", { name: "Conversations" });
      await list.locator('a[href^="/chat/"]').filter({ hasText: /Porto/ }).first().click();
      await sees(ann, "Plan a trip to Porto.");
      await onPhone("Still on my phone.");
      const calls = await held("**/api/say");
      const isHeld = calls.hold();
      const isRead = ann.waitForResponse(/\/api\/handoffs/);
      await move();
      await Promise.all([isHeld, isRead]);
      await dialog.getByText("Baton was asked to move it.").waitFor();
      await ann.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300))); // As long as it takes to draw what was read.
      expect(await dialog.getByText("It continues there now.").count()).toBe(0);
      calls.release();
      await dialog.getByText("It continues there now.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await calls.end();
    });

    test.each(["chat", "conversation elsewhere"])(
      "a move that is refused says why, and the person chooses another place: of a %s",
      async (what) => {
        const places = "**/api/places";
        const nowhere = { word: "matrix:!room:example.org", name: "The empty room", platform: "matrix" };
        await context.route(places, (route) => route.fulfill({ json: { items: [nowhere] } }));
        if (what === "chat") {
          await ann.goto(gateway.url);
          await sees(ann, /^heard: /);
        } else {
          const list = ann.getByRole("navigation", { name: "Conversations" });
          await list
            .locator('a[href^="/conversation/"]')
            .filter({ hasText: /phone|Porto/ })
            .first()
            .click();
          await ann.getByRole("button", { name: "Continue here" }).waitFor();
        }
        await ann.getByRole("button", { name: "More", exact: true }).click();
        await ann.getByRole("menuitem", { name: "Move to…" }).click();
        const dialog = ann.getByRole("dialog", { name: "Move this conversation" });
        await dialog.getByRole("button", { name: /The empty room/ }).click();
        await dialog
          .getByRole("alert")
          .getByText(/Matrix/)
          .waitFor();
        await dialog.getByRole("button", { name: /The empty room/ }).waitFor();
        await accessible(ann, "a move that was refused");
        await dialog.getByRole("button", { name: "Close" }).click();
        await context.unroute(places);
      },
    );

    test("the menu of a chat says when it starts fresh", async () => {
      await ann.goto(gateway.url);
      await sees(ann, /^heard: /);
      await ann.getByRole("button", { name: "More", exact: true }).click();
      const menu = ann.getByRole("menu", { name: "More" });
      await menu.getByRole("menuitem").first().waitFor();
      await ann.getByText(/^It (?:never )?resets /).waitFor();
      expect(await menu.evaluate((node) => node.getAttribute("aria-describedby"))).not.toBeNull();
      await accessible(ann, "a menu");
      await ann.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
    });

    test.each([-25, 25])(
      "commands stand where they were said, with a clock that is %d hours off",
      async (hours) => {
        const page = await context.newPage();
        await page.addInitScript((ms) => {
          const now = Date.now;
          Date.now = () => now() + ms;
        }, hours * 3_600_000);
        await page.goto(gateway.url);
        await newChat(page);
        const said = [
          ["One.", "heard: One."],
          ["/status", /Size: /],
          ["Two.", "heard: Two."],
          ["/help", /\/handoff/],
        ] as const;
        for (const [text, reply] of said) {
          await write(page, text);
          await sees(page, reply);
          await expect.poll(() => log(page).locator("article.live").count()).toBe(0);
        }
        const shown = await log(page).getByRole("article").allInnerTexts();
        const places = ["One.", "heard: One.", "/status", "Two.", "heard: Two.", "/help"].map((text) =>
          shown.findIndex((each) => each.trim().startsWith(text)),
        );
        expect(places).toEqual([...places].sort((one, other) => one - other));
        expect(places).not.toContain(-1);
        await page.close();
      },
    );

    test("after an upgrade, a part of the page that is gone says so, and the page is loaded again", async () => {
      const forbid = chromium.allow(/\/assets\/memory-view/);
      const part = "**/assets/memory-view-*.js";
      await ann.goto(gateway.url);
      await field(ann).waitFor();
      // Not there for now: nothing is known of an upgrade.
      await context.route(part, (route) => route.abort());
      await ann.getByRole("link", { name: "Memory" }).click();
      await ann.getByText("This part of the page can't be loaded now.").waitFor();
      await context.unroute(part);
      await ann.getByRole("button", { name: "Try again" }).click();
      await ann.getByRole("heading", { name: "Memory" }).waitFor();
      await ann.goto(gateway.url);
      await field(ann).waitFor();
      await context.route(part, (route) => route.fulfill({ status: 404, json: {} }));
      const other = async (route: Route): Promise<void> => {
        const answer = await route.fetch();
        const body = (await answer.text()).replace(/assets\/main-\w{8}\.js/, "assets/main-00000000.js");
        await (route.request().resourceType() === "document" ? route.continue() : route.fulfill({ body }));
      };
      await context.route(`${gateway.url}/`, other);
      await ann.getByRole("link", { name: "Memory" }).click();
      await ann.getByText("Baton was upgraded after this page was loaded.").waitFor();
      await accessible(ann, "a part that is gone");
      await context.unroute(part);
      await context.unroute(`${gateway.url}/`);
      await ann.getByRole("button", { name: "Load the page again" }).click();
      await ann.getByRole("heading", { name: "Memory" }).waitFor();
      forbid();
    });

    test("Retry is beside Copy, below the last answer only", async () => {
      await ann.goto(gateway.url);
      for (const text of ["One more.", "And one more."]) {
        await write(ann, text);
        await sees(ann, `heard: ${text}`);
      }
      const retry = log(ann).getByRole("button", { name: "Retry" });
      const copy = log(ann).getByRole("button", { name: "Copy this answer" }).last();
      // The one below the answer before goes, and this one comes.
      const apart = async (): Promise<number | null> => {
        const [one, other] = await Promise.all([retry, copy].map((button) => button.boundingBox()));
        return one && other ? one.y - other.y : null;
      };
      await expect.poll(apart, { timeout: PATIENCE_MS }).toBe(0);
      expect(await retry.count()).toBe(1);
    });

    test("a home screen gets pictures that it can show", async () => {
      const found = await ann.evaluate(`(async () => {
        const named = (rel) => document.querySelector('link[rel="' + rel + '"]');
        const { icons } = await (await fetch(named("manifest").href)).json();
        const apple = named("apple-touch-icon");
        const asked = [
          ...icons.filter(({ type }) => type === "image/png"),
          { src: apple.href, sizes: apple.getAttribute("sizes") },
        ];
        return Promise.all(
          asked.map(async ({ src, sizes }) => {
            const type = (await fetch(src)).headers.get("content-type");
            const picture = new Image();
            picture.src = src;
            await picture.decode();
            return { type, named: sizes, is: picture.naturalWidth + "x" + picture.naturalHeight };
          }),
        );
      })()`);
      expect(found).toEqual([
        { type: "image/png", named: "512x512", is: "512x512" },
        { type: "image/png", named: "180x180", is: "180x180" },
      ]);
    });
  },
);
