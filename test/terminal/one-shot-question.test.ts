/** A question while `baton "…"` runs in a terminal: a key or a word answers it; without a terminal it is refused at once. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeHome } from "../support/baton.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";

const MAIN = new URL("../../dist/main.js", import.meta.url).pathname;

afterEach(killAll);

/** `input`: what the shell does with the input of the command. */
function ask(input = ""): { chat: PtyChat; made: string } {
  const home = makeHome();
  const work = join(home, "..", "work");
  const config = {
    agent: { provider: "offline" },
    tools: { terminal: { sandbox: "off" }, ask: ["terminal"] },
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
  const env = `BATON_HOME='${home}' HOME='${join(home, "..")}'`;
  const shell = `cd '${work}' && ${env} '${process.execPath}' '${MAIN}' 'run touch made.txt' ${input}; echo "code $?"; stty -a`;
  return { chat: new PtyChat({ columns: 100, rows: 40, shell }), made: join(work, "made.txt") };
}

/** Its keys are there once they count. */
async function readQuestion(chat: PtyChat): Promise<void> {
  await chat.until(() => chat.vt.text().includes("waiting for you: y / n"));
}

describe.skipIf(!pty)("a question of a one-shot", () => {
  test("is answered by a word", async () => {
    const { chat, made } = ask();
    await readQuestion(chat);
    await chat.see("not so fast\r", "waiting for you: y / n not so fast\nterminal");
    chat.type("yes\r");
    await chat.until(() => chat.vt.text().includes("code 0"));
    expect(existsSync(made)).toBe(true);
  });

  test("is answered by one key", async () => {
    const { chat, made } = ask();
    chat.type("n"); // Typed before there was a question.
    await readQuestion(chat);
    expect(existsSync(made)).toBe(false);
    chat.type("y");
    await chat.until(() => chat.vt.text().includes("code 0"));
    expect(chat.vt.text()).toContain(
      'waiting for you: y / n y\nApproved: `terminal command: "touch made.txt"`.',
    );
    expect(existsSync(made)).toBe(true);
    await chat.until(() => / icanon /.test(chat.vt.text())); // The shell has its terminal back.
    expect(chat.vt.foreign).toEqual([]);
  });

  test("is not answered by what was typed before it could be read, also if the process reads that late", async () => {
    const typed = join(makeHome(), "typed");
    const child = new URL("./late-keys-child.ts", import.meta.url).pathname;
    const shell = `'${process.execPath}' --import tsx '${child}' '${typed}'; read -r _`; // Until its words were read.
    const chat = new PtyChat({ columns: 100, shell });
    await chat.see("", "waiting for you:");
    chat.type("y\r");
    writeFileSync(typed, "");
    await readQuestion(chat);
    await chat.see("n\r", "pressed /deny");
    expect(chat.vt.text()).not.toContain("/approve");
  });

  test("is taken away by Ctrl-C", async () => {
    const { chat, made } = ask();
    await readQuestion(chat);
    chat.type("\u0003");
    await chat.until(() => chat.vt.text().includes("code 130"));
    await chat.until(() => / icanon /.test(chat.vt.text()));
    expect(existsSync(made)).toBe(false);
  });

  test("is refused at once without a terminal, and the refusal says how to allow it", async () => {
    const { chat, made } = ask("< /dev/null");
    await chat.until(() => chat.vt.text().includes("code 0"));
    expect(chat.vt.text().replace(/\n/g, "")).toContain(
      "To allow it, ask for it in a chat (`baton` opens one)",
    );
    expect(existsSync(made)).toBe(false);
  });
});
