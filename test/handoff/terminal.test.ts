/** What a person sees in the terminal while a conversation leaves it: `baton chat` in a PTY, a gateway beside it. */
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OpenGateway } from "../../src/open-gateway.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { makeHome } from "../support/baton.js";
import { telegramBeside } from "../support/telegram-beside.js";
import { killAll, type PtyChat, pty } from "../terminal/pty-chat.js";
import { startChat } from "./terminal-side.js";

describe.skipIf(pty === null)("the terminal", () => {
  let home: string;
  let open: OpenGateway | null = null;
  let there: ScriptedAdapter;
  /** What is sent waits for this. */
  let sending: Promise<void>;
  let arrive: () => void;

  beforeEach(() => {
    home = makeHome();
    sending = Promise.resolve();
    arrive = () => {};
  });
  afterEach(async () => {
    killAll();
    arrive();
    await open?.close({ drainMs: 0 });
    open = null;
  });

  /** A gateway in this process that has Telegram. */
  async function serve(): Promise<void> {
    there = new ScriptedAdapter({ platform: "telegram", account: "bot", onSend: () => sending });
    open = await telegramBeside(home, there);
    await open.gateway.homes.set({ address: { platform: "telegram", chatId: "ann" }, name: "Ann's phone" });
  }

  const start = (): Promise<PtyChat> => startChat(home, { columns: 80, rows: 24 });
  /** The line that is being written, and the status under it. */
  const foot = (chat: PtyChat): readonly string[] => chat.vt.text().split("\n").slice(-2);
  /** What is on the screen from that line on. */
  const from = (chat: PtyChat, line: string): string =>
    chat.vt.text().slice(chat.vt.text().lastIndexOf(line)).trim();

  test("counts the seconds while the conversation moves, says where it is, and leaves", async () => {
    await serve();
    const chat = await start();
    await chat.see("hello\r", "You said “hello”.");
    sending = new Promise((resolve) => {
      arrive = resolve;
    });
    await chat.see("/handoff telegram\r", "moving to telegram:ann, ");
    await chat.until(() => /, [1-9]\d* s of 60 /.test(chat.vt.text()));
    expect(from(chat, "› /handoff")).toMatch(
      /^› \/handoff telegram\n\nMoving to Telegram, Ann's phone …\n\n›\nmoving to telegram:ann, \d+ s of 60(?: · hello)? · offline · \S+ tokens \(\+\S+\)$/,
    );
    arrive();
    expect(await chat.exited).toBe(0);
    expect(from(chat, "› /handoff")).toBe(
      [
        "› /handoff telegram",
        "",
        "Moving to Telegram, Ann's phone …",
        "",
        "Moved to Telegram, DM with ann (telegram:ann). Continue there. To bring it",
        "back, send /resume here.",
      ].join("\n"),
    );
    expect(chat.vt.foreign).toEqual([]);
  });

  test("lets the answer that is being made come to its end here, and then leaves", async () => {
    await serve();
    const work = join(home, "..", "work");
    const go = join(work, "go"); // The command waits for the other end of it.
    expect(spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', go]).status).toBe(0);
    const chat = await startChat(home, { columns: 80, rows: 24, folder: work });
    await chat.see("run read -r word <go; echo watered $word\r", "Running that in the terminal.");
    await chat.see("/handoff telegram:ann\r", "will move to telegram:ann after this answer");
    expect(foot(chat)).toEqual([
      "›",
      expect.stringMatching(/ · will move to telegram:ann after this answer · offline/),
    ]);
    await writeFile(go, "twice\n");
    expect(await chat.exited).toBe(0);
    expect(from(chat, "It moves").replaceAll("\n", " ")).toMatch(
      /^It moves to Telegram \(telegram:ann\) when the current answer is done\. .*The terminal says:.* watered twice .*Moved to Telegram, DM with ann \(telegram:ann\)\./,
    );
    const told = there.sent.map(({ text }) => text);
    expect(told[0]).toMatch(/ continues here: 4 messages, moved from the terminal\. Just keep writing\.$/);
  });

  test("says why it could not go, and goes on", async () => {
    await serve();
    there.there.gone.add("nobody");
    const chat = await start();
    await chat.see("/handoff telegram:nobody\r", "stays here.");
    await chat.until(() => foot(chat)[1]?.startsWith("offline") === true);
    expect(from(chat, "Moving to").split("\n")).toEqual([
      "Moving to Telegram (telegram:nobody) …",
      "",
      "The handoff to telegram:nobody failed: I am not in that chat, or it does not",
      "exist. The conversation stays here.",
      "",
      "›",
      expect.stringMatching(/^offline/),
    ]);
    await chat.see("still here\r", "You said “still here”.");
  });

  test("completes the places, and lists them", async () => {
    await serve();
    const chat = await start();
    // All in one go: the places come only after the last key.
    await chat.see("/handoff t", "Ann's phone");
    chat.type("\t");
    await chat.until(() => /^› \/handoff telegram ?$/m.test(chat.vt.text()));
    chat.type("\u0015"); // Nothing is written any more.
    await chat.see("/handoff", "move this conversation to another chat");
    await chat.see("\r", "can go to");
    expect(from(chat, "This conversation")).toMatch(
      /^This conversation can go to:\n\n• \/handoff telegram: Ann's phone\n\n›/,
    );
  });

  test("says so where nobody is there to take it", async () => {
    const chat = await start();
    await chat.see("/handoff telegram:ann\r", "gateway status.");
    expect(from(chat, "Telegram is").split("\n\n")[0]?.replaceAll("\n", " ")).toBe(
      "Telegram is not connected now, so nothing was moved. Start it with baton gateway, or check it with baton gateway status.",
    );
    await chat.see("/handoff\r", "There is nowhere to move it yet");
  });
});
