/** A script that hands a conversation off: `baton chat --message`, a gateway beside it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenGateway } from "../../src/open-gateway.js";
import { openStore } from "../../src/open-sessions.js";
import { newTurnId } from "../../src/session/ids.js";
import { localSource } from "../../src/session/source.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { processHolder } from "../../src/util/holder.js";
import { baton, makeHome, type Run } from "../support/baton.js";
import { telegramBeside } from "../support/telegram-beside.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

let home: string;
let open: OpenGateway;
let there: ScriptedAdapter;
let waitSeconds: string;

beforeEach(async () => {
  waitSeconds = "600";
  home = makeHome();
  there = new ScriptedAdapter({ platform: "telegram", account: "bot" });
  open = await telegramBeside(home, there);
});
afterEach(() => open.close({ drainMs: 0 }));

const say = (message: string, ...options: string[]): Promise<Run> =>
  baton(home, ["chat", "-c", "--message", message, ...options], {
    env: { BATON_AGENT_PROVIDER: "offline", BATON_HANDOFF_WAIT_SECONDS: waitSeconds },
  });

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

test("fails if nobody takes it in time", async () => {
  await say("hello");
  await open.close({ drainMs: 0 });
  waitSeconds = "1";
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  // A gateway that is connected, and that does nothing.
  const account = { platform: "telegram", account: "bot" };
  const hold = { holder: processHolder(), leaseMs: 600_000 };
  expect(await store.accounts.take(account, hold, null, Date.now())).toBe(true);
  const state = { state: { kind: "connected", since: Date.now() }, lastError: null };
  await store.accounts.write(account, "state", JSON.stringify(state));
  const { code, stdout, stderr } = await say("/handoff telegram:ann");
  expect(code).toBe(1);
  expect(stdout).toContain("The handoff to `telegram:ann` failed: No gateway took it in time");
  expect(stderr).toContain("baton: The conversation was not moved: No gateway took it in time");
  expect((await say("still here")).stdout).toContain("You said “still here”.");
  await store.accounts.release(account, hold.holder);
  await sessions.close();
  open = await telegramBeside(home, there);
});

test("cancels a handoff that has not begun if it is stopped", async () => {
  await say("hello");
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  const holder = processHolder();
  const source = localSource();
  const { key } = sessions.laneOf(source);
  const message = { kind: "message", key, source, messageId: "m", text: "a long one" } as const;
  const item = await store.inbox.accept(
    { platform: "local", account: "terminal", ...message },
    holder,
    Date.now(),
  );
  // The handoff waits for this turn, which never ends.
  const begun = await sessions.resolveIn(source, {}, { role: "user", content: message.text }, (request) =>
    store.turns.begin(newTurnId(), item ?? expect.fail(), request, { holder, leaseMs: 600_000 }, () => []),
  );
  expect(begun.kind).toBe("begun");
  for (const options of [[], ["--json"]]) {
    const script = spawn(process.execPath, [MAIN, "-c", "-m", "/handoff telegram:ann", ...options], {
      env: {
        ...{ PATH: process.env.PATH ?? "", HOME: join(home, ".."), BATON_HOME: home },
        BATON_AGENT_PROVIDER: "offline",
      },
    });
    const over = once(script, "close");
    const said = { stdout: "", stderr: "" };
    await written(script, said, "It moves to Telegram");
    script.kill("SIGTERM");
    expect((await over)[0]).toBe(143);
    expect(said.stderr).toContain("Stopped. The conversation stays here.");
    if (options.length > 0)
      expect(JSON.parse(said.stdout.trim().split("\n").at(-1) ?? "")).toEqual({
        kind: "done",
        outcome: "stopped",
      });
    expect(await sessions.listPendingHandoffs()).toEqual([]);
  }
  await sessions.close();
});

/** Collects what it says, and waits until it has said that. */
function written(
  script: ChildProcess,
  said: { stdout: string; stderr: string },
  words: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const stream of ["stdout", "stderr"] as const)
      script[stream]?.setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
        if (said.stdout.includes(words)) resolve();
      });
    script.once("close", () => reject(new Error(`It ended: ${JSON.stringify(said)}`)));
  });
}
