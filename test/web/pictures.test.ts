/**
 * What the page looks like, in a real browser: light and dark, on a desktop and on a phone. Each view must fit: nothing is wider
 * than the window, and nothing lies under its lower edge. `npm run picture` writes the same pictures into docs/images/.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { ANN, PageGateway } from "../support/page-gateway.js";
import { aMonthOfAnn, playsOfAnn } from "../support/page-month.js";

const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const INTO = process.env.BATON_TEST_PICTURES ? IMAGES : null;
const DESKTOP = { width: 1280, height: 820 };
const PHONE = { width: 390, height: 844 };
const QUESTION = "Find a train from Lisbon to Porto tomorrow morning.";

type Colors = "light" | "dark";

interface Picture {
  readonly name: string;
  readonly view: string;
  /** Something that is there once the view is complete. */
  readonly shows: string;
  readonly colors: Colors;
  readonly size: typeof DESKTOP;
}

const PICTURES: readonly Picture[] = [
  { name: "web-chat-light", view: "/", shows: "Book before Friday.", colors: "light", size: DESKTOP },
  { name: "web-chat-dark", view: "/", shows: "Book before Friday.", colors: "dark", size: DESKTOP },
  { name: "web-phone-light", view: "/", shows: "Book before Friday.", colors: "light", size: PHONE },
  { name: "web-phone-dark", view: "/", shows: "Book before Friday.", colors: "dark", size: PHONE },
  { name: "web-usage-light", view: "/usage", shows: "Tokens by day", colors: "light", size: DESKTOP },
  { name: "web-gateway-light", view: "/gateway", shows: "run now", colors: "light", size: DESKTOP },
  { name: "web-gateway-dark", view: "/gateway", shows: "run now", colors: "dark", size: DESKTOP },
];

describe.skipIf(findChromium() === null)(`pictures of the page${withoutChromium()}`, () => {
  let gateway: PageGateway;
  let chromium: WatchedChromium;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [gateway, chromium] = await Promise.all([
      PageGateway.start({ tools: { terminal: { sandbox: "auto" } } }),
      WatchedChromium.open(),
    ]);
    gateway.play = playsOfAnn;
    await aMonthOfAnn(gateway);
    context = await chromium.person({ viewport: DESKTOP, reducedMotion: "reduce", locale: "en-GB" });
    page = await context.newPage();
    await page.goto(await gateway.linkFor(ANN));
    await page.getByRole("textbox", { name: "Message" }).fill(QUESTION);
    await page.keyboard.press("Enter");
    await page.getByText("Book before Friday.").waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
  });
  afterAll(async () => {
    await page?.close(); // Before the gateway goes: its stream would break.
    await gateway?.close();
    await chromium?.close();
  });

  test.each(PICTURES)("$name", async ({ name, view, shows, colors, size }) => {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: colors });
    await page.goto(`${gateway.url}${view}`);
    await page.getByRole("main").getByText(shows).first().waitFor();
    await page.evaluate("document.fonts.ready");
    await expect.poll(() => page.getByRole("main").getByText("Loading").count()).toBe(0);
    if (view === "/usage") await expect.poll(() => page.locator("canvas").count()).toBe(2);
    expect(await outside(page)).toEqual([]);
    const path = join(INTO ?? join(gateway.home, "pictures"), `${name}.png`);
    mkdirSync(join(path, ".."), { recursive: true });
    await page.screenshot({ path, caret: "hide" });
    expect(sizeOfPng(path)).toEqual(size);
  });

  test("the docs have all of them, and no others", () => {
    const there = readdirSync(IMAGES).filter((name) => name.startsWith("web-"));
    expect(there.sort()).toEqual(PICTURES.map(({ name }) => `${name}.png`).sort());
    for (const { name, size } of PICTURES) expect(sizeOfPng(join(IMAGES, `${name}.png`))).toEqual(size);
  });
});

/** What is to be used, and is not within the window: things beside it, and a page that is wider than it is. */
async function outside(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ["the page is too wide"] : [];
    for (const each of document.querySelectorAll("main h1, main textarea, main button[type=submit], main header")) {
      const { left, right, bottom, width } = each.getBoundingClientRect();
      if (width > 0 && (left < 0 || right > innerWidth || bottom > innerHeight)) found.push(each.outerHTML);
    }
    return found;
  })()`)) as string[];
}

function sizeOfPng(path: string): { readonly width: number; readonly height: number } {
  const bytes = readFileSync(path);
  expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
