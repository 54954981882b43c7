/**
 * The whole way of two people through the page, in a real browser, with a real gateway: what they see while answers stream,
 * lines drop, tabs multiply and the gateway is killed. Nothing in it may leave this machine, and no view may have a fault that
 * axe finds. The tests of this file are one story: each goes on where the last one ended.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { baton } from "../support/baton.js";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { accessible } from "../support/page-checks.js";
import { ANN, BOB, PageGateway } from "../support/page-gateway.js";
import { PATIENCE_MS, sees, showsOnce, write } from "../support/page-steps.js";

describe.skipIf(findChromium() === null)(`the page${withoutChromium()}`, { timeout: 240_000 }, () => {
  let gateway: PageGateway;
  let chromium: WatchedChromium;
  let context: BrowserContext;
  let ann: Page;

  beforeAll(async () => {
    gateway = await PageGateway.start();
    chromium = await WatchedChromium.open();
    context = await chromium.person();
    context.setDefaultTimeout(PATIENCE_MS);
    ann = await context.newPage();
  });
  afterAll(async () => {
    await gateway?.close();
    await chromium?.close();
  });

  /** A gate: what waits for it goes on when it is opened. */
  function gate(): { readonly isOpen: Promise<void>; open(): void } {
    let open = (): void => {};
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { isOpen, open };
  }

  const log = (page: Page): Locator => page.getByRole("log", { name: "Messages" });
  /** How often a text is in the conversation. */
  const times = (page: Page, text: string): Promise<number> =>
    log(page).getByText(text, { exact: true }).count();

  test("somebody signs in by a link, which is gone from the address and works once", async () => {
    const link = await gateway.linkFor(ANN);
    await ann.goto(link);
    await ann.getByRole("textbox", { name: "Message" }).waitFor();
    expect(ann.url()).toBe(`${gateway.url}/`);
    const other = await chromium.person();
    const thief = await other.newPage();
    const forbid = chromium.allow(/\/api\/(?:enter|me)/);
    await thief.goto(link);
    await thief.getByRole("heading", { name: "Sign in to Baton" }).waitFor();
    await thief.getByRole("alert").waitFor();
    await accessible(thief, "sign in");
    await other.close();
    forbid();
  });

  test("an answer streams, and goes on after the page was loaded anew in its middle", async () => {
    const { isOpen, open } = gate();
    gateway.play = (said) =>
      said === "Tell me a story."
        ? { text: ["Once upon a time ", "there was a gateway."], gate: isOpen }
        : null;
    await write(ann, "Tell me a story.");
    await sees(ann, "Once upon a time");
    await ann.reload();
    await sees(ann, "Once upon a time");
    await showsOnce(ann, "Tell me a story.");
    open();
    await showsOnce(ann, "Once upon a time there was a gateway.");
    await ann.getByRole("button", { name: "Retry" }).waitFor();
    await accessible(ann, "chat");
  });

  test("closing the page stops nothing; a button does", async () => {
    const { isOpen, open } = gate();
    gateway.play = (said) =>
      said === "Go on without me." ? { text: ["I go on, ", "and come to the end."], gate: isOpen } : null;
    await write(ann, "Go on without me.");
    await sees(ann, "I go on,");
    await ann.close();
    open();
    ann = await context.newPage();
    await ann.goto(gateway.url);
    await showsOnce(ann, "I go on, and come to the end.");

    gateway.play = (said) =>
      said === "Count forever." ? { text: ["one, two, ", "three"], gate: new Promise(() => {}) } : null;
    await write(ann, "Count forever.");
    await sees(ann, "one, two,");
    await ann.getByRole("button", { name: "Stop the answer" }).click();
    await sees(ann, /^Stopped/);
    gateway.play = () => null;
  });

  test("what was not confirmed waits in the browser, survives a reload, and arrives once", async () => {
    const forbid = chromium.allow(/\/api\/say/);
    let isAway = true;
    let lost = 0;
    await context.route("**/api/say", async (route) => {
      if (isAway) return route.abort();
      if (lost > 0) return route.continue();
      await route.fetch();
      lost += 1;
      return route.abort();
    });
    await write(ann, "Are you there?");
    await sees(ann, "not sent yet");
    await ann.reload();
    await sees(ann, "not sent yet");
    await showsOnce(ann, "Are you there?");
    // It arrives, and its confirmation does not: the browser sends it again.
    isAway = false;
    await showsOnce(ann, "heard: Are you there?");
    await expect.poll(() => log(ann).getByText("not sent yet").count(), { timeout: PATIENCE_MS }).toBe(0);
    await showsOnce(ann, "Are you there?");
    expect(lost).toBe(1);
    await context.unroute("**/api/say");
    forbid();
  });

  test("ten seconds without a network lose nothing on either side", async () => {
    const forbid = chromium.allow(/ERR_INTERNET_DISCONNECTED|\/api\/stream/);
    const { isOpen, open } = gate();
    gateway.play = (said) =>
      said === "Wait for me." ? { text: ["I say this ", "while you are away."], gate: isOpen } : null;
    await write(ann, "Wait for me.");
    await sees(ann, "I say this");
    await context.setOffline(true);
    open();
    await write(ann, "I am back.");
    await pause(10_000); // As long as it takes to go through a tunnel.
    expect(await times(ann, "heard: I am back.")).toBe(0);
    await context.setOffline(false);
    await showsOnce(ann, "I say this while you are away.");
    await showsOnce(ann, "heard: I am back.");
    await showsOnce(ann, "I am back.");
    gateway.play = () => null;
    forbid();
  });

  test("a gateway that is killed in the middle of an answer goes on with it when it is there again", async () => {
    const forbid = chromium.allow(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/,
    );
    gateway.play = (said) =>
      said === "Survive this." ? { text: ["This is half ", "of it"], gate: new Promise(() => {}) } : null;
    await write(ann, "Survive this.");
    await sees(ann, "This is half");
    await gateway.kill();
    await write(ann, "And this.");
    gateway.play = (said) => (said === "Survive this." ? { text: "This is all of it." } : null);
    await gateway.run();
    await showsOnce(ann, "This is all of it.");
    await showsOnce(ann, "heard: And this.");
    await showsOnce(ann, "Survive this.");
    await showsOnce(ann, "And this.");
    gateway.play = () => null;
    forbid();
  });

  test("two tabs show the same, over one stream", async () => {
    const beside = await context.newPage();
    await beside.goto(gateway.url);
    await showsOnce(beside, "heard: And this.");
    await write(beside, "From the other tab.");
    await showsOnce(ann, "heard: From the other tab.");
    await showsOnce(beside, "heard: From the other tab.");
    const health = await ann.evaluate(async () => {
      const answer = await fetch("/api/owner/health", { headers: { "x-baton": "page" } });
      return answer.json() as Promise<{ streams: number }>;
    });
    expect(health.streams).toBe(1);
    // The tab that has the stream goes: the other one takes over.
    await ann.close();
    await write(beside, "Still there?");
    await showsOnce(beside, "heard: Still there?");
    ann = beside;
  });

  test("two people see nothing of each other", async () => {
    const other = await chromium.person();
    other.setDefaultTimeout(PATIENCE_MS);
    const bob = await other.newPage();
    await bob.goto(await gateway.linkFor(BOB));
    await write(bob, "Hello from Bob.");
    await showsOnce(bob, "heard: Hello from Bob.");
    const list = bob.getByRole("navigation", { name: "Conversations" });
    await list.getByText("heard: Hello from Bob.").or(list.getByRole("link")).first().waitFor();
    expect(await bob.getByText("Still there?").count()).toBe(0);
    expect(await bob.getByRole("link", { name: "Gateway" }).count()).toBe(0);
    expect(await ann.getByText("heard: Hello from Bob.").count()).toBe(0);
    const forbid = chromium.allow(/\/api\/owner\/outbox/);
    const refused = await bob.evaluate(async () => {
      const answer = await fetch("/api/owner/outbox", { headers: { "x-baton": "page" } });
      return answer.status;
    });
    expect([403, 404]).toContain(refused);
    await other.close();
    forbid();
  });

  test("a dangerous command is asked about, and a button allows it", async () => {
    gateway.play = (said, last) => {
      if (said !== "Delete the old photos.") return null;
      if (last.role === "tool") return { text: "They are gone." };
      const args = { command: `mkdir -p ../old-photos && rm -rf ../old-photos` };
      return {
        reasoning: "A folder is to go.",
        calls: [{ name: "terminal", arguments: JSON.stringify(args) }],
      };
    };
    await write(ann, "Delete the old photos.");
    const allow = log(ann)
      .getByRole("button", { name: /^Allow|^Approve|^Yes/i })
      .first();
    await allow.waitFor();
    await accessible(ann, "a question");
    await allow.click();
    await showsOnce(ann, "They are gone.");
    await expect.poll(() => allow.count(), { timeout: PATIENCE_MS }).toBe(0);
    const card = log(ann).locator("details").filter({ hasText: "terminal" }).last();
    await card.locator("summary").click();
    await card.getByText("old-photos").first().waitFor();
    gateway.play = () => null;
  });

  test("a conversation goes to the phone and comes back, whole", async () => {
    await gateway.writes(ANN, "Hello from my phone.");
    await gateway.telegram.until(() => gateway.told(ANN).includes("heard: Hello from my phone."));
    await ann.getByRole("button", { name: "New chat" }).click();
    await write(ann, "Plan a trip to Lisbon.");
    await showsOnce(ann, "heard: Plan a trip to Lisbon.");
    await ann.getByRole("button", { name: "More", exact: true }).click();
    await ann.getByRole("menuitem", { name: "Move to…" }).click();
    const dialog = ann.getByRole("dialog", { name: "Move this conversation" });
    await dialog.getByRole("button", { name: /Telegram/ }).click();
    await gateway.telegram.until(() => gateway.told(ANN).some((text) => text.includes("continues here")));
    await dialog.getByRole("button", { name: "Close" }).click();
    await gateway.writes(ANN, "Which tram?");
    await gateway.telegram.until(() => gateway.told(ANN).includes("heard: Which tram?"));
    await gateway.writes(ANN, "/handoff web");
    await gateway.telegram.until(() => gateway.told(ANN).some((text) => text.startsWith("Moved to ")));
    const list = ann.getByRole("navigation", { name: "Conversations" });
    await list
      .locator('a[href^="/chat/"]')
      .filter({ hasText: /Lisbon/ })
      .first()
      .click();
    await sees(ann, "Plan a trip to Lisbon.");
    await sees(ann, "Which tram?");
    await write(ann, "And the castle?");
    await showsOnce(ann, "heard: And the castle?");
  });

  test("a search finds what was said anywhere, and opens it there", async () => {
    const box = ann.getByRole("searchbox", { name: "Search all messages" });
    await box.fill("tram");
    await ann
      .getByRole("navigation", { name: "Conversations" })
      .getByText(/Which tram/)
      .first()
      .click();
    await sees(ann, "Which tram?");
    await accessible(ann, "a transcript");
    await box.fill("");
  });

  test("a background process is shown with its output, and is killed", async () => {
    gateway.play = (said, last) => {
      if (said !== "Start the server.") return null;
      if (last.role === "tool") return { text: "It runs." };
      const args = { command: "echo 'the server listens'; sleep 600", background: true };
      return { calls: [{ name: "terminal", arguments: JSON.stringify(args) }] };
    };
    await ann.goto(gateway.url);
    await write(ann, "Start the server.");
    await showsOnce(ann, "It runs.");
    gateway.play = () => null;
    await ann.getByRole("link", { name: "Processes" }).click();
    const main = ann.getByRole("main");
    await main
      .getByText(/the server listens/)
      .first()
      .click();
    await main.getByText("the server listens").first().waitFor();
    await accessible(ann, "a process");
    await main.getByRole("button", { name: "Kill" }).first().click();
    await ann.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await main
      .getByText(/killed|ended|exited/i)
      .first()
      .waitFor();
  });

  test("a job is run now, and its result arrives", async () => {
    gateway.play = (said) =>
      said.endsWith("say what the weather is") ? { text: "Sunny, 24 degrees." } : null;
    await ann.goto(gateway.url);
    await write(ann, "/cron add every day at 9: say what the weather is");
    await sees(ann, /every day at 09:00|every day at 9/i);
    await ann.getByRole("link", { name: "Jobs" }).click();
    const main = ann.getByRole("main");
    await main.getByText("weather").first().waitFor();
    await accessible(ann, "jobs");
    await main.getByRole("button", { name: "Run now" }).first().click();
    await main
      .getByText(/done|succeeded|delivered/i)
      .first()
      .waitFor();
    await ann.getByRole("link", { name: "Main chat" }).click();
    await showsOnce(ann, "Sunny, 24 degrees.");
    gateway.play = () => null;
  });

  test("a device that is signed out sees nothing more", async () => {
    await ann.goto(gateway.url);
    await ann.getByRole("textbox", { name: "Message" }).waitFor();
    const listed = await baton(gateway.home, ["people", "devices", "list", "--json"]);
    const { devices } = JSON.parse(listed.stdout) as { devices: { id: string; identity: string }[] };
    const own = devices.find(({ identity }) => identity === `telegram:${ANN}`);
    chromium.allow(/status of 401/);
    await baton(gateway.home, ["people", "devices", "revoke", own?.id ?? ""]);
    await ann.getByRole("heading", { name: "Sign in to Baton" }).waitFor();
    expect(await ann.getByText("heard:").count()).toBe(0);
  });
});
