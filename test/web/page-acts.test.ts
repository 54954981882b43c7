/**
 * What the buttons of the page do: the same as the commands, and what an owner decides. And what brings a page up to date that
 * could not hear what happened.
 */
import type { BrowserContext, Locator, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { ANN, BOB, PageGateway } from "../support/page-gateway.js";
import { PATIENCE_MS, sees, showsOnce, showsTimes, write } from "../support/page-steps.js";

const STRANGER = 100_003;

interface SeenChat {
  readonly id: string;
  /** Who said what. */
  readonly said: readonly string[];
}

describe.skipIf(findChromium() === null)(
  `buttons of the page${withoutChromium()}`,
  { timeout: 240_000 },
  () => {
    let gateway: PageGateway;
    let chromium: WatchedChromium;
    let context: BrowserContext;
    let page: Page;

    beforeAll(async () => {
      [gateway, chromium] = await Promise.all([PageGateway.start(), WatchedChromium.open()]);
      [context, page] = await ann();
    });
    afterAll(async () => {
      await context?.close(); // Before the gateway goes: its stream would break.
      await gateway?.close();
      await chromium?.close();
    });

    /** Ann in a browser of its own. */
    async function ann(): Promise<[BrowserContext, Page]> {
      const own = await chromium.person();
      own.setDefaultTimeout(PATIENCE_MS);
      const tab = await own.newPage();
      await tab.goto(await gateway.linkFor(ANN));
      await tab.getByRole("textbox", { name: "Message" }).waitFor();
      return [own, tab];
    }

    /** As the server has it. */
    async function chatIn(thread: string): Promise<SeenChat> {
      const asked = await page.request.get(`${gateway.url}/api/chat?thread=${thread}`, {
        headers: { "x-baton": "page" },
      });
      const { session, messages } = (await asked.json()) as {
        readonly session: { readonly id: string } | null;
        readonly messages: readonly { readonly role: string; readonly content: string }[];
      };
      return { id: session?.id ?? "", said: messages.map(({ role, content }) => `${role}: ${content}`) };
    }

    describe("of a conversation", () => {
      const choose = (label: string) => async (): Promise<void> => {
        await page.getByRole("button", { name: "More", exact: true }).click();
        await page.getByRole("menuitem", { name: label }).click();
      };
      const say = (command: string) => (): Promise<void> => write(page, command);

      const WAYS = {
        buttons: {
          retry: () => page.getByRole("button", { name: "Retry" }).last().click(),
          undo: choose("Take back the last message"),
          branch: choose("Continue in a copy"),
          fresh: choose("Start fresh here"),
        },
        commands: { retry: say("/retry"), undo: say("/undo"), branch: say("/branch"), fresh: say("/new") },
      };

      test.each(["buttons", "commands"] as const)("retry, undo, branch and new, by %s", async (kind) => {
        const way = WAYS[kind];
        const thread = `thread-by-${kind}`;
        const answers = ["Blue.", "Red."];
        gateway.play = (said) => (said === "Name a color." ? { text: answers.shift() ?? "None." } : null);
        await page.goto(`${gateway.url}/chat/${thread}`);
        await write(page, "Name a color.");
        await showsOnce(page, "Blue.");
        await page.getByRole("button", { name: "Retry" }).last().waitFor();

        await way.retry();
        await showsOnce(page, "Red.");
        await showsTimes(page, "Blue.", 0);
        await showsOnce(page, "Name a color.");

        await write(page, "And an animal.");
        await showsOnce(page, "heard: And an animal.");
        await way.undo();
        await showsTimes(page, "heard: And an animal.", 0);
        await showsTimes(page, "And an animal.", 0);
        const before = await chatIn(thread);
        expect(before.said).toEqual(["user: Name a color.", "assistant: Red."]);

        await way.branch();
        await expect
          .poll(async () => (await chatIn(thread)).id, { timeout: PATIENCE_MS })
          .not.toBe(before.id);
        const copy = await chatIn(thread);
        expect(copy.said).toEqual(before.said);
        await write(page, "Only in the copy.");
        await showsOnce(page, "heard: Only in the copy.");
        await page.goto(`${gateway.url}/conversation/${before.id}`);
        await showsOnce(page, "Red.");
        await showsTimes(page, "Only in the copy.", 0);

        await page.goto(`${gateway.url}/chat/${thread}`);
        await showsOnce(page, "heard: Only in the copy.");
        await way.fresh();
        await showsTimes(page, "heard: Only in the copy.", 0);
        await write(page, "Where are we?");
        await showsOnce(page, "heard: Where are we?");
        const fresh = await chatIn(thread);
        expect(fresh.said).toEqual(["user: Where are we?", "assistant: heard: Where are we?"]);
        expect(fresh.id).not.toBe(copy.id);
        gateway.play = () => null;
      });
    });

    describe("of an owner", () => {
      const main = (): Locator => page.getByRole("main");
      const decide = async (button: string): Promise<void> => {
        await main().getByRole("button", { name: button }).click();
        await page.getByRole("dialog").getByRole("button", { name: button }).click();
      };
      /** Bob gets no answer to this. */
      const isRefused = async (text: string): Promise<void> => {
        gateway.telegram.trouble("refused");
        await gateway.writes(BOB, text);
        await page.goto(`${gateway.url}/gateway/outbox`);
        await main().getByRole("link", { name: "Not sent" }).click();
        await main().getByText("blocked by the user").waitFor();
      };

      test("send again what was not sent", async () => {
        await isRefused("Is anybody there?");
        // Whose words these are is none of the owner's business.
        await main().getByText("You may not read this conversation.").waitFor();
        expect(gateway.told(BOB)).not.toContain("heard: Is anybody there?");
        await decide("Send again");
        await page.getByText("Baton sends it again.").waitFor();
        await gateway.telegram.until(() => gateway.told(BOB).includes("heard: Is anybody there?"));
        await main().getByText("Every message could be sent.").waitFor();
      });

      test("drop what was not sent", async () => {
        await isRefused("Forget this.");
        await decide("Drop");
        await page.getByText("Dropped.").waitFor();
        await main().getByText("Every message could be sent.").waitFor();
        await gateway.writes(BOB, "And now?");
        await gateway.telegram.until(() => gateway.told(BOB).includes("heard: And now?"));
        expect(gateway.told(BOB)).not.toContain("heard: Forget this.");
      });

      test("let somebody in by their code", async () => {
        await gateway.writes(STRANGER, "May I come in?", { name: "Zoe" });
        const code = (): string | undefined =>
          /Your code is (\w{8})/.exec(gateway.told(STRANGER).join("\n"))?.[1];
        await gateway.telegram.until(() => code() !== undefined);
        await page.goto(`${gateway.url}/gateway/people`);
        await main().getByRole("table", { name: "Pairing requests" }).getByText("Zoe").waitFor();
        const approve = async (written: string): Promise<void> => {
          await main().getByRole("button", { name: "Approve a code" }).click();
          const dialog = page.getByRole("dialog", { name: "Approve a code" });
          await dialog.getByRole("textbox", { name: "Their code" }).fill(written);
          await dialog.getByRole("button", { name: "Approve" }).click();
          await expect.poll(() => dialog.count(), { timeout: PATIENCE_MS }).toBe(0);
        };
        await approve("22222222");
        await page.locator(".toast").filter({ hasText: /code/ }).first().waitFor();
        await main().getByRole("table", { name: "Pairing requests" }).getByText("Zoe").waitFor();

        await approve(`  ${code()?.toLowerCase()} `);
        await main().getByText("Nobody is waiting for approval.").waitFor();
        const listed = main().getByRole("table", { name: "People with access" });
        await listed.getByText(`telegram:${STRANGER}`).first().waitFor();
        await gateway.writes(STRANGER, "Thank you.", { name: "Zoe" });
        await gateway.telegram.until(() => gateway.told(STRANGER).includes("heard: Thank you."));
      });
    });

    describe("a page without a line", () => {
      const STREAM = "**/api/stream";
      const THREAD = "thread-without-a-line";
      let beside: BrowserContext;
      let other: Page;
      beforeAll(async () => {
        [beside, other] = await ann();
        await other.goto(`${gateway.url}/chat/${THREAD}`);
      });
      afterAll(() => beside?.close());

      const EVENTS = {
        "is looked at again": (tab: Page) =>
          tab.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`),
        "is shown again by the browser": (tab: Page) =>
          tab.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`),
        "is online again": async (tab: Page) => {
          await tab.context().setOffline(true);
          await tab.context().setOffline(false);
        },
      };

      test.each(Object.keys(EVENTS) as (keyof typeof EVENTS)[])(
        "asks for what it missed when it %s",
        async (what) => {
          chromium.allow(/\/api\/stream|ERR_INTERNET_DISCONNECTED/);
          await context.route(STREAM, (route) => route.abort());
          await page.goto(`${gateway.url}/chat/${THREAD}`);
          await write(page, `Before it ${what}.`);
          await showsOnce(other, `heard: Before it ${what}.`);
          await page.reload();
          await showsOnce(page, `heard: Before it ${what}.`);
          await write(other, `Missed until it ${what}.`);
          await showsOnce(other, `heard: Missed until it ${what}.`);
          await showsTimes(page, `Missed until it ${what}.`, 0);
          await EVENTS[what](page);
          await showsOnce(page, `heard: Missed until it ${what}.`);
          await context.unroute(STREAM);
        },
      );

      /** The line is open, and nothing comes. */
      const SILENT = {
        "when somebody looks again, after a while": { time: "00:25", looks: true },
        "by itself, after a longer while": { time: "00:50", looks: false },
      };

      test.each(Object.keys(SILENT) as (keyof typeof SILENT)[])(
        "gives up a line that is silent %s",
        async (when) => {
          const { time, looks } = SILENT[when];
          const tab = await context.newPage();
          await page.goto("about:blank"); // The tab that reads the line is the other one.
          await tab.clock.install();
          let asked = 0;
          await tab.route(STREAM, async (route: Route) => {
            asked += 1;
            if (asked > 1) await route.continue();
          });
          await tab.goto(`${gateway.url}/chat/${THREAD}`);
          await expect.poll(() => asked, { timeout: PATIENCE_MS }).toBe(1);
          await tab.clock.fastForward(time);
          if (looks) await EVENTS["is looked at again"](tab);
          await expect.poll(() => asked, { timeout: PATIENCE_MS }).toBeGreaterThan(1);
          await write(other, `Told on the new line, ${when}.`);
          await sees(tab, `heard: Told on the new line, ${when}.`);
          await tab.close();
        },
      );
    });
  },
);
