/**
 * The first minutes of a chat in terminals of several sizes and kinds: a greeting, code, a question that one key answers,
 * and the return. A terminal that can only print gets no escape sequence at all; one without colours gets none.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "../support/baton.js";
import { ModelServer } from "../support/model-server.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";

const MAIN = new URL("../../dist/main.js", import.meta.url).pathname;
const CTRL_D = "\u0004";
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
  server = await ModelServer.start(({ body }) => {
    const last = body.messages.at(-1);
    if (last.role === "tool") return { text: "I did it." };
    if (JSON.stringify(last.content).includes("code")) return { text: [...CODE] };
    return { calls: [{ name: "terminal", arguments: JSON.stringify({ command: "touch made.txt" }) }] };
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

    chat.type("do it\r");
    await see(chat, /waiting for you: y \/ n \/ a\(lways here\)/i);
    expect(words(chat)).toContain("touch made.txt");
    expect(existsSync(join(work, "made.txt"))).toBe(false);
    chat.type(isPlain ? "y\r" : "y");
    await see(chat, /Approved: `?terminal command: "touch made\.txt"`?\./);
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
