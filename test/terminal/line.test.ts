/** The line of the real program: what it completes comes from the store and the gateway, and files reach the agent. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { baton, makeHome } from "../support/baton.js";
import { killAll, pty } from "./pty-chat.js";
import { realChat } from "./real-chat.js";

const env = { BATON_AGENT_PROVIDER: "offline" };

afterEach(killAll);

describe.skipIf(!pty)("the line of a chat", () => {
  test("completes sessions and places, and a message may begin with a path", async () => {
    const home = makeHome();
    const chat = await realChat(home, "", env);
    await chat.see("roses are red\r", "You said “roses are red”");
    await chat.see("/title Garden plans\r", 'now called "Garden plans"');
    await chat.see("/new\r", "A new session begins.");
    await chat.see("/etc/passwd is wrong\r", "You said “/etc/passwd is wrong”");
    await chat.see("/tmp is full\r", "You said “/tmp is full”");
    await chat.see("/help exit\r", "/exit: leave; the conversation stays as it is.");
    await chat.see("/stauts\r", 'There is no command /stauts. Did you mean "status"?');
    // One write: the places are not known yet when the Tab comes.
    await chat.see("/handoff l\t", "› /handoff local\n");
    await chat.see("\u0015/resume gar", "  Garden plans  2 messages");
    await chat.see("\t\r", 'Back in "Garden plans"');
    await chat.see("/new\r", 'A new session begins. "Garden plans" is saved');
    await chat.see("/resume GARDEN\r", 'Back in "Garden plans"');
    chat.type("exit\r");
    expect(await chat.exited).toBe(0);
    expect((await baton(home, ["sessions", "show", "garden"], { env })).stdout).toMatch(/^Garden plans\n/);
    expect((await baton(home, ["-m", "/title", "--session", "plans"], { env })).stdout).toContain(
      "Garden plans",
    );
  });

  test("sends the files that a message names", async () => {
    const home = makeHome();
    writeFileSync(join(home, "..", "work", "notes.txt"), "buy milk");
    const chat = await realChat(home, "", env);
    await chat.see("what is in @no", "  notes.txt");
    await chat.see("\t\r", "Attached: notes.txt");
    await chat.see("", "You said “what is in @notes.txt [attached: notes.txt");
  });
});
