/**
 * Every view of the page, with something in it: axe finds no fault in light or in dark, on a desktop or on a phone, and what
 * fingers use on a phone is large enough, and clear of its edges.
 */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { accessible, tooSmall } from "../support/page-checks.js";
import { BUSY_THREAD, somethingEverywhere, TURNING } from "../support/page-full.js";
import { ANN, PageGateway } from "../support/page-gateway.js";
import { isLoaded, PATIENCE_MS } from "../support/page-steps.js";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A bar at the lower end and a notch at the upper one, as on phones. */
const INSETS = { top: 47, bottom: 34 };

interface ShownView {
  readonly name: string;
  readonly path: string;
  /** In the place of the view, once it is complete. */
  readonly shows: string | RegExp;
  /** What somebody does there. */
  readonly does?: (page: Page) => Promise<unknown>;
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name }).first().click();
const opens = (page: Page, dialog: string): Promise<void> =>
  page.getByRole("dialog", { name: dialog }).waitFor();
const usedBy = (by: string) => async (page: Page) => {
  await page.getByRole("combobox", { name: "by" }).selectOption({ label: by });
  await page.getByText(`Tokens by ${by.toLowerCase()}`).waitFor();
};
const follow = (page: Page, link: string | RegExp): Promise<void> =>
  page.getByRole("main").getByRole("link", { name: link }).first().click();
const searches = async (page: Page): Promise<void> => {
  await page.getByRole("searchbox", { name: "Search all messages" }).fill("lanterns");
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByText("Filters").click();
  await list.getByRole("combobox", { name: "Written by" }).selectOption({ label: "People" });
  await list.getByRole("textbox", { name: "From" }).fill("2020-01-01");
  await list.getByText("How many lanterns for a lawn of 60 metres?").waitFor();
};

/** There they are behind a button. */
const IN_THE_BAR: readonly string[] = ["a search", "a transcript of another platform"];
/** What is laid out in another way there. */
const ON_A_PHONE: readonly string[] = [
  ...["chat", "a menu", "the move dialog", "jobs", "processes", "the terminal of a process", "memory"],
  ...["usage by Person", "account", "gateway", "people", "what was not sent", "logs", "settings"],
];

const VIEWS: readonly ShownView[] = [
  { name: "chat", path: "/", shows: "Book before Friday." },
  {
    name: "the commands",
    path: "/chat/thread-with-a-command",
    shows: "Write something to begin.",
    does: async (page) => {
      await page.getByRole("textbox", { name: "Message" }).fill("/");
      await page.getByRole("listbox", { name: "Commands" }).waitFor();
    },
  },
  {
    name: "a menu",
    path: "/",
    shows: "Book before Friday.",
    does: (page) => page.getByRole("button", { name: "More", exact: true }).click(),
  },
  {
    name: "the move dialog",
    path: "/",
    shows: "Book before Friday.",
    does: async (page) => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Move to…" }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /Telegram/ })
        .waitFor();
    },
  },
  { name: "an answer that is being written", path: `/chat/${BUSY_THREAD}`, shows: "waits for its turn" },
  { name: "a chat without messages", path: "/chat/thread-without-words", shows: "Write something to begin." },
  {
    name: "a transcript of another platform",
    path: "/",
    shows: "Book before Friday.",
    does: async (page) => {
      await page.getByRole("link", { name: /Seats for the garden party/ }).click();
      await page.getByText("Here is a plan for five tables.").waitFor();
    },
  },
  { name: "a search", path: "/", shows: "Book before Friday.", does: searches },
  { name: "jobs", path: "/jobs", shows: "say what the weather is" },
  {
    name: "one job",
    path: "/jobs",
    shows: "say what the weather is",
    does: (page) => follow(page, /weather/),
  },
  {
    name: "a confirmation",
    path: "/jobs",
    shows: "say what the weather is",
    does: async (page) => {
      await press(page, "Remove");
      await opens(page, "Remove this job?");
    },
  },
  { name: "processes", path: "/processes", shows: "echo 'the server listens'; sleep 600" },
  {
    name: "the output of a process",
    path: "/processes",
    shows: /the server listens/,
    does: async (page) => {
      await follow(page, /server listens/);
      await page.getByRole("log", { name: "Output" }).getByText("the server listens").waitFor();
    },
  },
  {
    name: "the terminal of a process",
    path: "/processes",
    shows: /load: 0.42/,
    does: async (page) => {
      await follow(page, /load: 0.42/);
      await press(page, "Terminal");
      await page.getByRole("region", { name: "Terminal" }).getByText("load: 0.42").waitFor();
    },
  },
  { name: "memory", path: "/memory", shows: "I am allergic to nuts." },
  {
    name: "a dialog with a field",
    path: "/memory",
    shows: "I am allergic to nuts.",
    does: async (page) => {
      await press(page, "Change");
      await opens(page, "Change the note");
    },
  },
  { name: "usage by day", path: "/usage", shows: "Tokens by day" },
  ...["Model", "Platform", "Person"].map((by) => ({
    ...{ name: `usage by ${by}`, path: "/usage", shows: "Tokens by day", does: usedBy(by) },
  })),
  { name: "account", path: "/devices", shows: "this browser" },
  { name: "gateway", path: "/gateway", shows: "runs now" },
  { name: "platforms", path: "/gateway/platforms", shows: "Telegram" },
  { name: "people", path: "/gateway/people", shows: "Zoe" },
  {
    name: "the approval of a code",
    path: "/gateway/people",
    shows: "Zoe",
    does: async (page) => {
      await press(page, "Approve a code");
      await opens(page, "Approve a code");
    },
  },
  { name: "turns", path: "/gateway/turns", shows: "running" },
  { name: "inbox", path: "/gateway/inbox", shows: "And then this." },
  { name: "outbox", path: "/gateway/outbox", shows: "Nothing waits to be sent." },
  { name: "what was not sent", path: "/gateway/outbox/failed", shows: /blocked by the user/ },
  { name: "what may have arrived", path: "/gateway/outbox/unknown", shows: "Send again" },
  { name: "schedules", path: "/gateway/schedules", shows: "say what the weather is" },
  { name: "processes of the gateway", path: "/gateway/processes", shows: /server listens/ },
  { name: "logs", path: "/gateway/logs", shows: "info" },
  { name: "settings", path: "/gateway/settings", shows: "web.port" },
  { name: "health", path: "/gateway/health", shows: "Node.js" },
  { name: "an address with nothing", path: "/nowhere", shows: "There is nothing at this address." },
];

describe.skipIf(findChromium() === null)(
  `views of the page${withoutChromium()}`,
  { timeout: 240_000 },
  () => {
    let gateway: PageGateway;
    let chromium: WatchedChromium;
    let desk: BrowserContext;
    let page: Page;

    beforeAll(async () => {
      [gateway, chromium] = await Promise.all([PageGateway.start(), WatchedChromium.open()]);
      desk = await chromium.person({ viewport: DESKTOP, locale: "en-GB" });
      desk.setDefaultTimeout(PATIENCE_MS);
      page = await desk.newPage();
      await page.goto(await gateway.linkFor(ANN));
      await page.getByRole("textbox", { name: "Message" }).waitFor();
      await somethingEverywhere(gateway, page);
    });
    afterAll(async () => {
      await desk?.close(); // Before the gateway goes: its streams would break.
      await gateway?.close();
      await chromium?.close();
    });

    async function show(where: Page, { path, shows, does }: ShownView): Promise<void> {
      await where.goto(`${gateway.url}${path}`);
      await where.getByRole("main").getByText(shows).first().waitFor();
      await does?.(where);
      await isLoaded(where);
    }

    test.each(VIEWS)("$name", async (view) => {
      await show(page, view);
      await accessible(page, view.name);
    });

    test("a name that turns letters around does so only in itself", async () => {
      await show(page, { name: "usage", path: "/usage", shows: "Tokens by day", does: usedBy("Model") });
      const names = page.locator("bdi", { hasText: TURNING });
      expect(await names.count()).toBe(3); // In both plots, and in the table.
      expect(await page.getByText(TURNING).count()).toBe(3);
      // As many bars as there is room for, and one for all others.
      expect(
        await page.locator("figure").first().getByRole("listitem", { includeHidden: true }).count(),
      ).toBe(11);
      await page
        .locator("figure")
        .first()
        .getByText(/^\d+ others$/)
        .waitFor();
    });

    test("each view has a title of its own", async () => {
      const titles: string[] = [];
      for (const path of [
        "/",
        "/jobs",
        "/processes",
        "/memory",
        "/usage",
        "/devices",
        "/gateway",
        "/nowhere",
      ]) {
        await page.goto(`${gateway.url}${path}`);
        await expect.poll(() => page.title(), { timeout: PATIENCE_MS }).toMatch(/ · Baton$/);
        titles.push(await page.title());
      }
      expect(new Set(titles).size).toBe(titles.length);
    });

    test("a filter that leaves nothing of the first pages looks through the next ones", async () => {
      const headers = { "x-baton": "page" };
      const read = await page.request.get(`${gateway.url}/api/conversations`, { headers });
      const [found] = ((await read.json()) as { readonly items: readonly object[] }).items;
      const ended = { ...found, id: "ended", name: "Long ago", endedAt: 1, thread: undefined };
      const pages: Readonly<Record<string, object>> = {
        "": { items: [], nextCursor: "second" },
        second: { items: [], nextCursor: "third" },
        third: { items: [ended], nextCursor: null },
      };
      await page.route(/\/api\/conversations\?.*open=0/, (route) => {
        const cursor = new URL(route.request().url()).searchParams.get("cursor") ?? "";
        return route.fulfill({ json: pages[cursor] });
      });
      await page.goto(gateway.url);
      const list = page.getByRole("navigation", { name: "Conversations" });
      await list.getByRole("radio", { name: "Ended" }).check();
      await list.getByRole("link", { name: /Long ago/ }).waitFor();
      expect(await list.getByRole("link").allInnerTexts()).toEqual([
        "Main chat",
        expect.stringContaining("Long ago"),
      ]);
      await list.getByRole("combobox", { name: "Platform" }).selectOption({ label: "Discord" });
      await list.getByRole("radio", { name: "Open" }).check();
      await list.getByRole("link", { name: /Seats for the garden party/ }).waitFor();
      expect(await list.getByRole("link").count()).toBe(3);
      await page.unrouteAll();
    });

    test("the way in, and what is gone", async () => {
      const other = await chromium.person({ viewport: DESKTOP });
      chromium.allow(/\/api\/(?:me|conversations)/);
      const stranger = await other.newPage();
      await stranger.goto(gateway.url);
      await stranger.getByRole("heading", { name: "Sign in to Baton" }).waitFor();
      await accessible(stranger, "the way in");
      await other.close();
      await page.goto(`${gateway.url}/conversation/nobodys`);
      await page.getByText("does not exist, or it is not yours").waitFor();
      await accessible(page, "a conversation that is not there");
    });

    describe("on a phone", () => {
      let phone: BrowserContext;
      let small: Page;
      beforeAll(async () => {
        const storageState = await desk.storageState();
        phone = await chromium.person({ viewport: PHONE, hasTouch: true, isMobile: true, storageState });
        phone.setDefaultTimeout(PATIENCE_MS);
        small = await phone.newPage();
      });
      afterAll(() => phone?.close());

      test.each(VIEWS.filter(({ name }) => !IN_THE_BAR.includes(name)))("$name", async (view) => {
        await show(small, view);
        expect(await tooSmall(small)).toEqual([]);
        if (ON_A_PHONE.includes(view.name)) await accessible(small, `${view.name}, on a phone`);
      });

      test("the bar at the side, with a search in it", async () => {
        await small.goto(gateway.url);
        await small.getByRole("button", { name: "Show the menu" }).tap();
        const list = small.getByRole("navigation", { name: "Conversations" });
        await list.getByRole("link", { name: /Seats for the garden party/ }).waitFor();
        expect(await tooSmall(small)).toEqual([]);
        await accessible(small, "the bar, on a phone");
        await searches(small);
        expect(await tooSmall(small)).toEqual([]);
        await accessible(small, "the bar with a search, on a phone");
        await list
          .getByRole("link", { name: /Lanterns/ })
          .first()
          .tap();
        await small.getByText("35, with one for each table.").waitFor();
        await expect.poll(() => small.locator(".side.open").count()).toBe(0);
      });

      test("nobody is stuck where nothing is", async () => {
        for (const path of ["/nowhere", "/conversation/nobodys"]) {
          await small.goto(`${gateway.url}${path}`);
          await small.getByRole("button", { name: "Show the menu" }).tap();
          await small.getByRole("link", { name: "Main chat", exact: true }).tap();
          await small.getByRole("textbox", { name: "Message" }).waitFor();
        }
      });

      test("nothing that one needs lies under the bar at the lower end, or under the notch", async () => {
        await small.goto(gateway.url);
        const viewport = await small.locator("meta[name=viewport]").getAttribute("content");
        expect(viewport).toContain("viewport-fit=cover");
        const send = small.getByRole("button", { name: "Send" });
        const menu = small.getByRole("button", { name: "Show the menu" });
        const places = async () => [await send.boundingBox(), await menu.boundingBox()] as const;
        const [sendBefore, menuBefore] = await places();
        const session = await phone.newCDPSession(small);
        await session.send("Emulation.setSafeAreaInsetsOverride", { insets: INSETS });
        const [sendNow, menuNow] = await places();
        expect((sendBefore?.y ?? 0) - (sendNow?.y ?? 0)).toBe(INSETS.bottom);
        expect((menuNow?.y ?? 0) - (menuBefore?.y ?? 0)).toBe(INSETS.top);
        await menu.tap();
        const own = small.getByRole("button", { name: "Your menu" });
        await expect
          .poll(async () => PHONE.height - bottomOf(await own.boundingBox()))
          .toBeGreaterThanOrEqual(INSETS.bottom);
      });
    });
  },
);

function bottomOf(box: { readonly y: number; readonly height: number } | null): number {
  return box ? box.y + box.height : Number.POSITIVE_INFINITY;
}
