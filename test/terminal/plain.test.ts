/** With `ui.plain`, no command writes over what it has written, and the chat is plain lines. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeHome } from "../support/baton.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";
import { realShell } from "./real-chat.js";

afterEach(killAll);

async function backup(env: Readonly<Record<string, string>>): Promise<string> {
  const home = makeHome();
  const chat = `$BATON "hello" > /dev/null 2>&1 < /dev/null`;
  const backedUp = `$BATON backup '${join(home, "..", "copy.db")}'; echo "code $?"; read -r _`; // Until it was read.
  const shell = realShell(home, `${chat}; ${backedUp}`, { BATON_AGENT_PROVIDER: "offline", ...env });
  const terminal = new PtyChat({ columns: 100, rows: 24, shell });
  await terminal.until(() => /code \d/.test(terminal.raw));
  expect(terminal.raw).toContain("code 0");
  return terminal.raw;
}

describe.skipIf(!pty)("what a command prints while it works", () => {
  test("is one line that is drawn again, or with ui.plain nothing", async () => {
    expect(await backup({})).toContain("\r\u001b[2K");
    const plain = await backup({ BATON_UI_PLAIN: "true" });
    expect(plain).not.toContain("\u001b[2K");
    expect(plain).toContain("copy.db");
  });
});

describe.skipIf(!pty)("a plain chat", () => {
  test("saves what was typed, and leaves with /exit", async () => {
    const home = makeHome();
    const env = { BATON_AGENT_PROVIDER: "offline", BATON_UI_PLAIN: "true" };
    const chat = new PtyChat({ columns: 100, shell: realShell(home, "exec $BATON", env) });
    await chat.until(() => /^>$/m.test(chat.vt.text()));
    chat.type("hello\\\rthere\r");
    await chat.until(() => /^Done\. .* tokens \(\+.*\n>$/m.test(chat.vt.text()));
    chat.type("/exit\r");
    expect(await chat.exited).toBe(0);
    expect(readFileSync(join(home, "history"), "utf8")).toBe('"hello\\nthere"\n"/exit"\n');
    expect(chat.vt.foreign).toEqual([]);
  });
});
