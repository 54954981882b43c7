/** `baton doctor` asks the model and the platforms. What does not answer is broken, and each cause has its own sentence. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Finding } from "../src/util/finding.js";
import { baton, makeHome } from "./support/baton.js";
import { ConnectProxy } from "./support/connect-proxy.js";
import { ModelServer, type Reply } from "./support/model-server.js";
import { TelegramServer } from "./support/telegram-server.js";

const KEY = "sk-canary-0123456789";
let server: ModelServer;
let proxy: ConnectProxy;
let telegram: TelegramServer;
/** A web page at every path, as a server's own start page. */
const pages = createServer((_, response) =>
  response.setHeader("content-type", "text/html").end("<h1>Hi</h1>"),
);
let page = "";

beforeAll(async () => {
  [server, proxy, telegram] = await Promise.all([
    ModelServer.start(),
    ConnectProxy.open(),
    TelegramServer.start(),
  ]);
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  page = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
});
beforeEach(() => {
  server.play({ text: "ok" });
  proxy.refusal = null;
});
afterAll(async () => {
  pages.close();
  proxy.close();
  await Promise.all([server.close(), telegram.close()]);
});

async function doctor(env: Record<string, string>, words: readonly string[] = [], config = "") {
  const home = makeHome();
  writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
  const { code, stdout, stderr } = await baton(home, ["doctor", "--json", ...words], { env });
  expect(stdout + stderr).not.toContain("canary");
  return { code, findings: JSON.parse(stdout).findings as Finding[] };
}

const atOpenai = () => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url });

describe("the model", () => {
  test("that answers is well, after one short request", async () => {
    const { code, findings } = await doctor(atOpenai());
    expect(code).toBe(0);
    expect(findings).toContainEqual({
      check: "model",
      status: "ok",
      finding: "openai, model-a (by OPENAI_API_KEY) answers",
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 16 });
    expect(server.requests[0]?.body.tools).toBeUndefined();
  });

  test("that takes no limit is asked without it, and one that only thinks has answered", async () => {
    server.play(
      { status: 400, message: "Unsupported parameter: 'max_tokens' is not supported with this model." },
      { reasoning: "hm", finish: "length" },
    );
    expect((await doctor(atOpenai())).code).toBe(0);
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([16, undefined]);
  });

  const refused: [string, Reply, RegExp][] = [
    ["a wrong key", { status: 401 }, /refused the API key\. Check OPENAI_API_KEY\.$/],
    [
      "a wrong name",
      { status: 404, message: "The model `model-a` does not exist" },
      /^127\.0\.0\.1:\d+ has no model called "model-a"\./,
    ],
    [
      "a wrong path",
      { status: 404, message: "Not Found" },
      /answers, but there is no model API at http:\/\/127\.0\.0\.1:\d+\/v1\. Check OPENAI_BASE_URL; it often ends in \/v1\.$/,
    ],
    ["no credit", { status: 429, type: "insufficient_quota" }, /no credit or quota left/],
  ];
  test.each(refused)("%s is told", async (_, reply, says) => {
    server.play(reply);
    const { code, findings } = await doctor(atOpenai());
    expect(code).toBe(1);
    expect(findings.find(({ check }) => check === "model")).toMatchObject({
      status: "broken",
      finding: expect.stringMatching(says),
      fix: expect.stringMatching(/baton/),
    });
  });

  test("is not at a web page", async () => {
    const agent = `agent: { provider: openai-compatible, baseUrl: "${page}", model: m }\n`;
    const { code, findings } = await doctor({}, [], agent);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "model",
        finding: expect.stringMatching(/there is no model API at .*Check agent\.baseUrl/),
      }),
    );
  });

  test("behind a proxy: what the proxy does is told from what the server does", async () => {
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "http://model.test/v1", BATON_AGENT_MODEL: "m" };
    const model = async (more: Record<string, string>) =>
      (await doctor({ ...env, ...more })).findings.find(({ check }) => check === "model")?.finding;
    proxy.refusal = "407 Proxy Authentication Required";
    expect(await model({ BATON_PROXY: proxy.url })).toMatch(
      /^The proxy 127\.0\.0\.1:\d+ wants a user name and a password and does not let Baton reach model\.test\. It is set by `proxy`/,
    );
    proxy.refusal = "503 Service Unavailable";
    expect(await model({ BATON_PROXY: proxy.url })).toMatch(
      /^Can't reach model\.test through the proxy 127\.0\.0\.1:\d+ \(it answered HTTP 503\)\./,
    );
    expect(await model({ BATON_PROXY: "http://127.0.0.1:9" })).toMatch(
      /^Can't reach model\.test through the proxy 127\.0\.0\.1:9\. Check that the proxy is running\./,
    );
    expect(await model({ OPENAI_BASE_URL: "http://127.0.0.1:2/v1" })).toMatch(
      /^Can't reach the model's server at 127\.0\.0\.1:2\. Check that it is running/,
    );
  });

  test("and a second one that is asked if the first one fails", async () => {
    server.script = ({ body }) =>
      body.model === "other" ? { status: 404, message: "model not found" } : { text: "ok" };
    const { code, findings } = await doctor(atOpenai(), [], "agent: { fallback: { model: other } }\n");
    expect(code).toBe(1);
    expect(findings.filter(({ check }) => check.includes("model")).map(({ status }) => status)).toEqual([
      "ok",
      "broken",
    ]);
  });

  test("is not asked with --offline", async () => {
    const { code, findings } = await doctor(atOpenai(), ["--offline"]);
    expect(code).toBe(0);
    expect(findings.find(({ check }) => check === "model")?.finding).toMatch(/; not asked$/);
    expect(server.requests).toEqual([]);
  });
});

describe("a platform", () => {
  const config = () =>
    `agent: { provider: offline }\nplatforms: { telegram: { baseUrl: "${telegram.url}" } }\n`;

  test("says whose the bot is", async () => {
    const { code, findings } = await doctor({ TELEGRAM_BOT_TOKEN: telegram.token }, [], config());
    expect(code).toBe(0);
    expect(findings).toContainEqual({
      check: "telegram",
      status: "ok",
      finding: "answers; connected as @crabline_bot (Crabline, 424242)",
    });
  });

  test("that refuses the token, or does not answer, is broken", async () => {
    const wrong = await doctor({ TELEGRAM_BOT_TOKEN: "123456:canary-canary-canary" }, [], config());
    expect(wrong.code).toBe(1);
    expect(wrong.findings.find(({ check }) => check === "telegram")).toMatchObject({
      status: "broken",
      fix: "run `baton setup telegram` to correct its settings",
    });
    const gone = config().replace(telegram.url, "http://127.0.0.1:2");
    const silent = await doctor({ TELEGRAM_BOT_TOKEN: telegram.token }, [], gone);
    expect(silent.code).toBe(1);
    expect(silent.findings.find(({ check }) => check === "telegram")).toMatchObject({
      status: "broken",
      fix: expect.stringContaining("check the network"),
    });
  });

  test("that is only half set up is broken", async () => {
    const { code, findings } = await doctor(
      { SLACK_BOT_TOKEN: "xoxb-1" },
      [],
      "agent: { provider: offline }\n",
    );
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "platforms",
        status: "broken",
        finding: expect.stringMatching(/^Slack is off: it also needs SLACK_APP_TOKEN/),
      }),
    );
  });
});
