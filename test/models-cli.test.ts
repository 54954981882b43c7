/** Whole runs of the built program with a model on loopback: the chat, `baton models`, and where secrets must not be. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { minimalPdf } from "./support/documents.js";
import { ModelServer } from "./support/model-server.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

const KEY = "sk-canary-0123456789";
let server: ModelServer;
let home: string;

beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  home = makeHome();
  // A title by the model would be one request more, if the program does not end before it.
  writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\n");
  server.play({ text: "Hello from the model.", usage: { input: 10, output: 5 } });
});
afterEach(killAll);
afterAll(() => server.close());

describe("baton chat", () => {
  test("over each provider's protocol, with its usual key", async () => {
    const { url, host } = server;
    const environments: Record<string, string>[] = [
      { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url },
      { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://${host}` },
      { OLLAMA_HOST: host },
    ];
    for (const env of environments) {
      const run = await baton(home, ["chat", "--message", "hi"], { env });
      expect(run).toMatchObject({ code: 0, stdout: "Hello from the model.\n" });
    }
    expect(server.requests.map(({ path, body }) => [path, body.model])).toEqual([
      ["/v1/chat/completions", "model-a"],
      ["/v1/messages", "model-a"],
      ["/v1/chat/completions", "model-a"],
    ]);
    const [openai, anthropic, ollama] = server.requests.map(({ headers }) => headers);
    expect(openai?.authorization).toBe(`Bearer ${KEY}`);
    expect(anthropic?.["x-api-key"]).toBe(KEY);
    expect(ollama?.authorization).toBeUndefined();
  });

  test("the text of an attached document reaches the model, and the agent reads other files where it is told", async () => {
    const work = join(home, "../work");
    writeFileSync(join(work, "report.pdf"), minimalPdf(["Sales doubled"]));
    writeFileSync(join(work, "data.bin"), "\0\0"); // Not a document.
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url };
    const run = await baton(
      home,
      ["chat", "--continue", "--message", "sum up", "--attach", "report.pdf", "data.bin"],
      {
        env,
      },
    );
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const sent = JSON.stringify(server.requests[0]?.body.messages.at(-1));
    expect(sent).toContain("Contents of the attached file report.pdf:\\nSales doubled\\n");
    expect(sent).not.toContain("Contents of the attached file data.bin");
    const [, path = ""] = /The file data\.bin is at ([^)]*)\.\)/.exec(sent) ?? [];
    const call = { name: "list_files", arguments: JSON.stringify({ path: dirname(path) }) };
    server.play({ calls: [call] }, { text: "Seen." });
    expect((await baton(home, ["chat", "--continue", "--message", "which?"], { env })).code).toBe(0);
    expect(JSON.stringify(server.requests[1]?.body)).toContain(`${basename(path)}  2 bytes`);
  });

  test.each(["auto", "off"])("a tool's child sees the key nowhere, with the sandbox %s", async (sandbox) => {
    const look = "cat /proc/$PPID/environ; env; cat /proc/self/environ; ps axeww 2>/dev/null; true";
    writeFileSync(join(home, "../work/look.sh"), look); // As it stands, it would be asked about.
    const call = { name: "terminal", arguments: JSON.stringify({ command: "sh look.sh" }) };
    server.play({ calls: [call] }, { text: "Looked." });
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url, BATON_TOOLS_TERMINAL_SANDBOX: sandbox };
    const run = await baton(home, ["chat", "--json", "--message", "look"], { env });
    expect(run.code).toBe(0);
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain("PATH=/"); // It did look.
    expect(sent).not.toContain(KEY);
    expect(run.stdout + run.stderr).not.toContain(KEY);
    for (const file of readdirSync(home, { withFileTypes: true, recursive: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), file.name).toBe(false);
    }
  });

  test("a wrong key is told with its setting, and exit code 1", async () => {
    server.play({ status: 401, message: `Incorrect API key provided: ${KEY}` });
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url };
    const run = await baton(home, ["chat", "--message", "hi"], { env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("refused the API key. Check OPENAI_API_KEY.");
    expect(run.stderr).not.toContain(KEY);
  });
});

test("a model that does not begin to answer is given up after agent.firstWordSeconds", async () => {
  server.play({ ending: "hang" });
  writeFileSync(join(home, "config.yaml"), "agent: { firstWordSeconds: 0.5 }\n");
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url };
  const run = await baton(home, ["chat", "--message", "hi"], { env });
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toContain("did not start to answer in time");
});

test.runIf(pty)("the status line has the model that the session chose", async () => {
  const set = `HOME='${join(home, "..")}' BATON_HOME='${home}' OPENAI_API_KEY=${KEY} OPENAI_BASE_URL='${server.url}'`;
  const chat = await PtyChat.start({ shell: `${set} exec '${process.execPath}' dist/main.js` });
  await chat.see("hi\r", "Hello from the model.");
  await chat.see("/model model-b\r", "uses model-b from now on");
  await chat.until(() => / model-b · \S+ tokens /m.test(chat.vt.text()));
  expect(chat.vt.text()).not.toMatch(/ model-a · /);
});

describe("baton models", () => {
  test("lists what is offered, marks the one in use, and says why", async () => {
    writeFileSync(join(home, "config.yaml"), `agent:\n  baseUrl: ${server.url}\n  model: model-b\n`);
    const run = await baton(home, ["models"], { env: { OPENAI_API_KEY: KEY } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(
      /^model-b at 127\.0\.0\.1:\d+ \(openai-compatible, chosen by .*config\.yaml:2; model: .*config\.yaml:3\)$/m,
    );
    expect(run.stdout).toMatch(/^ {2}model-a\n\* model-b in use$/m);
    const json = await baton(home, ["models", "--json"], { env: { OPENAI_API_KEY: KEY } });
    expect(JSON.parse(json.stdout)).toMatchObject({
      provider: "openai-compatible",
      model: "model-b",
      models: ["model-a", "model-b"],
    });
    expect(run.stdout + json.stdout).not.toContain(KEY);
  });

  test("says how to add one where there is none", async () => {
    const run = await baton(home, ["models"], { env: { BATON_AGENT_PROVIDER: "offline" } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/offline agent answers\.\nRun `baton setup`, or set ANTHROPIC_API_KEY/);
  });

  test("a server that is not there is said, with its host", async () => {
    const run = await baton(home, ["models"], { env: { OLLAMA_HOST: "127.0.0.1:81" } });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("Can't reach the model's server at 127.0.0.1:81");
  });
});

test("config show has the choice and its reason, not the key", async () => {
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  const { stdout } = await baton(home, ["config", "show"], { env });
  expect(stdout).toMatch(/agent\.provider +anthropic +ANTHROPIC_API_KEY/);
  expect(stdout).toMatch(/agent\.apiKey +\*\*\* +ANTHROPIC_API_KEY/);
  expect(stdout).not.toContain(KEY);
});
