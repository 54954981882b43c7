/** A gateway that starts with other scopes says what it leaves behind, and a terminal does not ask. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { offlineAgent } from "../agent/offline.js";
import { openGateway } from "../open-gateway.js";
import { openStore } from "../open-sessions.js";
import { LOCAL, platforms } from "../session/platform.js";
import type { SessionScopes } from "../session/session-key.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { isSameScopes, scopeProblem } from "./scope-memory.js";

const [, HERE = ""] = platforms();
let folder: string;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-scopes-"));
  url = join(folder, "baton.db");
  const { sessions } = await openStore({ url });
  const source = { platform: HERE, chatId: "1", chatType: "dm", userId: "1" } as const;
  await sessions.receive(source, { role: "user", content: "hello" });
  await sessions.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the gateway says when it is opened. */
async function told(scopes: SessionScopes, platform = HERE): Promise<string[]> {
  const problems: string[] = [];
  const { close } = await openGateway({
    url,
    config: { scopes },
    agent: offlineAgent(),
    adapters: [new ScriptedAdapter({ platform })],
    commands: [],
    onProblem: (problem) => problems.push(problem),
  });
  await close({ drainMs: 0 });
  return problems;
}

it("tells of conversations that no message reaches, at each start until they are carried over", async () => {
  expect(await told({})).toEqual([]);
  const left =
    "1 conversation was made with other scopes than your configuration has now, so new messages do not reach it. Run `baton sessions rescope --dry-run` to see how to carry them over.";
  expect(await told({ dm: "platform" }, LOCAL)).toEqual([]);
  expect(await told({ dm: "platform" })).toEqual([left]);
  expect(await told({ dm: "platform" })).toEqual([left]);
  expect(await told({ dm: "chat", group: "chat" })).toEqual([]);
  expect(await told({ dm: "platform" })).toEqual([left]);
});

it("takes a setting that is absent for its default", () => {
  expect(isSameScopes({}, { agent: "main", dm: "chat", group: "chat", thread: "chat" })).toBe(true);
  expect(isSameScopes({}, { thread: "member" })).toBe(false);
});

it("does not count on without an end", () => {
  const found = scopeProblem({ lanes: 1_000, fitting: 0, ofOthers: new Map() });
  expect(found?.problem).toMatch(/^At least 1,000 conversations were made/);
  expect(scopeProblem({ lanes: 0, fitting: 0, ofOthers: new Map() })).toBeNull();
  expect(scopeProblem({ lanes: 0, fitting: 1, ofOthers: new Map([["old", 5]]) })).toBeNull();
});
