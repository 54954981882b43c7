/** The chat as a script uses it: whole runs of the built program against the offline agent. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TERMINAL_ACCOUNT } from "../src/adapter/terminal/terminal-source.js";
import { OWNER, openSessions } from "../src/index.js";
import { openStore } from "../src/open-sessions.js";
import { deliveryIdOf, type SessionId } from "../src/session/ids.js";
import { addressOf, localSource } from "../src/session/source.js";
import { baton as anyBaton, makeHome, type RunOptions } from "./support/baton.js";

/** Whatever runs on this machine, the offline agent answers. */
const baton = (home: string, words: readonly string[], options: RunOptions = {}) =>
  anyBaton(home, words, { ...options, env: { BATON_AGENT_PROVIDER: "offline", ...options.env } });

async function withStore<Result>(
  home: string,
  work: (sessions: Awaited<ReturnType<typeof openSessions>>) => Promise<Result>,
): Promise<Result> {
  const sessions = await openSessions({ url: join(home, "baton.db") });
  try {
    return await work(sessions);
  } finally {
    await sessions.close();
  }
}

describe.concurrent("baton chat in a script", () => {
  test("answers what is piped in, on stdout, and goes on with the same session", async () => {
    const home = makeHome();
    const first = await baton(home, [], { shell: "echo 'hello from a pipe' | baton chat --continue" });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("hello from a pipe");
    const second = await baton(home, [], { shell: "echo 'what did I say first?' | baton chat -c" });
    expect(second.stdout).toContain("hello from a pipe");
    await withStore(home, async (sessions) => {
      const { items } = await sessions.list({}, OWNER);
      expect(items).toMatchObject([{ key: "agent:main:local:dm:cli", messageCount: 4 }]);
      expect(items[0]?.totalTokens).toBeGreaterThan(0);
    });
  });

  test("runs tools for the person at the machine, and keeps them out of stdout", async () => {
    const home = makeHome();
    const run = await baton(home, ["chat", "--message", "run echo tool-says-$((40+2)); echo $SECRET_TOKEN"], {
      env: { SECRET_TOKEN: "hunter2" },
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("tool-says-42");
    expect(run.stderr).toContain("→ terminal");
    expect(run.stdout + run.stderr).not.toContain("hunter2");
    await withStore(home, async (sessions) => {
      const { items } = await sessions.list({}, OWNER);
      const roles = (await sessions.load((items[0]?.sessionId ?? "") as SessionId)).map(({ role }) => role);
      expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
    });
  });

  test("says by its exit code and in a sentence whether it worked, and /retry asks again", async () => {
    const home = makeHome();
    const failed = await baton(home, ["chat", "-c", "--message", "fail"]);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("The model failed before finishing its answer.");
    const again = await baton(home, ["chat", "--message", "/retry"]);
    expect(again).toMatchObject({ code: 1, stdout: 'Trying again: "fail"\n' });
    expect(await baton(home, ["chat", "--message", "   "])).toMatchObject({ code: 2, stdout: "" });
    expect(await baton(home, ["chat", "--new", "--session", "x", "--message", "hi"])).toMatchObject({
      code: 2,
    });
    expect(await baton(home, ["chat", "--session", "nope", "--message", "hi"])).toMatchObject({ code: 1 });
  });

  test("gives JSON events, and nothing else on stdout", async () => {
    const home = makeHome();
    const run = await baton(home, ["chat", "--json", "--message", "hi there"]);
    const events = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; text?: string });
    expect(events.at(-1)).toMatchObject({
      kind: "done",
      outcome: "done",
      sessionId: expect.stringMatching(/./),
      model: "offline",
      usage: { inputTokens: expect.any(Number), totalTokens: expect.any(Number), cost: 0 },
    });
    const said = events
      .filter(({ kind }) => kind === "text")
      .map(({ text }) => text)
      .join("");
    expect(events.filter(({ kind }) => kind === "message").map(({ text }) => text)).toEqual([said]);
  });

  test("begins anew, and goes back by title", async () => {
    const home = makeHome();
    await baton(home, ["chat", "-c", "--message", "the first thing"]);
    expect((await baton(home, ["chat", "--message", "/title Beginnings"])).stdout).toContain("Beginnings");
    const other = await baton(home, ["chat", "--new", "--message", "what did I say first?"]);
    expect(other.stdout).not.toContain("the first thing");
    const there = await baton(home, ["chat", "-c", "--message", "what did I say first?"]);
    expect(there.stdout).toContain("the first thing");
    const back = await baton(home, ["chat", "--session", "Beginnings", "--message", "what did I say first?"]);
    expect(back.stdout).toContain("the first thing");
  });

  test("goes on with what was offered to it", async () => {
    const home = makeHome();
    const there = { platform: "telegram", chatId: "99", chatType: "dm", userId: "99" } as const;
    const said = { role: "user", content: "roses" } as const;
    const sessionId = await withStore(home, async (sessions) => {
      const { entry } = await sessions.receive(there, said);
      await sessions.requestHandoff(entry.sessionId, "local");
      return entry.sessionId;
    });
    const run = await baton(home, ["chat", "--session", sessionId, "--message", "what did I say first?"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("roses");
    expect(await withStore(home, (sessions) => sessions.listPendingHandoffs())).toEqual([]);
  });

  test("leaves a message that waits in a chat to that chat, and gives the session back", async () => {
    const home = makeHome();
    const there = { platform: "telegram", chatId: "99", chatType: "dm", userId: "99" } as const;
    const { store, sessions } = await openStore({ url: join(home, "baton.db") });
    const { entry } = await sessions.receive(there, { role: "user", content: "roses" });
    const { key, sessionId } = entry;
    const item = { platform: "telegram", account: "bot", kind: "message", key, source: there } as const;
    await store.inbox.accept({ ...item, messageId: "m1", text: "tulips" }, "", Date.now());
    const run = await baton(home, ["chat", "--session", sessionId, "--message", "what did I say first?"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("roses");
    expect(run.stdout).not.toContain("tulips");
    expect(await store.inbox.waitingIn(key)).toMatchObject([{ text: "tulips", key }]);
    expect(await sessions.current(key)).toMatchObject({ sessionId, endedAt: null });
    await sessions.close();
  });

  test("does not take for its answer what was left to be said to the terminal", async () => {
    const home = makeHome();
    await baton(home, ["chat", "-c", "--message", "hello"]);
    const { store, sessions } = await openStore({ url: join(home, "baton.db") });
    const left = { purpose: "notice", text: "Moved to the garden.", sessionId: null, shown: false } as const;
    const to = { account: TERMINAL_ACCOUNT, holder: "", address: addressOf(localSource()) };
    await store.outbox.add([{ deliveryId: deliveryIdOf("left"), ...to, ...left }], Date.now());
    await sessions.close();
    const run = await baton(home, ["chat", "--message", "/title Roses"]);
    expect(run).toEqual({
      code: 0,
      stdout: 'This session is now called "Roses".\n',
      stderr: "Moved to the garden.\n",
    });
  });

  test("says that it waits for what another process answers, on stderr or as an event", async () => {
    const home = makeHome();
    const work = join(home, "..", "work");
    const notice = "Another process is answering in this session. Waiting until it is done.";
    // The first answer ends when both that wait for it have said so.
    const untilSaid = `until grep -q Another err && grep -q Another out; do sleep 0.1; done`;
    const busy = `run cd ${work}; touch begun err out; ${untilSaid}`;
    const run = await baton(home, [], {
      shell: `
        baton chat -c --message '${busy}' > first &
        until [ -e begun ]; do sleep 0.1; done
        baton chat -c --message hello 2> err > said &
        baton chat -c --json --message hello > out &
        wait`,
    });
    expect(run.code).toBe(0);
    const read = (file: string) => readFileSync(join(work, file), "utf8");
    expect(read("err")).toBe(`${notice}\n`);
    expect(read("said")).toContain("hello");
    const [first, ...others] = read("out")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string });
    expect(first).toEqual({ kind: "notice", text: notice });
    expect(others.filter(({ kind }) => kind === "notice")).toEqual([]);
    expect(others.at(-1)).toMatchObject({ kind: "done", outcome: "done" });
  });

  test("answers commands, and refuses one that there is not", async () => {
    const home = makeHome();
    const help = await baton(home, ["chat", "--message", "/help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const name of ["/new", "/resume", "/undo", "/stop"]) expect(help.stdout).toContain(name);
    expect(help.stdout).not.toMatch(/`\/(?:keys|quit|exit)`/); // Only a chat has these.
    const says = 'There is no command /stauts. Did you mean "status"? Run `baton /help` to list them.';
    const typo = await baton(home, ["/stauts", "now"]);
    expect(typo).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`baton: ${says}`) });
    const json = await baton(home, ["chat", "--json", "--message", "/stauts"]);
    expect(json.code).toBe(2);
    expect(
      json.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { kind: "error", message: expect.stringContaining(says) },
      { kind: "done", outcome: "refused" },
    ]);
    expect((await baton(home, ["sessions", "list", "--json"])).stdout).not.toContain("stauts");
  });
});
