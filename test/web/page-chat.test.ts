/**
 * What a newcomer stumbles over in a chat, in a real browser with a real gateway: links, files, pictures, one's own messages
 * and Baton's words.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium, WatchedChromium, withoutChromium } from "../support/chromium.js";
import { accessible } from "../support/page-checks.js";
import { ANN, BOB, PageGateway } from "../support/page-gateway.js";
import { PATIENCE_MS } from "../support/page-steps.js";

const PICTURE = fileURLToPath(new URL("../../src/page/static/icon-512.png", import.meta.url));

describe.skipIf(findChromium() === null)(
  `a chat of the page${withoutChromium()}`,
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
      gateway.play = () => null;
      context = await chromium.person({ viewport: { width: 1000, height: 700 } });
      context.setDefaultTimeout(PATIENCE_MS);
      ann = await context.newPage();
      await ann.goto(await gateway.linkFor(ANN));
      await field(ann).waitFor();
      await ann.getByRole("button", { name: "New chat" }).click();
      await expect.poll(() => log(ann).getByRole("article").count()).toBe(0);
    });
    afterEach(() => context.close());

    const field = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });
    const log = (page: Page): Locator => page.getByRole("log", { name: "Messages" });
    const answer = (text: string | RegExp): Locator => log(ann).getByText(text).last();
    const write = async (text: string): Promise<void> => {
      await field(ann).fill(text);
      await ann.keyboard.press("Enter");
    };
    /** How far below what is seen the log goes on. */
    const below = (): Promise<number> =>
      log(ann).evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
    const aLongAnswer = async (): Promise<void> => {
      gateway.play = (said) =>
        said === "Be long."
          ? { text: Array.from({ length: 80 }, (_, line) => `Line ${line}.`).join("\n\n") }
          : null;
      await write("Be long.");
      await answer("Line 79.").waitFor();
      await expect.poll(below, { timeout: PATIENCE_MS }).toBeLessThan(2);
    };
    /** As if files were dragged there; whether the page took the event. */
    const drag = (kind: "dragover" | "drop", where: string, count = 1): Promise<boolean> =>
      ann.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        for (let file = 0; file < ${count}; file += 1)
          dataTransfer.items.add(new File(["milk"], "list-" + file + ".txt", { type: "text/plain" }));
        const event = new DragEvent("${kind}", { dataTransfer, bubbles: true, cancelable: true });
        return document.querySelector("${where}").dispatchEvent(event) === false;
      })()`);

    test("a link that is pasted into an open page signs in whom it is for", async () => {
      const follow = async (link: string): Promise<void> => {
        await ann.goto(gateway.url);
        await field(ann).waitFor();
        await ann.evaluate(`location.assign(${JSON.stringify(link)})`);
      };
      const who = ann.locator(".person .who");
      await who.getByText("Ann").waitFor();
      await follow(await gateway.linkFor(BOB));
      await who.getByText("Bob").waitFor();
      expect(ann.url()).toBe(`${gateway.url}/`);
    });

    test("one's own message is seen, wherever one was", async () => {
      await aLongAnswer();
      await log(ann).evaluate((box) => box.scrollTo(0, 0));
      await ann.getByRole("button", { name: "Jump to the latest message" }).waitFor();
      await write("And now?");
      await answer("heard: And now?").waitFor();
      await expect.poll(below, { timeout: PATIENCE_MS }).toBeLessThan(2);
    });

    test("who reads further up stays there while an answer comes", async () => {
      let finish = (): void => {};
      const gate = new Promise<void>((resolve) => {
        finish = resolve;
      });
      await aLongAnswer();
      gateway.play = (said) => (said === "Wait." ? { text: ["I wait.", " Now it is here."], gate } : null);
      await write("Wait.");
      await answer("I wait.").waitFor();
      await log(ann).hover();
      await ann.mouse.wheel(0, -1_500);
      await expect.poll(below, { timeout: PATIENCE_MS }).toBeGreaterThan(1_000);
      finish();
      await answer("Now it is here.").waitFor();
      expect(await below()).toBeGreaterThan(1_000);
    });

    test("the answer to a picture is seen, and a file beside it is not as high as it", async () => {
      await aLongAnswer();
      const buffer = readFileSync(PICTURE);
      await ann.getByLabel("Files", { exact: true }).setInputFiles([
        { name: "cat.png", mimeType: "image/png", buffer },
        { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("milk") },
      ]);
      await ann.getByRole("list", { name: "Files to send" }).waitFor();
      await write("What is it?");
      await answer(/^heard: What is it\?/).waitFor();
      const picture = log(ann).getByRole("img", { name: "cat.png" });
      await expect
        .poll(() => picture.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth), {
          timeout: PATIENCE_MS,
        })
        .toBe(512);
      await expect.poll(below, { timeout: PATIENCE_MS }).toBeLessThan(2);
      const card = await log(ann).locator("a.file").boundingBox();
      expect(card?.height).toBeLessThan(60);
    });

    test("Baton's words keep their lines, and a model's are joined", async () => {
      gateway.play = () => ({ text: "One line\nand another." });
      await write("Lines.");
      await answer("and another.").waitFor();
      await write("/status");
      const notice = log(ann).getByLabel("From Baton").last();
      await notice.locator("br").first().waitFor({ state: "attached" });
      expect(await log(ann).getByRole("article", { name: "Answer" }).first().locator("br").count()).toBe(0);
    });

    test("files are dropped anywhere in a chat, and nowhere else does the browser leave the page for them", async () => {
      expect(await drag("dragover", ".log")).toBe(true);
      await ann.getByText("Drop files here").waitFor();
      await accessible(ann, "files over a chat");
      expect(await drag("drop", ".log")).toBe(true);
      await ann.getByText("Drop files here").waitFor({ state: "detached" });
      const files = ann.getByRole("list", { name: "Files to send" });
      await files.getByText("list-0.txt").waitFor();
      for (const kind of ["dragover", "drop"] as const) expect(await drag(kind, ".side")).toBe(true);
      expect(await files.getByRole("listitem").count()).toBe(1);
      expect(await ann.getByText("Drop files here").count()).toBe(0);
    });

    test("short news stands above the field", async () => {
      await drag("drop", ".log", 40);
      const toast = ann.locator(".toast").last();
      await toast.waitFor();
      const [news, form] = await Promise.all([toast.boundingBox(), ann.locator(".composer").boundingBox()]);
      expect((news?.y ?? 0) + (news?.height ?? 0)).toBeLessThanOrEqual(form?.y ?? 0);
    });

    test("what is written from right to left stands on the right, with the signs of its lists", async () => {
      gateway.play = () => ({
        text: "שלום עולם.\n\n- אחת\n- שתיים\n\nAnd English.\n\n| א | b |\n|---|---|\n| ב | c |",
      });
      await write("שלום!");
      await answer("And English.").waitFor();
      const isRightToLeft = async (place: Locator): Promise<boolean> =>
        (await place.and(ann.locator(":dir(rtl)")).count()) === 1;
      const said = log(ann).getByRole("article", { name: "Answer" }).last();
      for (const place of [said.locator("p").first(), said.locator("li").first(), said.locator("th").first()])
        expect(await isRightToLeft(place)).toBe(true);
      for (const place of [answer("And English."), said.locator("th").last()])
        expect(await isRightToLeft(place)).toBe(false);
      expect(await isRightToLeft(log(ann).locator(".own .bubble").last())).toBe(true);
    });

    test("the list of commands has no backticks", async () => {
      await field(ann).fill("/");
      const offers = ann.getByRole("listbox", { name: "Commands" });
      await offers.waitFor();
      for (const letter of "abcdefghijklmnopqrstuvwxyz") {
        await field(ann).fill(`/${letter}`);
        for (const text of await offers.getByRole("option").allInnerTexts()) expect(text).not.toContain("`");
      }
    });

    test("an answer that failed says why once, and can be tried again there", async () => {
      let isBroken = true;
      gateway.play = () =>
        isBroken
          ? { status: 400, message: "No such thing.", type: "invalid_request_error" }
          : { text: "Now it works." };
      await write("Try.");
      await log(ann).getByRole("button", { name: "Retry" }).waitFor();
      await log(ann).getByRole("alert").waitFor({ state: "detached" });
      expect(await log(ann).getByText("No such thing.").count()).toBe(1);
      await accessible(ann, "an answer that failed");
      isBroken = false;
      await log(ann).getByRole("button", { name: "Retry" }).click();
      await answer("Now it works.").waitFor();
    });
  },
);
