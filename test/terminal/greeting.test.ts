/** The first chat says what Baton is, whatever was done in scripts before. */
import { delimiter } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { baton, makeHome } from "../support/baton.js";
import { killAll, pty } from "./pty-chat.js";
import { realChat } from "./real-chat.js";

const env = { BATON_AGENT_PROVIDER: "offline" };

afterEach(killAll);

describe.skipIf(!pty)("the greeting", () => {
  test("comes in the first chat, also after questions from a shell, and not in the second one", async () => {
    const home = makeHome();
    await baton(home, ["roses are red"], { env });
    const first = await realChat(home, "", env);
    await first.see("", "Welcome to Baton.");
    await first.see("violets are blue\r", "You said “violets are blue”");
    first.type("/exit\r");
    expect(await first.exited).toBe(0);
    const second = await realChat(home, "", env);
    await second.see("", "You: violets are blue");
    expect(second.vt.text()).not.toContain("Welcome");
  });

  test("says how to install the command only if it is not on the PATH", async () => {
    const PATH = (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.endsWith("test/support/bin"))
      .join(delimiter);
    const bare = await realChat(makeHome(), "", { ...env, PATH });
    await bare.see("", 'To call it just "baton", in any folder, install it once: npm install -g /');
    const installed = await realChat(makeHome(), "", env);
    await installed.see("", "Three things to try:");
    await installed.see("hello\r", "You said “hello”");
    expect(installed.vt.text()).not.toContain("npm install");
  });
});
