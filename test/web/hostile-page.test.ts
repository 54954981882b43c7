/**
 * What a real browser makes of hostile text, wherever the page shows what somebody else wrote. Each text would tell on itself
 * if the browser took any of it for markup; each is also seen as the plain text that it is. The page does not even try to
 * make markup of it: the browser's policies would tell. The tests at the end look at all that those before them left.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { baton } from "../support/baton.js";
import { findChromium, withoutChromium } from "../support/chromium.js";
import {
  BAD_ADDRESSES,
  HOSTILE_FILES,
  hostileName,
  hostileText,
  RAW_HTML,
  shownName,
} from "../support/hostile-page.js";
import { HostileWorld } from "../support/hostile-world.js";
import { ANN } from "../support/page-gateway.js";

const EVE = 100_666;
const ZOE = 100_777;
const GATEWAY_PLACES = [
  ...["", "/platforms", "/people", "/turns", "/inbox", "/outbox", "/outbox/failed", "/outbox/unknown"],
  ...["/schedules", "/processes", "/logs", "/settings", "/health"],
];
const VIEWS = [
  ...["/", "/jobs", "/processes", "/memory", "/usage", "/devices"],
  ...GATEWAY_PLACES.map((place) => `/gateway${place}`),
];

describe.skipIf(findChromium() === null)(
  `hostile text in the page${withoutChromium()}`,
  { timeout: 240_000 },
  () => {
    let world: HostileWorld;
    const called = { name: hostileName("Ann") };

    beforeAll(async () => {
      world = await HostileWorld.start();
    });
    afterAll(() => world?.close());
    afterEach(() => world.isUnharmed());

    test("names of people", async () => {
      const { ann, main, gateway } = world;
      await world.open("/");
      await world.shows(ann.locator(".person"), shownName("Ann"));
      await gateway.writes(ZOE, "Let me in.");
      const code = () => /\b[2-9A-HJ-NP-Z]{8}\b/.exec(gateway.told(ZOE).join("\n"))?.[0];
      await gateway.telegram.until(() => code() !== undefined);
      const words = ["people", "approve", code() ?? "", "--role", "member", "--name", hostileName("Zoe")];
      expect(await baton(gateway.home, words)).toMatchObject({ code: 0 });
      await world.writes(ZOE, "Hello from Zoe.", { name: hostileName("Zoe") });
      await world.open("/gateway/people");
      await world.shows(main, shownName("Zoe"));
      await world.open("/usage");
      await main.locator("select", { hasText: "Person" }).selectOption("person");
      await world.shows(main, shownName("Zoe"));
      await world.open("/devices");
      await world.shows(main, shownName("Ann"));
    });

    test("who asks to be let in", async () => {
      const { ann, main, dialog, gateway } = world;
      await gateway.writes(EVE, "Let me in.", { name: hostileName("Eve") });
      await gateway.telegram.until(() => gateway.told(EVE).length > 0);
      await world.open("/gateway/people");
      await world.shows(main, shownName("Eve"));
      await main.getByRole("button", { name: "Deny" }).click();
      await world.shows(dialog, shownName("Eve"));
      await world.isUnharmed();
      await dialog.getByRole("button", { name: "Deny" }).click();
      const toast = ann.locator(".toast", { hasText: "was turned away." });
      await world.shows(toast, shownName("Eve"));
    });

    test("messages of a person, from the page and from elsewhere", async () => {
      const { log, list } = world;
      await world.open("/");
      await world.say(`${hostileText("person")}\n${RAW_HTML.join("\n")}`);
      await world.shows(log, "heard: person <img src=/canary/person");
      for (const html of RAW_HTML) await world.shows(log.locator(".bubble"), html);
      await world.writes(ANN, hostileText("phone"), called);
      await list.getByText(shownName("Ann")).first().click();
      await world.shows(log.locator(".bubble"), hostileText("phone"));
    });

    test("titles of conversations", async () => {
      const { ann, log, list } = world;
      const end = "</title><script>alert(1)</script>";
      await world.open("/");
      await ann.getByRole("button", { name: "New chat" }).click();
      await world.asks("A chat with a title.", () => ({ text: "It gets one." }), "It gets one.");
      await world.say(`/title ${hostileName("Title")}${end}`);
      await world.shows(list, `${shownName("Title")}${end}`);
      await world.shows(ann.getByRole("heading", { level: 1 }), shownName("Title"));
      await expect.poll(() => ann.title()).toContain(shownName("Title"));
      await world.shows(log.locator(".markdown"), `${shownName("Title")}${end}`);
    });

    test("HTML in Markdown, while it streams and when it is saved", async () => {
      const { log } = world;
      await world.open("/");
      const text = RAW_HTML.flatMap((html) => [
        html,
        `in line ${html} **bold**`,
        `- ${html}`,
        `|a|\n|-|\n|${html}|`,
      ]);
      let finish = (): void => {};
      const gate = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const pieces = [...text, "That was it."].map((each) => `${each}\n\n`);
      const live = log.locator(".answer.live").last();
      const answer = log.locator(".answer").last();
      const isRead = async (): Promise<void> => {
        for (const html of RAW_HTML) await world.shows(answer, html);
        await expect.poll(() => answer.locator("strong").count()).toBe(RAW_HTML.length);
        await world.isUnharmed();
      };
      world.plays.set("HTML, please.", () => ({ text: pieces, gate }));
      await world.say("HTML, please.");
      await live.waitFor();
      await isRead();
      finish();
      await world.shows(log, "That was it.");
      await expect.poll(() => live.count()).toBe(0);
      await isRead();
    });

    test("links and pictures in Markdown", async () => {
      const { log, canary } = world;
      await world.open("/");
      const links = BAD_ADDRESSES.map((address, n) => `[bad ${n}](${address}) ![picture ${n}](${address})`);
      const good = `[good](${canary.url}) ![a cat](${canary.url}/cat.png) <${canary.url}/auto> ${canary.url}/plain [1]\n\n[1]: javascript:alert(1)`;
      const text = [...links, good, "Those were all."].join("\n\n");
      await world.asks("Links, please.", () => ({ text }), "Those were all.");
      const answer = log.locator(".answer").last();
      // These lead on, when somebody follows them, and tell nobody where from; nothing is loaded before.
      await expect.poll(() => answer.getByRole("link").count()).toBe(4);
      expect(await answer.locator("a:not([rel='noopener noreferrer'])").count()).toBe(0);
      expect(await answer.locator("img").count()).toBe(0);
      await world.shows(answer, "a cat");
      for (const n of BAD_ADDRESSES.keys()) await world.shows(answer, `[bad ${n}]`);
    });

    test("reasoning, the arguments of a tool, and its results", async () => {
      const { log, field } = world;
      await world.open("/");
      const command = `printf '%s\\n' '${hostileText("printed").replaceAll("'", "")}'`;
      const calls = [
        { name: "terminal", arguments: JSON.stringify({ command }), id: "c1" },
        { name: hostileName("tool"), arguments: hostileText("arguments"), id: "c2" },
        { name: "terminal", arguments: `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`, id: "c3" },
      ];
      const reasoning = `${hostileText("thought")}\n\n${RAW_HTML.join("\n\n")}`;
      await world.asks(
        "Use a tool.",
        (isAfter) => (isAfter ? { text: "It was used." } : { reasoning, calls }),
        "It was used.",
      );
      await log.locator(".answer:not(.live) .reasoning summary").last().click();
      await world.shows(log.locator(".reasoning"), "thought <img src=/canary/thought");
      const cards = log.locator(".answer:not(.live) details.tool");
      await expect.poll(() => cards.count()).toBe(calls.length);
      await world.shows(cards.nth(1), shownName("tool"));
      for (const card of await cards.all()) {
        await card.locator("summary").click();
        await world.shows(card, "Arguments");
      }
      await world.shows(cards.nth(0).locator(".tool-part").nth(1), "printed <img src=/canary/printed");
      await world.shows(cards.nth(1).locator(".tool-part"), "arguments <img src=/canary/arguments");
      expect(await field.isVisible()).toBe(true);
    });

    test("a question about a hostile command", async () => {
      const { log } = world;
      await world.open("/");
      const command = `rm -rf ../gone # \`\`\`\n${hostileText("asked")}`;
      const calls = [{ name: "terminal", arguments: JSON.stringify({ command }) }];
      const question = log.locator(".question").last();
      await world.asks(
        "Be dangerous.",
        (isAfter) => (isAfter ? { text: "I was not allowed to." } : { calls }),
        "Baton asks",
      );
      await world.shows(question, "asked <img src=/canary/asked");
      await world.isUnharmed();
      await question.getByRole("button", { name: "Deny" }).click();
      await world.shows(log, "I was not allowed to.");
    });

    test("names of files, and files that are opened by themselves", async () => {
      const { ann, log, list, gateway } = world;
      await world.open("/");
      const name = `${hostileName("file")}.txt`;
      const named = { name, mimeType: "text/plain", buffer: Buffer.from("a file") };
      const files = HOSTILE_FILES.map(({ text, ...file }) => ({ ...file, buffer: Buffer.from(text) }));
      const choice = ann.locator("input[type=file]");
      await choice.setInputFiles({ ...named, buffer: Buffer.alloc(0) });
      await world.shows(ann.locator(".toast", { hasText: "is empty." }), `${shownName("file")}.txt`);
      await choice.setInputFiles([named, ...files]);
      await world.shows(ann.getByRole("list", { name: "Files to send" }), `${shownName("file")}.txt`);
      await world.isUnharmed();
      await world.asks("Look at these.", () => ({ text: "I looked." }), "I looked.");
      const sent = log.locator(".own .files").last();
      await world.shows(sent, `${shownName("file")}.txt`);
      const links = sent.locator("a[href^='/api/']");
      await expect.poll(() => links.count()).toBe(1 + HOSTILE_FILES.length);
      for (const link of await links.all()) await world.opensFile(link);

      const document = {
        ...{ file_id: "f1", file_name: `${hostileName("telegram")}.html` },
        ...{ mime_type: "text/html", file_size: 40 },
      };
      gateway.telegram.files.set("f1", Buffer.from("<script>alert(1)</script>"));
      const fields = { text: undefined, caption: "A file.", document };
      await world.writes(ANN, "A file.", { ...called, fields });
      await list.getByText(shownName("Ann")).first().click();
      const arrived = log.locator(".own .files").last();
      await world.shows(arrived, `${shownName("telegram")}.html`);
      await world.opensFile(arrived.getByRole("link"));
    });

    test("jobs: their names, what they do, and what came of it", async () => {
      const { main, dialog } = world;
      await world.open("/");
      const job = { action: "create", schedule: "every day at 9", name: hostileName("Job") };
      const given = { ...job, prompt: hostileText("job") };
      const calls = [{ name: "schedule", arguments: JSON.stringify(given) }];
      await world.asks(
        "Make a job.",
        (isAfter) => (isAfter ? { text: "It is made." } : { calls }),
        "It is made.",
      );
      await world.open("/jobs");
      await world.shows(main, shownName("Job"));
      await world.shows(main, "job <img src=/canary/job");
      await main.getByRole("button", { name: "Run now" }).click();
      await main.getByRole("link", { name: shownName("Job") }).click();
      await world.shows(main, /heard: .*job <img src=\/canary\/job/s);
      await main.getByRole("button", { name: "Remove" }).click();
      await world.shows(dialog, shownName("Job"));
    });

    test("notes of the memory", async () => {
      const { ann, main, log, dialog } = world;
      await world.open("/");
      await world.say(`/memory add ${hostileText("note")}`);
      await world.shows(log, "Added note");
      await world.open("/memory");
      await world.shows(main, "note <img src=/canary/note");
      await main.getByRole("button", { name: "Forget" }).click();
      await world.shows(dialog, "note <img src=/canary/note");
      await world.isUnharmed();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await main.getByRole("button", { name: "Change" }).click();
      await expect.poll(() => ann.getByLabel("What to remember").inputValue()).toContain("note <img");
    });

    test("processes: their commands and what they print", async () => {
      const { main, dialog, ann } = world;
      await world.open("/");
      const printed = hostileText("output").replaceAll("'", "");
      const command = `printf '%s\\n' '${printed}' '\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007'; sleep 600`;
      const calls = [{ name: "terminal", arguments: JSON.stringify({ command, background: true }) }];
      await world.asks(
        "Run something.",
        (isAfter) => (isAfter ? { text: "It runs." } : { calls }),
        "It runs.",
      );
      await world.open("/processes");
      await main.getByText("output <img").first().click();
      await world.shows(main.locator(".view-command"), "output <img src=/canary/output");
      await world.shows(ann.getByRole("log", { name: "Output" }), "output <img src=/canary/output");
      await world.isUnharmed();
      await main.getByRole("button", { name: "Kill" }).click();
      await dialog.getByRole("button", { name: "Kill" }).click();
      await world.shows(main, "ended by a person");
    });

    test("what the model's server says when it fails, and what is in the log", async () => {
      await world.open("/");
      const message = hostileText("refusal");
      await world.asks(
        "Fail.",
        () => ({ status: 400, message, type: "invalid_request_error" }),
        "refusal <img",
      );
      await world.open("/gateway/logs");
      await world.shows(world.main, `message from ${shownName("Ann")}`);
    });

    test("what a search finds", async () => {
      const { ann, list, log } = world;
      await world.open("/");
      await world.asks("Say needle.", () => ({ text: hostileText("needle") }), "needle <img");
      const box = ann.getByRole("searchbox", { name: "Search all messages" });
      await box.fill("needle");
      await list
        .getByText(/needle.*<img/)
        .first()
        .click();
      await world.shows(log.locator(".sought"), "needle <img");
      await box.fill(hostileText("nothing"));
      await world.shows(list, "No message has these words.");
    });

    test("what is being answered, what waits, and what could not be sent", async () => {
      const { main, gateway } = world;
      let finish = (): void => {};
      const gate = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const asked = new Promise<void>((resolve) => {
        world.plays.set("Take your time.", () => {
          resolve();
          return { text: ["I take ", "my time."], gate };
        });
      });
      await gateway.writes(ANN, "Take your time.", called);
      await asked;
      await gateway.writes(ANN, hostileText("queued"), called);
      await world.open("/gateway/turns");
      await world.shows(main, "greeting <img");
      await world.open("/gateway/inbox");
      await world.shows(main, "queued <img");
      await world.isUnharmed();
      gateway.telegram.refusals.set("sendMessage", { code: 400, words: "Bad Request" });
      finish();
      await world.open("/gateway/outbox/failed");
      await world.shows(main, "queued <img");
      gateway.telegram.refusals.clear();
    });

    test("addresses of the page", async () => {
      const { main } = world;
      const hostile = encodeURIComponent(`<img src=x onerror=alert(1)><script>alert(1)</script>"'`);
      await world.open(`/${hostile}?${hostile}`);
      await world.shows(main, "nothing at this address");
      await world.open(`/gateway/${hostile}`);
      await world.shows(main, "no such place");
      await world.open(`/jobs/${hostile}?at=javascript:alert(1)#<img src=x onerror=alert(1)>`);
      await world.shows(main, "not there any more");
    });

    test("no view has anything that runs or loads, with all of that in it", async () => {
      const { list, log } = world;
      for (const view of VIEWS) {
        await world.open(view);
        await world.isUnharmed(view);
      }
      await world.open("/");
      const conversations = await list.getByRole("listitem").getByRole("link").all();
      const addresses = await Promise.all(conversations.map((link) => link.getAttribute("href")));
      expect(addresses.length).toBeGreaterThan(1);
      for (const address of addresses) {
        await world.open(String(address));
        await log.getByRole("article").first().waitFor();
        await world.isUnharmed(String(address));
      }
    });

    test("the browser refuses what the page would never do", async () => {
      const { chromium, gateway } = world;
      const refused = [
        "document.body.innerHTML = '<b>x</b>'",
        "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
        "document.createElement('script').text = 'pwned = 1'",
        "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
        "document.createElement('iframe').srcdoc = '<b>x</b>'",
        "trustedTypes.createPolicy('x', { createHTML: (text) => text })",
        "eval('pwned = 1')",
        "new Function('pwned = 1')",
        "setTimeout('pwned = 1')",
      ];
      const page = await (await chromium.person()).newPage();
      const forbid = chromium.allow(
        /Content Security Policy|TrustedHTML|TrustedScript|Trusted Type|trusted-types/,
        /\/api\/me/, // Nobody is signed in there.
      );
      await page.goto(gateway.url);
      for (const each of refused) {
        // As the page's own: what a debugger runs directly may call eval.
        const thrown = await page.evaluate(`new Promise((resolve) => setTimeout(() => {
        try { ${each}; resolve("nothing") } catch (error) { resolve(error.name) }
      }))`);
        expect(thrown, each).toMatch(/^(?:TypeError|EvalError)$/);
      }
      expect(await page.evaluate("typeof pwned")).toBe("undefined");
      await page.context().close();
      forbid();
    });
  },
);
