/**
 * A person who uses the page with the keyboard alone: Tab, Enter, Escape and arrows lead everywhere, and after each key
 * something has the focus and shows it. The tests of this file are one story: each goes on where the last one ended.
 */
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { ANN, PageGateway } from "../support/page-gateway.js";
import { Keys } from "../support/page-keys.js";
import { PATIENCE_MS, sees, showsOnce } from "../support/page-steps.js";

describe.skipIf(findChromium() === null)(`the keyboard${withoutChromium()}`, { timeout: 240_000 }, () => {
  let gateway: PageGateway;
  let chromium: WatchedChromium;
  let context: BrowserContext;
  let page: Page;
  let keys: Keys;

  beforeAll(async () => {
    [gateway, chromium] = await Promise.all([PageGateway.start(), WatchedChromium.open()]);
    chromium.allow(/\/api\/me/); // Nobody is signed in at first.
    context = await chromium.person({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(PATIENCE_MS);
    page = await context.newPage();
    keys = new Keys(page);
    await gateway.writes(ANN, "Hello from my phone.");
    await gateway.telegram.until(() => gateway.told(ANN).includes("heard: Hello from my phone."));
  });
  afterAll(async () => {
    await context?.close(); // Before the gateway goes: its stream would break.
    await gateway?.close();
    await chromium?.close();
  });

  const field = (): Locator => page.getByRole("textbox", { name: "Message" });
  const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
  const list = (): Locator => page.getByRole("navigation", { name: "Conversations" });
  const dialog = (name: string): Locator => page.getByRole("dialog", { name });

  test("signs in, and writes", async () => {
    const link = await gateway.linkFor(ANN);
    await page.goto(gateway.url);
    await keys.to(page.getByRole("textbox", { name: "Link" }));
    await keys.type(link);
    await page.keyboard.press("Enter");
    await keys.comesTo(field());
    await keys.type("Hello from the keyboard.");
    await keys.press("Enter");
    await showsOnce(page, "heard: Hello from the keyboard.");
    expect(await keys.isAt(field())).toBe(true);
    // With the button, too.
    await keys.type("And with the button.");
    await keys.to(button("Send"));
    await keys.press("Enter");
    await keys.comesTo(field());
    await showsOnce(page, "heard: And with the button.");
  });

  test("chooses a command", async () => {
    await keys.type("/st");
    const commands = page.getByRole("listbox", { name: "Commands" });
    await commands.waitFor();
    await keys.press("ArrowDown", "ArrowUp", "Tab");
    await expect.poll(() => field().inputValue()).toMatch(/^\/st\w+/);
    expect(await keys.isAt(field())).toBe(true);
    await keys.press("Control+a", "Delete");
    await keys.type("/");
    await commands.waitFor();
    await keys.press("Escape");
    await expect.poll(() => commands.count()).toBe(0);
    await keys.press("Control+a", "Delete");
  });

  test("retries: the button goes away, and the focus stays near", async () => {
    gateway.play = (said) => (said === "And with the button." ? { text: "I heard it again." } : null);
    await keys.to(button("Retry").last(), "Shift+Tab");
    await keys.press("Enter");
    await showsOnce(page, "I heard it again.");
    await button("Retry").last().waitFor();
    await keys.press("Tab");
    gateway.play = () => null;
  });

  test("moves in a menu, and in a dialog; the focus goes back", async () => {
    const menu = button("More");
    await keys.to(menu, "Shift+Tab");
    await keys.press("Enter");
    const item = (name: string): Locator => page.getByRole("menuitem", { name });
    await keys.comesTo(item("Move to…"));
    await keys.press("ArrowDown");
    expect(await keys.isAt(item("Continue in a copy"))).toBe(true);
    await keys.press("End", "Home");
    expect(await keys.isAt(item("Move to…"))).toBe(true);
    await keys.press("Escape");
    await keys.comesTo(menu);
    for (const close of [["Escape"], ["Tab", "Enter"]]) {
      await keys.press("Enter");
      await keys.comesTo(item("Move to…"));
      await keys.press("Enter");
      const move = dialog("Move this conversation");
      const place = move.getByRole("button", { name: /Telegram/ });
      await place.waitFor();
      // Closed with its button, and with a key.
      if (close.length > 1) {
        await keys.to(place, "Shift+Tab");
        await keys.to(move.getByRole("button", { name: "Close" }));
        await keys.press("Enter");
      } else await keys.press("Escape");
      await keys.comesTo(menu);
    }
  });

  test("filters the conversations, and opens one", async () => {
    const all = list().getByRole("radio", { name: "All" });
    const phone = list().getByRole("link", { name: /Hello from my phone/ });
    await keys.to(all, "Shift+Tab");
    await keys.press("ArrowRight", "ArrowRight");
    expect(await list().getByRole("radio", { name: "Ended" }).isChecked()).toBe(true);
    await list().getByText("No ended conversations.").waitFor();
    await keys.press("ArrowLeft");
    expect(await list().getByRole("radio", { name: "Open" }).isChecked()).toBe(true);
    await keys.to(phone);
    await keys.press("Enter");
    await sees(page, "heard: Hello from my phone.");
    expect(await keys.isAt(phone)).toBe(true);
  });

  test("searches with filters", async () => {
    await keys.to(page.getByRole("searchbox", { name: "Search all messages" }), "Shift+Tab");
    await keys.type("hello");
    const filters = list().locator("summary", { hasText: "Filters" });
    const hits = list().getByRole("link");
    await expect.poll(() => hits.count(), { timeout: PATIENCE_MS }).toBe(4);
    await keys.to(filters);
    await keys.press("Enter");
    const by = list().getByRole("combobox", { name: "Written by" });
    await keys.to(by);
    await keys.press("ArrowDown");
    await expect.poll(() => by.inputValue()).toBe("people");
    await expect.poll(() => hits.count(), { timeout: PATIENCE_MS }).toBe(2);
    await keys.to(list().getByLabel("To", { exact: true }));
    await keys.type("01012020");
    await list().getByText("No message with these words passes the filters.").waitFor();
    await keys.to(button("Clear the filters"));
    await keys.press("Enter");
    await keys.comesTo(by);
    await expect.poll(() => hits.count(), { timeout: PATIENCE_MS }).toBe(4);
    await keys.to(hits.filter({ hasText: "Hello from the keyboard." }).first());
    await keys.press("Enter");
    await sees(page, "heard: Hello from the keyboard.");
  });

  test("skips to the conversation", async () => {
    await keys.to(page.getByRole("link", { name: "Skip to the conversation" }), "Shift+Tab");
    await keys.press("Enter");
    await keys.comesTo(page.getByRole("main"));
  });

  test("adds a note and forgets it: what was pressed goes away, and the focus stays in the view", async () => {
    await keys.to(page.getByRole("link", { name: "Memory" }), "Shift+Tab");
    await keys.press("Enter");
    const add = button("Add a note");
    await keys.to(add);
    await keys.press("Enter");
    await keys.comesTo(dialog("Add a note").getByRole("textbox"));
    await keys.type("I am allergic to nuts.");
    await keys.to(dialog("Add a note").getByRole("button", { name: "Save" }));
    await keys.press("Enter");
    await keys.comesTo(add);
    const forget = page.getByRole("main").getByRole("button", { name: "Forget" }).first();
    await keys.to(forget);
    await keys.press("Enter");
    const sure = dialog("Forget this note?");
    await keys.comesTo(sure.getByRole("button", { name: "Cancel" }));
    await keys.press("Escape");
    await keys.comesTo(forget);
    await keys.press("Enter");
    await keys.to(sure.getByRole("button", { name: "Forget" }));
    await keys.press("Enter");
    await page.getByText("Baton remembers nothing yet.").waitFor();
    await keys.comesTo(page.getByRole("main"));
  });

  test("follows a link in a view, and comes back by another", async () => {
    await page.goto(gateway.url);
    await keys.comesTo(field());
    await keys.type("/cron add every day at 9: say hello");
    await keys.press("Enter");
    await sees(page, /every day at 9|09:00/);
    await keys.to(page.getByRole("link", { name: "Jobs" }), "Shift+Tab");
    await keys.press("Enter");
    const job = page.getByRole("main").getByRole("link", { name: "say hello" });
    await keys.to(job);
    await keys.press("Enter");
    await page.getByRole("heading", { name: "say hello" }).waitFor();
    await keys.comesTo(page.getByRole("main"));
    await keys.to(button("Pause"));
    await keys.press("Enter");
    await keys.comesTo(button("Resume"));
    await keys.to(page.getByRole("link", { name: "All jobs" }), "Shift+Tab");
    await keys.press("Enter");
    await keys.comesTo(page.getByRole("main"));
    await keys.to(job);
  });

  test("on a small screen, opens the bar and closes it", async () => {
    await page.setViewportSize({ width: 600, height: 800 });
    const open = button("Show the menu");
    await keys.to(open, "Shift+Tab");
    await keys.press("Enter");
    await keys.comesTo(button("New chat"));
    // Nothing under it is reached.
    const main = page.getByRole("main");
    await keys.to(button("Your menu"));
    expect(await main.evaluate((element) => element.matches(":focus-within"))).toBe(false);
    await keys.press("Escape");
    await keys.comesTo(open);
    await keys.press("Enter");
    await keys.to(page.getByRole("link", { name: "Memory" }));
    await keys.press("Enter");
    await page.getByRole("heading", { name: "Memory" }).waitFor();
    await keys.comesTo(button("Show the menu"));
  });

  test("logs out", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await keys.to(button("Your menu"), "Shift+Tab");
    await keys.press("Enter");
    await keys.comesTo(page.getByRole("menuitem", { name: "Log out" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in to Baton" }).waitFor();
    await keys.to(page.getByRole("textbox", { name: "Link" }));
  });
});
