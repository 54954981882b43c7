/** The log from end to end: who writes it, what never gets into it, and how it is read. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Cli } from "../src/cli/cli.js";
import { run } from "../src/cli/run.js";
import { readEnvironment } from "../src/config/environment.js";
import { loadConfig } from "../src/config/load.js";
import { fileLog } from "../src/log/file-log.js";
import { currentLog, logFolder } from "../src/log/rotating-file.js";
import { ScriptedAdapter } from "../src/testing/scripted-adapter.js";
import { Redactor } from "../src/util/redact.js";
import { baton, makeHome } from "./support/baton.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const SECRET = "canary-4f1d9c";

const logText = (home: string) => readFileSync(currentLog(logFolder(home)), "utf8");

describe("a gateway", () => {
  test("says on screen and in the log what happened, and neither holds a secret", async () => {
    const home = makeHome();
    const screen: string[] = [];
    const redactor = new Redactor();
    redactor.know(() => [SECRET]);
    const adapter = new ScriptedAdapter();
    const given = {
      version: "0",
      home,
      redact: redactor.redact,
      loadConfig: () => loadConfig(readEnvironment({ BATON_HOME: home }), home),
      openPlatforms: async () => ({ adapters: [adapter], problems: [] }),
      openGateway: async () => {
        throw new Error(`no route to https://me:hunter2@host with \u001b[31m${SECRET}\u001b[0m`);
      },
      terminal: { line: (text: string) => screen.push(text), problem: (text: string) => screen.push(text) },
    };
    expect(await run(["gateway"], given as unknown as Cli)).toBe(1);
    expect(screen[0]).toContain("error The gateway stopped: no route to https://me:***@host with ***");
    const record = JSON.parse(logText(home));
    expect(record).toMatchObject({ level: "error", by: "gateway", pid: process.pid });
    expect(record.msg).toBe("The gateway stopped: no route to https://me:***@host with ***");
  });
});

describe.concurrent("a chat", () => {
  test("tells a problem and keeps it in the log; one without problems keeps none", async () => {
    const home = makeHome();
    expect((await baton(home, ["chat", "--message", "hi"])).code).toBe(0);
    expect(existsSync(logFolder(home))).toBe(false);

    writeFileSync(join(home, "config.yaml"), "mirror: jsonl\n");
    writeFileSync(join(home, "sessions"), "in the way");
    const run = await baton(home, ["chat", "--message", "hi"]);
    expect(run.code).toBe(0);
    expect(run.stdout).not.toBe("");
    expect(run.stderr).toContain(join(home, "sessions"));
    expect(logText(home)).toContain('"by":"chat"');
    expect(logText(home)).toContain(join(home, "sessions"));
  });

  test("answers where the log cannot be written, and says so", async () => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), "mirror: jsonl\n");
    for (const name of ["sessions", "logs"]) writeFileSync(join(home, name), "in the way");
    const run = await baton(home, ["chat", "--message", "hi"]);
    expect(run.code).toBe(0);
    expect(run.stdout).not.toBe("");
    expect(run.stderr).toContain(`Can't write the log in ${logFolder(home)}: `);
  });

  test("loads the library of logs only to write one", async () => {
    const home = makeHome();
    const shell = `NODE_DEBUG=module baton chat --message hi 2>&1 | grep -c node_modules/pino`;
    expect((await baton(home, [], { shell })).stdout).toBe("0\n");
  });
});

test("what goes wrong is told without the secrets of the environment", async () => {
  const home = makeHome();
  const env = { BATON_STORE: `postgres://me@127.0.0.1:1/${SECRET}`, SOME_API_KEY: SECRET };
  const run = await baton(home, ["sessions", "list"], { env });
  expect(run.code).toBe(1);
  expect(run.stderr).not.toContain(SECRET);
});

describe.concurrent("baton logs", () => {
  async function written(home: string, ...lines: string[]): Promise<void> {
    const log = fileLog({ home, by: "gateway", onProblem: (problem) => expect(problem).toBe("") });
    for (const line of lines) log(line.startsWith("!") ? "warn" : "info", line);
  }

  test("says so where there is none, and makes nothing", async () => {
    const home = makeHome();
    const run = await baton(home, ["logs"]);
    expect(run).toEqual({
      code: 0,
      stdout: `There is no log in ${logFolder(home)} yet. The gateway writes one.\n`,
      stderr: "",
    });
    expect((await baton(home, ["logs", "--json"])).stdout).toBe("");
    expect(existsSync(logFolder(home))).toBe(false);
  });

  test("prints the last lines, by level, for people and for programs", async () => {
    const home = makeHome();
    await written(home, ...Array.from({ length: 60 }, (_, n) => `${n % 10 === 0 ? "!" : "line "}${n}`));
    const all = (await baton(home, ["logs"])).stdout.trimEnd().split("\n");
    expect(all).toHaveLength(50);
    expect(all.at(-1)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}gateway\[\d+\] line 59$/);
    const warned = (await baton(home, ["logs", "--level", "warn", "-n", "2"])).stdout;
    expect(warned.trimEnd().split("\n")).toEqual([
      expect.stringContaining(" !40"),
      expect.stringContaining(" !50"),
    ]);
    const json = (await baton(home, ["logs", "--json", "--since", "1h"])).stdout.trimEnd().split("\n");
    expect(json).toHaveLength(60);
    expect(JSON.parse(json[0] ?? "")).toMatchObject({ level: "warn", by: "gateway", msg: "!0" });
  });

  test("shows nothing that a terminal obeys, and no secret, whoever wrote the file", async () => {
    const home = makeHome();
    mkdirSync(logFolder(home));
    const evil = `\u001b]0;pwned\u0007\u009b31m\u202e ${SECRET} Bearer abcdefgh1234`;
    const record = { level: "info", time: "2026-01-10", by: evil, pid: 1, msg: evil };
    writeFileSync(currentLog(logFolder(home)), `${JSON.stringify(record)}\n\u001b[2J\n`);
    for (const words of [["logs"], ["logs", "--json"]]) {
      const run = await baton(home, words, { env: { SOME_TOKEN: SECRET } });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(run.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|pwned|canary|abcdefgh/);
      expect(run.stdout.trimEnd().split("\n")).toHaveLength(1);
    }
  });

  test("-f goes on with what comes", async () => {
    const home = makeHome();
    await written(home, "first");
    const child = spawn(process.execPath, [MAIN, "logs", "-f", "--json"], {
      env: { PATH: process.env.PATH, BATON_HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const messages: string[] = [];
    let rest = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) messages.push(JSON.parse(line).msg);
      if (messages.length === 1) await written(home, "second", "!third");
      if (messages.length === 3) child.kill("SIGINT");
    }
    expect(messages).toEqual(["first", "second", "!third"]);
  });

  test.each([
    ["logs --level loud", "Allowed choices are info, warn, error."],
    ["logs -n 0", "Use a whole number from 1 to 1000000."],
    ["logs --since yesterday", "Use a number and a unit"],
  ])("baton %s", async (line, message) => {
    const run = await baton(makeHome(), line.split(" "));
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(message);
  });
});
