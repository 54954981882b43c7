/** Questions before dangerous calls, answered in a real chat: by a key, by a word, and by a word with a number. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeHome } from "../support/baton.js";
import { ModelServer } from "../support/model-server.js";
import { killAll, type PtyChat, pty } from "./pty-chat.js";
import { realChat } from "./real-chat.js";

const KEYS = "waiting for you: y / n / a(lways here)\n›";

afterEach(killAll);

/** A chat in which each command has to be approved. */
async function asking(env: Readonly<Record<string, string>> = { BATON_AGENT_PROVIDER: "offline" }) {
  const home = makeHome();
  const tools = { terminal: { sandbox: "off" }, ask: ["terminal"] };
  writeFileSync(join(home, "config.yaml"), JSON.stringify({ tools, memory: { titles: "words" } }), {
    mode: 0o600,
  });
  const made = (name: string): boolean => existsSync(join(home, "..", "work", name));
  return { chat: await realChat(home, "", env), made };
}

/** What a person reads, wherever the lines break. */
const words = (chat: PtyChat): string => chat.vt.text().replace(/\s+/g, " ");

describe.skipIf(!pty)("in a chat", () => {
  test("a allows always, and the same call is not asked about again", async () => {
    const { chat, made } = await asking();
    await chat.see("run touch made.txt\r", KEYS);
    expect(made("made.txt")).toBe(false);
    chat.type("a");
    await chat.until(() => words(chat).includes("Approved, now and always in this chat:"));
    await chat.see("", "The terminal says");
    expect(made("made.txt")).toBe(true);
    const asked = chat.raw.split("Allow? y / n").length;
    chat.type("run touch made.txt\r");
    await chat.until(() => words(chat).split("The terminal says").length === 3);
    expect(chat.raw.split("Allow? y / n")).toHaveLength(asked);
  });

  test("a word answers, and a text that only begins like one does not", async () => {
    const { chat, made } = await asking();
    await chat.see("run touch made.txt\r", KEYS);
    await chat.see("/status\r", "waiting for you (yes 1 or no 1)");
    await chat.see("yes 1\r", "The terminal says");
    expect(made("made.txt")).toBe(true);
    await chat.see("run touch other.txt\r", KEYS);
    await chat.see("are you sure?\r", "You said “are you sure?”");
    expect(made("other.txt")).toBe(false);
    expect(words(chat)).not.toContain("always in this chat");
  });

  test("of two questions, a word with a number answers that one, and a key the one that is shown", async () => {
    const server = await ModelServer.start();
    try {
      const call = (name: string) => ({
        name: "terminal",
        arguments: JSON.stringify({ command: `touch ${name}` }),
      });
      server.script = (_, number) =>
        number === 1 ? { calls: [call("one.txt"), call("two.txt")] } : { text: "Both were asked." };
      const { chat, made } = await asking({
        ...{ OPENAI_API_KEY: "sk-canary-0123456789", OPENAI_BASE_URL: server.url },
      });
      await chat.see("do both\r", "question 1, 1 of 2:");
      await chat.see("", KEYS);
      chat.type("yes 2\r");
      await chat.until(() => /Approved: `?terminal command: "touch two/.test(words(chat)));
      await expect.poll(() => made("two.txt")).toBe(true);
      await chat.see("", KEYS);
      await chat.see("n", "Both were asked.");
      expect(made("one.txt")).toBe(false);
    } finally {
      await server.close();
    }
  });
});
