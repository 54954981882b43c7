/** One question from a shell: `baton "question"`, with what is piped in and attached, as scripts use it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { baton, makeHome, type Run } from "./support/baton.js";
import { ModelServer } from "./support/model-server.js";
import { saidBy } from "./support/said-by.js";

let server: ModelServer;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  home = makeHome();
  writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\n");
  server.play({ text: "An answer.", usage: { input: 10, output: 5 } });
  env = { OPENAI_API_KEY: "sk-canary-0123456789", OPENAI_BASE_URL: server.url };
});
afterAll(() => server.close());

const ask = (...words: string[]): Promise<Run> => baton(home, words, { env });
const shell = (line: string): Promise<Run> => baton(home, [], { env, shell: line });
/** The last message of the person, as the model got it. */
const sent = (): string => server.requests.at(-1)?.body.messages.at(-1).content;
const ANSWERED = { code: 0, stdout: "An answer.\n", stderr: "" };

describe("the message", () => {
  test.each([
    [["why is the sky blue?"], "why is the sky blue?"],
    [["what", "is", "new"], "what is new"],
    [["-m", "doctor"], "doctor"],
    [["chat", "status"], "status"],
    [["chat", "--message", "as before"], "as before"],
    [["--", "-1 + 2?"], "-1 + 2?"],
    [["/etc/hosts what is it"], "/etc/hosts what is it"],
    [["/etc/hosts", "what", "is", "it"], "/etc/hosts what is it"],
  ])("baton %j", async (words, text) => {
    expect(await ask(...words)).toEqual(ANSWERED);
    expect(sent()).toBe(text);
  });

  test("a typing mistake, or a word that looks like a command, reaches no model", async () => {
    for (const [words, hint] of [
      [["sesions"], "Did you mean sessions?"],
      [["status"], "Did you mean `baton gateway status`? To send it as a message, run `baton chat status`."],
      [["update"], "Unknown command 'update'. See `baton --help`."],
      [["hi", "-m", "hi"], "Give the message once"],
      [[""], "The message is empty."],
    ] as const) {
      const run = await ask(...words);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(hint);
    }
    expect(server.requests).toEqual([]);
  });

  test("`baton --help` shows it first, with examples", async () => {
    const { stdout } = await ask("--help");
    expect(stdout).toMatch(/^Usage: baton "your question"\n {7}baton <command> \[options\]\n/);
    expect(stdout).toContain('  $ git diff | baton "review this"\n');
  });
});

describe("piped input", () => {
  test("follows the message, in a fence", async () => {
    const run = await shell(`printf -- '-old\\n+new\\n' | baton "review this"`);
    expect(run).toEqual(ANSWERED);
    expect(sent()).toBe("review this\n\nPiped input:\n```\n-old\n+new\n```");
  });

  test("a file is read, too", async () => {
    writeFileSync(join(home, "../work/notes"), "buy milk\n");
    expect(await shell(`baton -m "sum up" < notes`)).toEqual(ANSWERED);
    expect(sent()).toBe("sum up\n\nPiped input:\n```\nbuy milk\n```");
  });

  test("is the message if there is none", async () => {
    expect(await shell("echo 'hello there' | baton")).toEqual(ANSWERED);
    expect(sent()).toBe("hello there");
    expect(await shell("echo 'hello again' | baton -")).toEqual(ANSWERED);
    expect(sent()).toBe("hello again");
  });

  test.each(["</dev/null", "<&-", "<."])("nobody waits for an input such as %s", async (input) => {
    expect(await shell(`baton "just this" ${input}`)).toEqual(ANSWERED);
    expect(sent()).toBe("just this");
  });

  test("an input that says nothing and never ends does not stop the question", async () => {
    const child = spawn(process.execPath, ["dist/main.js", "just this"], {
      env: { PATH: process.env.PATH ?? "", BATON_HOME: home, ...env }, // Its input stays open, as with exec().
    });
    const said = saidBy(child);
    expect(await once(child, "close")).toEqual([0, null]);
    expect(said()).toContain("Nothing came from stdin in 2 seconds, so your message goes without it.");
    expect(said()).toContain("An answer.\n");
    expect(sent()).toBe("just this");
  });

  test("a text that is longer than a chat message arrives whole; one that is far too long is refused", async () => {
    expect(await shell(`yes 12345678 | head -c 200000 | baton "count"`)).toEqual(ANSWERED);
    expect(sent().length).toBeGreaterThan(200_000);
    const run = await shell(`yes 12345678 | head -c 900000 | baton "count"`);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("The piped input is longer than 500,000 characters. Send a part of it");
    const binary = await shell(`printf 'a\\000b' | baton "what is it?"`);
    expect(binary).toMatchObject({ code: 2, stdout: "" });
    expect(binary.stderr).toContain("The piped input is not text.");
  });
});

test("a reader that goes away ends it quietly", async () => {
  server.play({ text: ["one\n", ...Array<string>(200).fill("more\n".repeat(200))] });
  const run = await shell(`baton "count" | head -1`);
  expect(run).toEqual({ code: 0, stdout: "one\n", stderr: "" });
});
