/** A script that hands a conversation off: `baton chat --message`, a gateway beside it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenGateway } from "../../src/open-gateway.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { baton, makeHome, type Run } from "../support/baton.js";
import { telegramBeside } from "../support/telegram-beside.js";

let home: string;
let open: OpenGateway;
let there: ScriptedAdapter;

beforeEach(async () => {
  home = makeHome();
  there = new ScriptedAdapter({ platform: "telegram", account: "bot" });
  open = await telegramBeside(home, there);
});
afterEach(() => open.close({ drainMs: 0 }));

const say = (message: string, ...options: string[]): Promise<Run> =>
  baton(home, ["chat", "-c", "--message", message, ...options], { env: { BATON_AGENT_PROVIDER: "offline" } });

test("waits for what comes of it, and says it", async () => {
  await say("hello");
  expect(await say("/handoff telegram:ann")).toEqual({
    code: 0,
    stdout: [
      "Moving to Telegram (`telegram:ann`) …",
      "Moved to Telegram, DM with ann (`telegram:ann`). Continue there. To bring it back, send /resume here.",
      "",
    ].join("\n"),
    stderr: "",
  });
  expect(there.sent[0]?.text).toMatch(/ continues here: 2 messages, moved from the terminal\./);
});

test("fails where the handoff does, with the reason", async () => {
  there.there.gone.add("nobody");
  await say("hello");
  const { code, stdout, stderr } = await say("/handoff telegram:nobody");
  expect(code).toBe(1);
  expect(stdout).toContain("The handoff to `telegram:nobody` failed: I am not in that chat");
  expect(stderr).toContain("The conversation was not moved: I am not in that chat");
  const events = (await say("/handoff telegram:nobody", "--json")).stdout.trim().split("\n");
  expect(events.map((line) => JSON.parse(line))).toEqual([
    { kind: "message", text: "Moving to Telegram (`telegram:nobody`) …" },
    { kind: "message", text: expect.stringMatching(/^The handoff to .* failed: /) },
    {
      kind: "error",
      message: expect.stringMatching(/^The conversation was not moved: I am not in that chat/),
    },
    { kind: "done", outcome: "failed" },
  ]);
  expect((await say("still here")).stdout).toContain("You said “still here”.");
});
