/** What happens in a turn is seen in a real chat: output while it is printed, retries, the model and what it used. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeHome } from "../support/baton.js";
import { ModelServer } from "../support/model-server.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";
import { realShell } from "./real-chat.js";

const MAIN = new URL("../../dist/main.js", import.meta.url).pathname;
const CTRL_O = "\u000f";

afterEach(killAll);

async function chatWith(agent: object): Promise<{ chat: PtyChat; work: string }> {
  const home = makeHome();
  const work = join(home, "..", "work");
  const config = { agent: { workdir: work, ...agent }, tools: { terminal: { sandbox: "off" } } };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
  const env = `BATON_HOME='${home}' HOME='${join(home, "..")}'`;
  const shell = `cd '${work}' && ${env} '${process.execPath}' '${MAIN}' chat`;
  return { chat: await PtyChat.start({ columns: 80, rows: 24, shell }), work };
}

describe.skipIf(!pty)("in a chat", () => {
  test("output is seen while the command prints it, then folded, and whole again by Ctrl-O", async () => {
    const { chat, work } = await chatWith({});
    const pipe = join(work, "pipe");
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', pipe]);
    chat.type("run cat pipe\r");
    const writer = await open(pipe, "w"); // It waits until `cat` reads.
    await writer.write("alpha\n10%\r\u001b[31m20%\u001b[0m");
    await chat.until(() => /→ terminal cat pipe\n {2}alpha\n {2}20%\n/.test(chat.vt.text()));
    await writer.write(`\n${Array.from({ length: 30 }, (_, n) => `row ${n}`).join("\n")}\n`);
    await chat.until(() => / {2}row 29\n.*32 lines \(Ctrl-O shows more\)/.test(chat.vt.text()));
    expect(chat.vt.text()).not.toContain("row 24");
    await chat.see(CTRL_O, "row 20");
    await writer.close();
    await chat.until(() => chat.vt.text().includes("The terminal says"));
    await chat.until(() => /\(Ctrl-O shows all\)/.test(chat.raw));
    const seen = chat.raw.length;
    chat.type(CTRL_O);
    await chat.until(() => /row 15\b[\s\S]*row 16\b/.test(chat.raw.slice(seen)));
    await chat.see(CTRL_O, "Nothing is folded.");
  });

  test("a retry is counted down, and the foot tells the model that answered and what it used", async () => {
    const server = await ModelServer.start();
    try {
      const usage = { input: 1_000, output: 200 };
      let goOn: () => void = () => {};
      const wasSeen = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      server.script = async ({ body }, number) => {
        if (number === 1) return { status: 429, headers: { "retry-after": "1" } };
        await wasSeen;
        return { text: "Here.", usage, model: body.model === "auto" ? "big-7b" : body.model };
      };
      const prices = { "model-a": { input: 3, output: 15 }, "big-7b": { input: 1, output: 1 } };
      const { chat } = await chatWith({
        ...{ provider: "openai", baseUrl: server.url, model: "model-a", prices },
      });
      chat.type("hello\r");
      // A slow machine may draw it first when the second is over.
      await chat.until(() =>
        /is rate-limiting you \(429\): trying again(?: in 1 s)? \(2 of 4\)/.test(chat.raw),
      );
      goOn();
      await chat.until(() =>
        /model-a · [\d.]+k tokens \(\+1\.2k\) · \$[\d.]+ \(\+\$0\.006\)/.test(chat.vt.text()),
      );
      await chat.see("/model auto\r", "auto ·"); // At once, and without the figures of another model's name.
      chat.type("again\r");
      await chat.until(() => /auto → big-7b · [\d.]+k tokens \(\+1\.2k\)/.test(chat.vt.text()));
    } finally {
      await server.close();
    }
  });
});

describe.skipIf(!pty)("while `baton` answers one question in a terminal", () => {
  /** A question of a shell; `to`: where its answer and the rest go. */
  async function oneShot(
    server: ModelServer,
    to: string,
    env = {},
  ): Promise<{ seen: PtyChat; work: string }> {
    const home = makeHome();
    const work = join(home, "..", "work");
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(work, "pipe")]);
    const prices = { "model-a": { input: 3, output: 15 } };
    const config = {
      agent: { workdir: work, provider: "openai", baseUrl: server.url, model: "model-a", prices },
      ...{ tools: { terminal: { sandbox: "off" } }, memory: { titles: "words" } },
    };
    writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
    const line = `cd '${work}' && $BATON "hello" ${to}; echo "ended $?"; read -r _`; // Until it was read.
    return { seen: new PtyChat({ columns: 80, rows: 24, shell: realShell(home, line, env) }), work };
  }
  const usage = { input: 1_000, output: 200 };
  const command = { name: "terminal", arguments: JSON.stringify({ command: "cat pipe" }) };
  /** It is limited first, then runs a command, then answers. */
  const script: ModelServer["script"] = (_, number) => {
    if (number === 1) return { status: 429, headers: { "retry-after": "1" } };
    return number === 2 ? { calls: [command], usage } : { text: "Here.", usage };
  };
  const COUNTDOWN = "is rate-limiting you (429): trying again in 1 s (2 of 4)";
  const USED = "model-a · 2.4k tokens · $0.012";

  test("one line shows the countdown and the running command, and what it used stands below the answer", async () => {
    const server = await ModelServer.start(script);
    try {
      const { seen, work } = await oneShot(server, "");
      await seen.until(() => seen.raw.includes(COUNTDOWN));
      const writer = await open(join(work, "pipe"), "w"); // It waits until `cat` reads.
      await writer.write("alpha\n10%\r20%");
      await seen.until(() => /20%$/.test(seen.vt.text()));
      await writer.close();
      await seen.until(() => seen.raw.includes("ended 0"));
      expect(seen.raw).toContain(`\u001b[2m${USED}\u001b[22m`);
      const shown = ["→ terminal cat pipe", "Exit code 0.", "… 4 more lines", "Here.", USED, "ended 0"];
      expect(seen.vt.text().split("\n")).toEqual(shown);
      expect(seen.vt.foreign).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test.each([
    ["TERM=dumb", "", { TERM: "dumb" }],
    ["ui.plain", "", { BATON_UI_PLAIN: "true" }],
    ["a file for stderr", "2> said; cat said", {}],
    ["--json", "--json", {}],
  ])("with %s, nothing is written over", async (_, to, env) => {
    const server = await ModelServer.start(script);
    try {
      const { seen, work } = await oneShot(server, to, env);
      const writer = await open(join(work, "pipe"), "w");
      await writer.write("alpha\n");
      await writer.close();
      await seen.until(() => /ended \d/.test(seen.raw));
      expect(seen.raw).not.toContain("\u001b");
      const isWatched = to === "";
      expect(seen.raw.includes(USED)).toBe(isWatched);
      expect(seen.raw.split(COUNTDOWN)).toHaveLength(to === "--json" ? 1 : 2);
    } finally {
      await server.close();
    }
  });
});
