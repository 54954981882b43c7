/**
 * The first minutes of a chat in terminals of several sizes and kinds: a greeting, code, the menu and the search, a server
 * that is waited for, a stop, a question that one key answers, what a command prints, and the return. A terminal that can only print gets no escape sequence at all; one without colours gets none.
 */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "../support/baton.js";
import { ModelServer } from "../support/model-server.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";

const MAIN = new URL("../../dist/main.js", import.meta.url).pathname;
const [CTRL_C, CTRL_D, CTRL_R, CTRL_U, ESC] = ["\u0003", "\u0004", "\u0012", "\u0015", "\u001b"];
const SEQUENCES = /\u001b\[[0-9;?]*[A-Za-z]/g;
const COMMAND = "touch made.txt; cat pipe";
const CODE = "Here:\n\n```ts\nconst answer = 42; // of all\n```\n\nThat is it.";

const SIZES = [
  { columns: 40, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
];
const KINDS = {
  colour: { env: "TERM=xterm-256color", isPlain: false },
  "no colour": { env: "TERM=xterm-256color NO_COLOR=1", isPlain: false },
  dumb: { env: "TERM=dumb", isPlain: true },
  "screen reader": { env: "TERM=xterm-256color BATON_UI_PLAIN=true", isPlain: true },
} as const;
/** A screen reader's lines are those of a dumb terminal: one size is enough. */
const CASES = SIZES.flatMap((size) =>
  Object.entries(KINDS)
    .filter(([kind]) => kind !== "screen reader" || size.columns === 80)
    .map(([kind, how]) => ({ name: `${size.columns}×${size.rows}, ${kind}`, ...size, ...how, kind })),
);

let server: ModelServer;
beforeAll(async () => {
  let isLimited = false;
  server = await ModelServer.start(({ body }) => {
    const last = body.messages.at(-1);
    const said = JSON.stringify(last.content);
    if (last.role === "tool") return { text: "I did it." };
    if (said.includes("code")) return { text: [...CODE] };
    if (said.includes("talk")) return { text: "Well,", ending: "silence" };
    if (said.includes("hurry")) {
      isLimited = !isLimited;
      return isLimited ? { status: 429, headers: { "retry-after": "1" } } : { text: "Here I am." };
    }
    return { calls: [{ name: "terminal", arguments: JSON.stringify({ command: COMMAND }) }] };
  });
});
afterAll(() => server.close());
afterEach(killAll);

describe.skipIf(!pty)("the first minutes", () => {
  test.each(CASES)("$name", async ({ columns, rows, env, isPlain, kind }) => {
    const home = makeHome();
    const work = join(home, "..", "work");
    const config = {
      agent: { workdir: work, provider: "openai", baseUrl: server.url, model: "model-a" },
      memory: { titles: "words" },
      tools: { terminal: { sandbox: "off" }, ask: ["terminal"] },
    };
    writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
    const shell = `cd '${work}' && exec env ${env} BATON_HOME='${home}' HOME='${join(home, "..")}' '${process.execPath}' '${MAIN}'`;
    /** What a person reads, wherever the lines break. */
    const words = (chat: PtyChat) => chat.vt.text().replace(/\s+/g, " ");
    const see = (chat: PtyChat, text: string | RegExp) =>
      chat.until(() => (typeof text === "string" ? words(chat).includes(text) : text.test(words(chat))));
    /** The line of the person, on which nothing stands. */
    const isReady = isPlain ? "> ?$" : "› (?!working|waiting)";
    const PROMPT = isPlain ? /> ?$/ : /› /;

    const chat = new PtyChat({ columns, rows, shell });
    await see(chat, "Welcome to Baton.");
    await see(chat, PROMPT);
    expect(words(chat)).toMatch(/`?model-a`? answers/);
    expect(chat.vt.text().match(/^• /gm)).toHaveLength(3);

    chat.type("show code\r");
    await see(chat, isPlain ? /That is it\. Done\. model-a.*> ?$/ : /That is it\. › (?!working)/);
    if (kind === "colour")
      expect(chat.raw).toContain("\u001b[35mconst\u001b[0m answer = \u001b[33m42\u001b[0m");
    else expect(words(chat)).toContain("```ts const answer = 42; // of all ```");

    if (!isPlain) {
      chat.type("/stat");
      await see(chat, /› \/stat \/status /);
      chat.type(`${CTRL_U}${CTRL_R}sho`);
      await see(chat, "› show code search: sho");
      chat.type(ESC);
      await chat.until(() => /^› *$/m.test(chat.vt.text()));
    }

    chat.type("hurry\r");
    const limited = /is rate-limiting you \(429\): trying again in 1 s \(2 of 4\)/;
    await chat.until(() => limited.test(chat.raw.replace(SEQUENCES, "").replace(/\s+/g, " "))); // It does not stay.
    await see(chat, new RegExp(`Here I am\\..*${isReady}`));
    if (!isPlain) expect(words(chat)).not.toContain("rate-limiting");

    chat.type("talk\r");
    if (isPlain) await see(chat, /talk Baton is working\./);
    else await see(chat, "Well,");
    await expect.poll(() => JSON.stringify(server.requests.at(-1)?.body.messages.at(-1))).toContain("talk");
    chat.type(CTRL_C);
    await see(chat, isPlain ? /Stopped\..*> ?$/ : new RegExp(`■ stopped.*${isReady}`));

    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(work, "pipe")]);
    chat.type("do it\r");
    await see(chat, /waiting for you: y \/ n \/ a\(lways here\)/i);
    expect(words(chat)).toContain(COMMAND);
    expect(existsSync(join(work, "made.txt"))).toBe(false);
    chat.type(isPlain ? "y\r" : "y");
    const writer = await open(join(work, "pipe"), "w"); // It waits until the command reads.
    await writer.write("alpha\n");
    if (!isPlain) await see(chat, "alpha"); // In plain lines, a result comes whole.
    await writer.close();
    await see(chat, /Approved: `?terminal command: "touch made\.txt; cat pipe"`?\./);
    await see(
      chat,
      isPlain ? /I did it\..* Done\. .*> ?$/ : /I did it\.(?: Approved: .*)? › (?!working|waiting)/,
    );
    expect(existsSync(join(work, "made.txt"))).toBe(true);
    chat.type(CTRL_D);
    expect(await chat.exited).toBe(0);

    const again = new PtyChat({ columns, rows, shell });
    await see(again, /just now\. You: do it Baton: I did it\. /);
    await see(again, PROMPT);
    again.type(CTRL_D);
    expect(await again.exited).toBe(0);

    for (const { raw, vt } of [chat, again]) {
      expect(vt.foreign).toEqual([]);
      if (isPlain) expect(raw).toMatch(/^\w[^\u001b]*$/);
      if (kind === "no colour") expect(raw).not.toMatch(/\u001b\[[0-9;]*m/);
    }
  });
});
