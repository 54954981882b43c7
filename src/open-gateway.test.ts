/**
 * A gateway that knows secrets: its agent is given none, and its adapters are sent none, whatever way they take. A gateway
 * that was just started knows which sessions live processes hold.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Agent, Tool } from "./agent/agent.js";
import type { Command } from "./gateway/commands/commands.js";
import { type OpenGateway, openGateway } from "./open-gateway.js";
import { openStore } from "./open-sessions.js";
import { newProcessId } from "./session/ids.js";
import { ScriptedAdapter } from "./testing/scripted-adapter.js";
import { Redactor } from "./util/redact.js";

const CANARY = "canary-4711-secret";
const HOUR = 3_600_000;
let open: OpenGateway | undefined;
afterEach(() => open?.close({ drainMs: 0 }));

const leak: Tool = { name: "leak", description: "", parameters: {}, run: async () => `It is ${CANARY}.` };

/** What is said so goes past the store. */
const whisper: Command = {
  name: "whisper",
  usage: "",
  description: "",
  run: async ({ item, gateway }) => {
    await gateway.say(item, `It is ${CANARY}.`);
    return "";
  },
};

it("hides them from the agent and in what goes past the store", async () => {
  const redactor = new Redactor();
  redactor.know(() => [CANARY]);
  const given: (string | undefined)[] = [];
  const agent: Agent = {
    name: "curious",
    async *run({ tools, signal }) {
      const call = { id: "1", name: "leak", arguments: "{}" };
      given.push(await tools.find(({ name }) => name === "leak")?.run({}, { call, signal }));
      yield { kind: "message", message: { role: "assistant", content: "Looked." }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  const adapter = new ScriptedAdapter();
  open = await openGateway({
    url: "sqlite::memory:",
    agent,
    adapters: [adapter],
    commands: [whisper],
    tools: () => [leak],
    people: { owners: { [adapter.platform]: ["ann"] } },
    redactor,
  });
  await open.gateway.start();
  await adapter.write({ userId: "ann" }, "look");
  await adapter.until((sent) => sent.length === 1);
  expect(given).toEqual(["It is ***."]);
  await adapter.write({ userId: "ann" }, "/whisper");
  await adapter.until((sent) => sent.length === 2);
  expect(adapter.textsTo("ann")).toEqual(["Looked.", "It is ***."]);
});

it("resets no session that a process holds, from the first message on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-held-"));
  const adapter = new ScriptedAdapter();
  let now = Date.UTC(2026, 0, 1);
  const agent: Agent = {
    name: "brief",
    async *run() {
      yield { kind: "message", message: { role: "assistant", content: "Yes." }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  const options = {
    url: join(folder, "baton.db"),
    clock: () => now,
    config: { reset: { default: { mode: "idle", idleMinutes: 60, notify: false } } },
  } as const;
  const source = { platform: adapter.platform, chatId: "ann", chatType: "dm", userId: "ann" } as const;
  try {
    const { store, sessions } = await openStore(options);
    const { sessionId } = await sessions.getOrCreate(source);
    const id = newProcessId();
    await store.processes.add(
      {
        ...{ id, home: "another", sessionId, by: source, command: "make", workdir: "/", walled: false },
        ...{ environment: "here", pty: false },
        watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
      },
      { perSession: 1, inAll: 1 },
      now,
    );
    now += 2 * HOUR;
    const people = { owners: { [adapter.platform]: ["ann"] } };
    open = await openGateway({ ...options, agent, adapters: [adapter], commands: [], people });
    await open.gateway.start();
    const answeredIn = async (count: number) => {
      await adapter.write({ userId: "ann" }, "hi");
      await adapter.until((sent) => sent.length === count);
      return (await sessions.getOrCreate(source, { touch: false })).sessionId;
    };
    expect(await answeredIn(1)).toBe(sessionId);
    const end = { kind: "lost", why: "The machine was restarted." } as const;
    await store.processes.ended(id, end, now);
    now += 2 * HOUR;
    expect(await answeredIn(2)).not.toBe(sessionId);
    await sessions.close();
  } finally {
    await open?.close({ drainMs: 0 });
    open = undefined;
    rmSync(folder, { recursive: true });
  }
});
