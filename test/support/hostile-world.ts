/** Ann, who runs the gateway, in a real browser in which nothing of what others wrote may run, load or move the page's own words. */
import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { WatchedChromium } from "./chromium.js";
import { Canary, hostileName, hostileText, tracesIn } from "./hostile-page.js";
import type { Reply } from "./model-server.js";
import { ANN, PageGateway } from "./page-gateway.js";
import { PATIENCE_MS } from "./page-steps.js";

export class HostileWorld {
  /** The next answers of the model, by the first line of what was said. */
  readonly plays = new Map<string, (isAfterTool: boolean) => Reply>();

  static async start(): Promise<HostileWorld> {
    const [gateway, chromium, canary] = await Promise.all([
      PageGateway.start(),
      WatchedChromium.open(),
      Canary.open(),
    ]);
    const context = await chromium.person();
    context.setDefaultTimeout(PATIENCE_MS);
    canary.watch(context);
    const world = new HostileWorld(gateway, chromium, canary, context, await context.newPage());
    gateway.play = (said, { role }) => world.plays.get(said.split("\n")[0] ?? "")?.(role === "tool") ?? null;
    await world.writes(ANN, hostileText("greeting"), { name: hostileName("Ann") });
    await world.ann.goto(await gateway.linkFor(ANN, { name: hostileName("Ann") }));
    await world.field.waitFor();
    return world;
  }

  private constructor(
    readonly gateway: PageGateway,
    readonly chromium: WatchedChromium,
    readonly canary: Canary,
    readonly context: BrowserContext,
    readonly ann: Page,
  ) {}

  /** The page goes before its gateway: nothing that it misses then is a fault. */
  async close(): Promise<void> {
    await this.context.close();
    await this.gateway.close();
    this.canary.close();
    await this.chromium.close();
  }

  /** Fails if a hostile text did something, or stands in the page as more than text. */
  async isUnharmed(where = "in the page"): Promise<void> {
    expect(await tracesIn(this.ann), where).toEqual([]);
    expect(this.canary.songs.splice(0)).toEqual([]);
    expect(this.chromium.faults.splice(0)).toEqual([]);
  }

  /** Somebody writes on Telegram, and is answered. */
  async writes(person: number, text: string, more: Parameters<PageGateway["writes"]>[2]): Promise<void> {
    const beginning = `heard: ${text.split(" <")[0]}`;
    const answers = () => this.gateway.told(person).filter((told) => told.startsWith(beginning)).length;
    const before = answers();
    await this.gateway.writes(person, text, more);
    await this.gateway.telegram.until(() => answers() > before);
  }

  get field(): Locator {
    return this.ann.getByRole("textbox", { name: "Message" });
  }

  get log(): Locator {
    return this.ann.getByRole("log", { name: "Messages" });
  }

  get main(): Locator {
    return this.ann.getByRole("main");
  }

  get list(): Locator {
    return this.ann.getByRole("navigation", { name: "Conversations" });
  }

  get dialog(): Locator {
    return this.ann.getByRole("dialog");
  }

  /** Opens a place, and waits until all of it is there. */
  async open(place: string): Promise<void> {
    await this.ann.goto(`${this.gateway.url}${place}`);
    await this.main.locator("h1, .empty").first().waitFor();
    await expect.poll(() => this.ann.locator(".loading").count()).toBe(0);
  }

  async shows(where: Locator, text: string | RegExp): Promise<void> {
    await where.getByText(text).first().waitFor();
  }

  async say(text: string): Promise<void> {
    await this.field.fill(text);
    await this.ann.keyboard.press("Enter");
  }

  /** Says something in the main chat, and waits for the end of the answer. */
  async asks(text: string, answer: (isAfterTool: boolean) => Reply, end: string): Promise<void> {
    this.plays.set(text, answer);
    await this.say(text);
    await this.shows(this.log, end);
  }

  /** Opens a file of somebody by itself: it is saved, or shown as a picture, which it is not, without an origin. */
  async opensFile(link: Locator): Promise<void> {
    if (await link.locator("img").count()) {
      // The browser makes a document around a picture, to which the policy allows not even a style.
      const forbid = this.chromium.allow(
        /^(?:Applying inline style|Blocked script execution) .*\/files\/\d+\)$/s,
      );
      const [page] = await Promise.all([this.context.waitForEvent("page"), link.click()]);
      await page.waitForLoadState();
      expect(await page.evaluate("[document.contentType, origin, typeof pwned]")).toEqual([
        ...["image/png", "null", "undefined"],
      ]);
      await page.close();
      return forbid();
    }
    // Also if the page did not ask for that.
    await link.evaluate((file) => file.removeAttribute("download"));
    const [download] = await Promise.all([this.ann.waitForEvent("download"), link.click()]);
    await download.delete();
  }
}
