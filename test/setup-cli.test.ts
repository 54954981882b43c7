/** `baton setup` in a real terminal and without one. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { ModelServer } from "./support/model-server.js";
import { answerSetup } from "./support/pty-setup.js";
import { killAll, pty } from "./terminal/pty-chat.js";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  server.models = ["claude-haiku", "claude-sonnet-5-5"];
  server.play({ text: "ok" });
});
afterEach(killAll);
afterAll(() => server.close());

const SECRET = "sk-canary-1234567890";
const ENTER = "\r";
const DOWN = "\u001b[B";
const CLOSED = { OLLAMA_HOST: "127.0.0.1:1" };

const atAnthropic = () => ({ ANTHROPIC_BASE_URL: `http://${server.host}` });

const configOf = (home: string) => readFileSync(join(home, "config.yaml"), "utf8");

const answer = (
  home: string,
  env: Readonly<Record<string, string>>,
  ...answers: readonly (readonly [question: string, keys: string])[]
) => answerSetup(home, [], { ...CLOSED, ...env }, ...answers);

describe.runIf(pty !== null)("baton setup, in a terminal", () => {
  test("asks, tries the key, lists the models, hides the key, and writes it all down with comments", async () => {
    const home = makeHome();
    const work = join(home, "..", "work");
    const { code, output } = await answer(
      home,
      atAnthropic(),
      ["Which model provider do you want to use?", ENTER],
      ["The API key for Anthropic", `${SECRET}${ENTER}`],
      ["claude-haiku", ENTER],
      ["It answers.", ""],
      ["Which folder", `${work}${ENTER}`],
      ["What is your time zone", ENTER],
    );
    expect(code).toBe(0);
    expect(server.requests.map(({ body, headers }) => [body.model, headers["x-api-key"]])).toEqual([
      ["claude-sonnet-5-5", SECRET],
    ]);
    expect(output).not.toContain(SECRET);
    expect(output).not.toContain("canary");
    const key = join(home, "secrets", "anthropic.key");
    expect(readFileSync(key, "utf8")).toBe(`${SECRET}\n`);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "secrets")).mode & 0o777).toBe(0o700);
    expect(configOf(home)).not.toContain(SECRET);
    expect(configOf(home)).toMatch(/^# Settings of Baton/);
    expect(configOf(home)).toMatch(/agent:\n {2}# .+\n {2}provider: anthropic\n {2}# .+\n {2}model: claude-/);
    expect(configOf(home)).toContain("apiKey: { file: secrets/anthropic.key }");
    expect(configOf(home)).toContain(`workdir: ${work}`);
    expect((await baton(home, ["config", "check"])).code).toBe(0);
  });

  test("run again, offers what is there and keeps what it does not ask about", async () => {
    const home = makeHome();
    mkdirSync(join(home, "secrets"), { mode: 0o700 });
    writeFileSync(join(home, "secrets", "openai.key"), `${SECRET}\n`, { mode: 0o600 });
    const before = `# mine
agent:
  provider: openai # paid by the club
  model: gpt-x
  baseUrl: ${server.url}
  apiKey: { file: secrets/openai.key }
  maxMessages: 7
timezone: Europe/Berlin
mirror: jsonl
`;
    writeFileSync(join(home, "config.yaml"), before, { mode: 0o600 });
    server.models = []; // Then only the person knows the name.
    const { code } = await answer(
      home,
      {},
      ["Which model provider do you want to use?", ENTER],
      ["Which API key", ENTER],
      ["Which model?", `-large${ENTER}`],
      ["Which folder", ENTER],
      ["What is your time zone", ENTER],
    );
    expect(code).toBe(0);
    expect(configOf(home)).toBe(before.replace("gpt-x", "gpt-x-large"));
    expect(readFileSync(join(home, "secrets", "openai.key"), "utf8")).toBe(`${SECRET}\n`);
  });

  test("a key of the environment can be copied for the service", async () => {
    const home = makeHome();
    const { code, output } = await answer(
      home,
      { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: server.url },
      ["OPENAI_API_KEY is set", ENTER],
      ["copied into a private file", ENTER],
      ["Which model?", `${DOWN}${ENTER}`],
      ["Which folder", ENTER],
      ["What is your time zone", ENTER],
    );
    expect(code).toBe(0);
    expect(output).not.toContain(SECRET);
    expect(configOf(home)).toContain("model: claude-sonnet-5-5\n");
    expect(readFileSync(join(home, "secrets", "openai.key"), "utf8")).toBe(`${SECRET}\n`);
  });

  test("a wrong key, a wrong name and a server that does not answer are told, and asked about again", async () => {
    const home = makeHome();
    server.script = ({ body, headers }) =>
      headers["x-api-key"] !== SECRET
        ? { status: 401 }
        : body.model === "claude-haiku"
          ? { status: 404, message: "model: claude-haiku" }
          : { text: "ok" };
    const { code, output } = await answer(
      home,
      atAnthropic(),
      ["Which model provider do you want to use?", ENTER],
      ["The API key for Anthropic", `sk-wrong${ENTER}`],
      ["claude-haiku", `\u001b[A${ENTER}`],
      ["refused the API key", ""],
      ["Enter another key", ENTER],
      ["The API key for Anthropic", `${SECRET}${ENTER}`],
      ["claude-haiku", `\u001b[A${ENTER}`],
      ['has no model called "claude-haiku"', ""],
      ["Choose another model", `${DOWN.repeat(2)}${ENTER}`],
      ["Which model?", ENTER],
      ["It answers.", ""],
      ["Which folder", ENTER],
      ["What is your time zone", ENTER],
    );
    expect(code).toBe(0);
    expect(output).not.toContain(SECRET);
    expect(configOf(home)).toContain("model: claude-sonnet-5-5\n");
  });

  test("a wrong path can be corrected, and a model that is not in the list can be named", async () => {
    const home = makeHome();
    server.script = ({ path }) =>
      path.includes("nowhere") ? { status: 404, message: "Not Found" } : { text: "ok" };
    const { code } = await answer(
      home,
      {},
      ["Which model provider do you want to use?", `${DOWN.repeat(4)}${ENTER}`],
      ["What is the address", `${server.url}/nowhere${ENTER}`],
      ["Which API key", `${DOWN}${ENTER}`],
      ["Which model?", ENTER],
      [`there is no model API at ${server.url}/nowhere`, ""],
      ["Enter another address", `${DOWN.repeat(2)}${ENTER}`],
      // What was typed is there, to be corrected.
      [`${server.url}/nowhere`, `${"\u007f".repeat("/nowhere".length)}${ENTER}`],
      ["Another one: type its name", `\u001b[A${ENTER}`],
      ["Which model?", `model-of-mine${ENTER}`],
      ["It answers.", ""],
      ["Which folder", ENTER],
      ["What is your time zone", ENTER],
    );
    expect(code).toBe(0);
    expect(configOf(home)).toContain(`baseUrl: ${server.url}\n`);
    expect(configOf(home)).toContain("model: model-of-mine\n");
  });

  test("what does not answer can be saved anyway, and Ctrl-C leaves while it waits", async () => {
    const home = makeHome();
    server.play({ status: 500 });
    const { code } = await answer(
      home,
      atAnthropic(),
      ["Which model provider do you want to use?", ENTER],
      ["The API key for Anthropic", `${SECRET}${ENTER}`],
      ["claude-haiku", ENTER],
      ["reported a server error", ""],
      ["Save it anyway", `\u001b[A${ENTER}`],
      ["Which folder", ENTER],
      ["What is your time zone", ENTER],
    );
    expect(code).toBe(0);
    const other = makeHome();
    server.play({ ending: "hang" });
    const left = await answer(
      other,
      atAnthropic(),
      ["Which model provider do you want to use?", ENTER],
      ["The API key for Anthropic", `${SECRET}${ENTER}`],
      ["claude-haiku", ENTER],
      ["a short question", "\u0003"],
    );
    expect(left).toMatchObject({ code: 1, output: expect.stringContaining("Nothing was changed.") });
    expect(readdirSync(other)).toEqual([]);
  });

  test.each([1, 2, 3, 4])("Ctrl-C at question %i leaves everything as it was", async (last) => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), "# mine\n");
    const questions: [string, string][] = [
      ["Which model provider do you want to use?", ENTER],
      ["The API key for Anthropic", `${SECRET}${ENTER}`],
      ["Which model?", ENTER],
      ["Which folder", ENTER],
    ];
    const asked = questions.slice(0, last).map(([question, keys], index) => {
      return [question, index === last - 1 ? "\u0003" : keys] as const;
    });
    const { code, output } = await answer(home, atAnthropic(), ...asked);
    expect(code).toBe(1);
    expect(output).toContain("Nothing was changed.");
    expect(configOf(home)).toBe("# mine\n");
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("what cannot be is said at the question", async () => {
    const home = makeHome();
    server.models = [];
    const { code } = await answer(
      home,
      {},
      ["Which model provider do you want to use?", `${DOWN.repeat(4)}${ENTER}`],
      ["What is the address", `localhost${ENTER}`],
      ["Enter a URL", `\u0015${server.url}${ENTER}`],
      ["Which API key", `${DOWN}${ENTER}`],
      ["Which model?", `local${ENTER}`],
      ["Which folder", `/not/there${ENTER}`],
      ["This folder does not exist", `\u0015${ENTER}`],
      ["What is your time zone", `x${ENTER}`],
      ["Enter a name such as", `\u007f${ENTER}`],
    );
    expect(code).toBe(0);
    expect(configOf(home)).toMatch(
      /provider: openai-compatible\n.*\n {2}model: local\n.*\n {2}baseUrl: http:\/\/127/,
    );
    expect(configOf(home)).not.toContain("apiKey");
    expect(existsSync(join(home, "secrets"))).toBe(false);
  });
});

describe("baton setup, without a terminal", () => {
  test("says what to do instead of asking, and shows no key", async () => {
    const home = makeHome();
    const run = await baton(home, ["setup"], { env: { ...CLOSED, OPENAI_API_KEY: SECRET } });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("Found: OpenAI (OPENAI_API_KEY). Run `baton setup --yes` to use OpenAI.");
    expect(run.stderr).toContain("baton config set agent.provider");
    expect(run.stderr).not.toContain(SECRET);
    expect(readdirSync(home)).toEqual([]);
  });

  test("--yes takes what is found, and writes no key down", async () => {
    const home = makeHome();
    const env = { ...CLOSED, OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: server.url };
    const run = await baton(home, ["setup", "--yes"], { env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(configOf(home)).toContain("provider: openai\n");
    expect(configOf(home)).toContain(`baseUrl: ${server.url}\n`);
    expect(configOf(home)).not.toContain("apiKey");
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("--yes fails if the model does not answer, says why, and has saved what it found", async () => {
    const home = makeHome();
    server.play({ status: 401 });
    const env = { ...CLOSED, OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: server.url };
    const run = await baton(home, ["setup", "--yes"], { env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toBe(
      `baton: Saved in ${join(home, "config.yaml")}, but the model does not answer: ${server.host} refused the API key. Check OPENAI_API_KEY.\n`,
    );
    expect(configOf(home)).toContain("provider: openai\n");
  });

  test("--yes finds a local Ollama and its model", async () => {
    const home = makeHome();
    const ollama = server.host;
    server.models = ["qwen3:4b"];
    const run = await baton(home, ["setup", "--yes", "--json"], { env: { OLLAMA_HOST: ollama } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toEqual({
      provider: "ollama",
      model: "qwen3:4b",
      file: join(home, "config.yaml"),
      key: null,
      problem: null,
    });
    expect(configOf(home)).toContain(`baseUrl: http://${ollama}/v1`);
  });

  test("--yes says how to install the command if it is not on the PATH", async () => {
    server.models = ["qwen3:4b"];
    const PATH = (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.endsWith("test/support/bin"))
      .join(delimiter);
    const hint = /^To call it just "baton", in any folder, install it once: `npm install -g \/\S+`$/m;
    const setup = (env: Record<string, string>) =>
      baton(makeHome(), ["setup", "--yes"], { env: { OLLAMA_HOST: server.host, ...env } });
    expect((await setup({ PATH })).stdout).toMatch(hint);
    expect((await setup({})).stdout).not.toContain("npm install");
  });

  test("--yes keeps a server of one's own that is named by its address alone", async () => {
    const home = makeHome();
    const before = `agent:\n  baseUrl: ${server.url}\n  apiKey: { file: own.key }\n`;
    writeFileSync(join(home, "config.yaml"), before, { mode: 0o600 });
    writeFileSync(join(home, "own.key"), "k\n", { mode: 0o600 });
    const run = await baton(home, ["setup", "--yes"], { env: { ...CLOSED, ANTHROPIC_API_KEY: SECRET } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(configOf(home)).toContain(before);
    expect(configOf(home)).toContain("provider: openai-compatible\n");
  });

  test("--yes with nothing to be found fails, says so, and writes nothing", async () => {
    const home = makeHome();
    const run = await baton(home, ["setup", "--yes"], { env: CLOSED });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("Found no API key in the environment and no local Ollama.");
    expect(readdirSync(home)).toEqual([]);
  });
});
