/** `baton --no-session "question"`: nothing of it is saved, whatever the agent wants to do and however it ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { baton, makeHome, type Run } from "./support/baton.js";
import { ModelServer } from "./support/model-server.js";
import { saidBy } from "./support/said-by.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const CANARY = "the canary sings";

let server: ModelServer;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  home = makeHome();
  writeFileSync(
    join(home, "config.yaml"),
    "memory: { titles: words }\ntools: { terminal: { sandbox: off } }\n",
  );
  env = { OPENAI_API_KEY: "sk-canary-0123456789", OPENAI_BASE_URL: server.url };
  server.play({ text: "An answer." });
});
afterAll(() => server.close());

const ask = (...words: string[]): Promise<Run> => baton(home, words, { env });

async function expectNothing(): Promise<void> {
  const { stdout } = await ask("sessions", "list", "--json");
  expect(JSON.parse(stdout).sessions.map(({ title }: { title: string }) => title)).not.toContain(CANARY);
  expect((await ask("sessions", "search", "canary", "--json")).stdout).not.toContain("sings");
}

test("nothing of it runs on in the background, and the agent learns that it can't", async () => {
  const command = { command: `sleep 60 # ${CANARY}`, background: true };
  server.play({ calls: [{ name: "terminal", arguments: JSON.stringify(command) }] }, { text: "I can't." });
  expect(await ask("--no-session", CANARY)).toMatchObject({ code: 0, stdout: "I can't.\n" });
  const told = server.requests.at(-1)?.body.messages.at(-1);
  expect(told).toMatchObject({
    role: "tool",
    content: expect.stringContaining("can't run in the background"),
  });
  expect(JSON.parse((await ask("processes", "list", "--json")).stdout).processes).toEqual([]);
  await expectNothing();
});

test("notes are read, and none is made", async () => {
  await ask("/memory add They are called Ann.");
  const given = () => JSON.stringify(server.requests.at(-1)?.body.messages);
  const tools = () =>
    server.requests.at(-1)?.body.tools.map((each: { function: { name: string } }) => each.function.name);
  await ask("hi");
  expect(tools()).toEqual(expect.arrayContaining(["memory", "schedule"]));
  await ask("--no-session", CANARY);
  expect(given()).toContain("They are called Ann.");
  expect(tools()).toContain("terminal");
  expect(tools()).not.toContain("memory");
  expect(tools()).not.toContain("schedule");
});

describe("it is gone also if it was ended", () => {
  test.each(["SIGINT", "SIGKILL"] as const)("by %s", async (signal) => {
    server.play({ text: "Well", ending: "silence" });
    const child = spawn(process.execPath, [MAIN, "--no-session", CANARY], {
      env: { PATH: process.env.PATH ?? "", HOME: join(home, ".."), BATON_HOME: home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = saidBy(child);
    const closed = once(child, "close");
    await expect.poll(said).toContain("Well");
    child.kill(signal);
    await closed;
    server.play({ text: "Next." });
    if (signal === "SIGKILL") await ask("next"); // What was killed could not tidy up.
    await expectNothing();
  });
});
