/** One question from a shell: `baton "question"`, with what is piped in and attached, as scripts use it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { truncateSync, writeFileSync } from "node:fs";
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
    [["/tmp is full, why?"], "/tmp is full, why?"],
    [["-m", "/usr: what is it?"], "/usr: what is it?"],
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

  test("is data, whatever it says, also beside a path; a command takes none", async () => {
    expect(await shell("echo '/title Pwned' | baton")).toEqual(ANSWERED);
    expect(sent()).toBe("/title Pwned");
    expect(await shell("printf '/tmp\n/usr\n' | baton -c")).toEqual(ANSWERED);
    expect(sent()).toBe("/tmp\n/usr");
    expect(await shell(`echo 'no room' | baton -c "/tmp is full, why?"`)).toEqual(ANSWERED);
    expect(sent()).toBe("/tmp is full, why?\n\nPiped input:\n```\nno room\n```");
    const { stdout } = await shell("echo 'not this' | baton -c '/title Mine'");
    expect(stdout).toBe('This session is now called "Mine".\n');
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

test("several at once do not wait for each other", async () => {
  const questions = ["first", "second", "third"];
  let arrive: () => void = () => {};
  const together = new Promise<void>((resolve) => {
    arrive = () => server.requests.length === questions.length && resolve();
  });
  server.script = async ({ body }) => {
    arrive();
    await together; // Nobody is answered before all have asked.
    return { text: `${body.messages.at(-1).content}, too` };
  };
  const runs = await Promise.all(questions.map((question) => ask(question)));
  expect(runs).toEqual(questions.map((question) => ({ code: 0, stdout: `${question}, too\n`, stderr: "" })));
});

test("a reader that goes away ends it quietly", async () => {
  server.play({ text: ["one\n", ...Array<string>(200).fill("more\n".repeat(200))] });
  const run = await shell(`baton "count" | head -1`);
  expect(run).toEqual({ code: 0, stdout: "one\n", stderr: "" });
});

describe("for this question only", () => {
  /** The system prompt, as the model got it. */
  const told = (): string => server.requests.at(-1)?.body.messages[0].content;
  const listed = async (): Promise<unknown[]> =>
    JSON.parse((await ask("sessions", "list", "--json")).stdout).sessions;

  test("--model asks another model, also in a session that chose its own", async () => {
    expect(await ask("hi", "--model", "model-b")).toEqual(ANSWERED);
    expect(server.requests.at(-1)?.body.model).toBe("model-b");
    expect(await ask("--continue", "/model model-c")).toMatchObject({ code: 0 });
    expect(await ask("--continue", "hi", "--model", "model-b")).toEqual(ANSWERED);
    expect(server.requests.at(-1)?.body.model).toBe("model-b");
    expect(await ask("--continue", "hi")).toEqual(ANSWERED);
    expect(server.requests.at(-1)?.body.model).toBe("model-c");
  });

  test("--model with a name that the server does not have says so", async () => {
    server.play({ status: 404, message: "The model `nope` does not exist", type: "invalid_request_error" });
    const run = await ask("hi", "--model", "nope");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /has no model called "nope"\. Run `.*` to list its models\. Choose a model with --model\.\nbaton: /,
    );
    const offline = await baton(home, ["hi", "--model", "x"], { env: { BATON_AGENT_PROVIDER: "offline" } });
    expect(offline).toMatchObject({ code: 1, stdout: "" });
    expect(offline.stderr).toContain("There is no model to choose here: the offline agent answers.");
  });

  test("--system adds to the instructions of the settings and of the folder", async () => {
    writeFileSync(
      join(home, "config.yaml"),
      "agent: { instructions: Be kind. }\nmemory: { titles: words }\n",
    );
    writeFileSync(join(home, "../work/AGENTS.md"), "Use tabs.\n");
    expect(await ask("--continue", "hi", "--system", "One word.")).toEqual(ANSWERED);
    expect(told()).toMatch(/^## Instructions from .*agent\.instructions.*\n\nBe kind\.\n\n.*AGENTS\.md in /);
    expect(told()).toMatch(/\n\nUse tabs\.\n\n## Instructions from .*--system\)\n\nOne word\.\n\n## Current/);
    expect(await ask("--continue", "hi")).toEqual(ANSWERED);
    expect(told()).not.toContain("One word.");
    const { stdout } = await ask("--continue", "/instructions");
    expect(stdout).toContain("Be kind.");
    expect(stdout).toContain("Use tabs.");
  });

  test("--no-session saves nothing but what it used", async () => {
    expect(await ask("the canary sings", "--no-session")).toEqual(ANSWERED);
    expect(await listed()).toEqual([]);
    expect((await ask("sessions", "search", "canary", "--json")).stdout).not.toContain("sings");
    const { stdout } = await ask("usage", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ total: { inputTokens: 10, outputTokens: 5 } });
    expect(await ask("kept")).toEqual(ANSWERED);
    expect(await listed()).toHaveLength(1);
  });

  test("what does not go together is refused", async () => {
    for (const words of [
      ["--session", "x", "--no-session"],
      ["--no-session", "--session", "x"],
    ]) {
      const run = await ask("hi", ...words);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("Give only one of --session and --no-session.");
    }
    const both = await ask("hi", "--continue", "--no-session");
    expect(both.stderr).toContain("Give only one of --session, --new, --continue and --no-session.");
    expect((await ask("hi", "--system", " ")).stderr).toContain("--system needs a text");
    expect((await ask("hi", "--model", "a b")).stderr).toContain("--model needs the name of one model.");
    expect(server.requests).toEqual([]);
  });
});

describe("--attach", () => {
  test("a text file reaches the model as text; a long one is cut, and the model and the person are told", async () => {
    writeFileSync(join(home, "../work/notes.txt"), "buy milk\n");
    expect(await ask("what is in it?", "--attach", "notes.txt")).toEqual(ANSWERED);
    expect(sent()).toMatch(/^Contents of the attached file notes\.txt:\nbuy milk\n/);
    expect(sent()).toContain("what is in it?");
    writeFileSync(join(home, "../work/long.txt"), `${"0123456789".repeat(10_000)}\nthe end`);
    const run = await ask("and in this?", "--attach", "long.txt");
    expect(run).toMatchObject({ code: 0, stdout: "An answer.\n" });
    expect(sent()).toContain("(Cut off here: these are the first 60,000 characters of it.)");
    expect(sent()).not.toContain("the end");
    expect(run.stderr).toContain("long.txt is too long: the model gets its first 60,000 characters.");
  });

  test("a file that is missing or too large does not reach it, and the person is told", async () => {
    expect(await ask("hi", "--attach", "gone.txt")).toMatchObject({ code: 2, stdout: "" });
    expect(server.requests).toEqual([]);
    writeFileSync(join(home, "../work/big.txt"), "");
    truncateSync(join(home, "../work/big.txt"), 21 * 2 ** 20);
    const run = await ask("and this?", "--attach", "big.txt");
    expect(run).toMatchObject({ code: 0, stdout: "An answer.\n" });
    expect(run.stderr).toContain("Not sent to the model: big.txt: larger than 20 MB.");
    expect(sent()).toContain("[not taken: big.txt: larger than 20 MB]");
  });

  test("a pipe is read to its end; one that nobody writes to, or more than fits, does not hang", async () => {
    const there = "--attach /dev/fd/3 3<&0 </dev/null";
    expect(await shell(`echo "buy milk" | baton "and this?" ${there}`)).toEqual(ANSWERED);
    expect(sent()).toContain("buy milk");
    expect(await shell(`mkfifo pipe; baton "hi" --attach pipe`)).toEqual(ANSWERED);
    const endless = await shell(`yes | baton "hi" ${there}`);
    expect(endless).toMatchObject({ code: 0, stdout: "An answer.\n" });
    expect(endless.stderr).toContain("3: larger than 20 MB.");
  });

  test.each([
    ["hi --attach .", "Can't attach .: it is a folder. Name the files in it."],
    ["hi --attach /dev/zero", "Can't attach /dev/zero: it is not a file."],
    ["hi --attach notes.txt gone.txt", "File not found: gone.txt. Give the message before --attach."],
    ["--attach notes.txt hi", 'Give it before --attach, as in: baton "your message" --attach notes.txt'],
  ])("`baton %s` says what is wrong, and asks nothing", async (words, says) => {
    writeFileSync(join(home, "../work/notes.txt"), "buy milk\n");
    const { code, stderr } = await ask(...words.split(" "));
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(says);
    expect(server.requests).toEqual([]);
  });
});

describe("--json", () => {
  const events = ({ stdout }: Run): Record<string, unknown>[] =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("says on stdout why there is no answer, before its last event", async () => {
    server.play({ status: 401, message: "wrong key" });
    const run = await ask("hi", "--json");
    expect(run.code).toBe(1);
    expect(events(run).slice(-2)).toMatchObject([
      { kind: "error", message: expect.stringContaining("refused the API key") },
      { kind: "done", outcome: "failed", sessionId: expect.any(String) },
    ]);
  });

  test("says what to do in a script: no command of a chat", async () => {
    for (const [message, words] of [
      ["The model `nope` does not exist", "list its models. Choose a model with --model."],
      ["The engine is on fire.", "refused the request: The engine is on fire."],
    ] as const) {
      server.play({ status: 400, message });
      const run = await ask("hi", "--json", "--model", "nope");
      const said = events(run).filter(({ kind }) => kind === "notice" || kind === "error");
      const ends = expect.stringMatching(new RegExp(`${words.replaceAll(".", "\\.")}$`));
      expect(said).toEqual([
        { kind: "notice", text: ends },
        { kind: "error", message: ends },
      ]);
    }
  });

  test.each([
    [`printf 'a\\000b' | baton --json`, "The piped input is not text."],
    [`yes 12345678 | head -c 900000 | baton --json "count"`, "The piped input is longer than"],
    [`baton --json hi -m hi`, "Give the message once"],
    [`baton --json hi --new -c`, "Give only one of"],
    [`baton --json ""`, "The message is empty."],
  ])("%s is refused by an event, too", async (line, says) => {
    const run = await shell(line);
    expect(run.code).toBe(2);
    expect(events(run)).toEqual([
      { kind: "error", message: expect.stringContaining(says) },
      { kind: "done", outcome: "refused" },
    ]);
    expect(JSON.parse(run.stderr).error.code).toBe("usage");
  });

  test("also if nothing was asked", async () => {
    const run = await ask("hi", "--json", "--session", "nowhere");
    expect(run.code).toBe(1);
    expect(events(run)).toEqual([
      { kind: "error", message: expect.stringContaining("nowhere") },
      { kind: "done", outcome: "failed" },
    ]);
  });
});
