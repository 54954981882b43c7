import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkConfig } from "./check.js";
import { readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";
import { chooseFallback, chooseModel, type ProbeOllama } from "./model-choice.js";
import { ollamaUrl, versionedUrl } from "./model-url.js";
import { settingsOf } from "./settings.js";

const KEY = "sk-canary-0123456789";
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-model-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const nobody: ProbeOllama = async () => null;

async function facts(variables: Record<string, string>, file?: string) {
  if (file !== undefined) writeFileSync(join(home, "config.yaml"), file);
  const environment = readEnvironment({ BATON_HOME: home, ...variables });
  const config = await loadConfig(environment, join(home, ".."));
  return { config, agent: config.agent, places: config.places, variables: environment.models };
}

async function choice(variables: Record<string, string>, file?: string, probe = nobody) {
  return chooseModel(await facts(variables, file), probe);
}

describe("where nothing is configured", () => {
  const all = {
    ANTHROPIC_API_KEY: KEY,
    OPENAI_API_KEY: KEY,
    OPENROUTER_API_KEY: KEY,
    OLLAMA_HOST: "box:1234",
  };

  test("the first of the usual variables, in a fixed order", async () => {
    const left: Record<string, string> = { ...all };
    const order: [string, string, string][] = [];
    for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_HOST"]) {
      const chosen = await choice(left);
      order.push([chosen?.provider ?? "", chosen?.from.provider ?? "", chosen?.baseUrl ?? ""]);
      delete left[name];
    }
    expect(order).toEqual([
      ["anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"],
      ["openai", "OPENAI_API_KEY", "https://api.openai.com/v1"],
      ["openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"],
      ["ollama", "OLLAMA_HOST", "http://box:1234/v1"],
    ]);
    expect(await choice(left)).toBeNull();
  });

  test("each has a usual model; another server's is the first that it lists", async () => {
    for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"]) {
      expect((await choice({ [name]: KEY }))?.model).toMatch(/\S/);
    }
    const own = await choice({ OPENAI_BASE_URL: "http://127.0.0.1:8080" });
    expect(own).toMatchObject({
      provider: "openai",
      baseUrl: "http://127.0.0.1:8080/v1",
      model: null,
      apiKey: null,
    });
  });

  test("an Ollama is asked for only where nothing else is set, and counts only with a model", async () => {
    const asked: string[] = [];
    const probe: ProbeOllama = async (url) => {
      asked.push(url);
      return ["llama3.2", "qwen3"];
    };
    await choice({ OPENAI_API_KEY: KEY }, undefined, probe);
    expect(asked).toEqual([]);
    expect(await choice({}, undefined, probe)).toMatchObject({ provider: "ollama", model: "llama3.2" });
    expect(asked).toEqual(["http://127.0.0.1:11434/v1"]);
    expect(await choice({}, undefined, async () => [])).toBeNull();
    expect(await choice({ OLLAMA_HOST: "box" })).toMatchObject({ provider: "ollama", model: null });
    expect(await choice({}, "agent: { model: qwen3 }\n", probe)).toMatchObject({
      provider: "ollama",
      model: "qwen3",
    });
    expect(await choice({}, "agent: { model: qwen3 }\n")).toBeNull();
  });

  test("an OLLAMA_HOST that is no address is refused, and not taken for this machine", async () => {
    await expect(choice({ OLLAMA_HOST: "box:port" })).rejects.toThrow("OLLAMA_HOST is not the address");
  });

  test("empty variables count as absent", async () => {
    expect(await choice({ OPENAI_API_KEY: " ", OLLAMA_HOST: "" })).toBeNull();
  });

  test.each([
    ["nonsense", "OPENAI_BASE_URL is not the address of a server"],
    ["ftp://x", "OPENAI_BASE_URL is not the address of a server"],
    ["http://me:hunter2@host", "do not write a key into an address"],
  ])("a variable that is no address (%s) is refused, and not repeated", async (url, message) => {
    const refusal = await choice({ OPENAI_BASE_URL: url }).catch((error: Error) => error.message);
    expect(refusal).toContain(message);
    expect(refusal).not.toContain("hunter2");
  });
});

describe("what is configured", () => {
  test("wins over the variables, and says where it stands", async () => {
    const file = "agent:\n  provider: openai\n  model: gpt-x\n";
    const chosen = await choice({ ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY }, file);
    expect(chosen).toMatchObject({
      provider: "openai",
      model: "gpt-x",
      keySetting: "OPENAI_API_KEY",
      from: {
        provider: join(home, "config.yaml:2"),
        model: join(home, "config.yaml:3"),
        apiKey: "OPENAI_API_KEY",
        baseUrl: "default",
      },
    });
    expect(chosen?.apiKey?.reveal()).toBe(KEY);
  });

  test("`offline` is the offline agent, whatever else is there", async () => {
    expect(
      await choice({ OPENAI_API_KEY: KEY }, "agent: { provider: offline }\n", async () => ["x"]),
    ).toBeNull();
  });

  test("an address alone is a server of one's own, which is not sent the key of another", async () => {
    const chosen = await choice(
      { OPENAI_API_KEY: KEY },
      "agent: { baseUrl: http://127.0.0.1:8080, model: m }\n",
    );
    expect(chosen).toMatchObject({ provider: "openai-compatible", apiKey: null, keySetting: "agent.apiKey" });
  });

  test("a key in a file, and by variable", async () => {
    mkdirSync(join(home, "keys"));
    writeFileSync(join(home, "keys/a"), `${KEY}\n`, { mode: 0o600 });
    const file = "agent: { provider: anthropic, apiKey: { file: keys/a } }\n";
    const chosen = await choice({}, file);
    expect(chosen?.apiKey?.reveal()).toBe(KEY);
    expect(chosen?.keySetting).toBe("agent.apiKey");
    const other = await choice({ BATON_AGENT_API_KEY: "other" }, file);
    expect(other?.apiKey?.reveal()).toBe("other");
    expect(other?.keySetting).toBe("BATON_AGENT_API_KEY");
  });

  test("a fallback: another model there, or another provider", async () => {
    const given = await facts(
      { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: "other" },
      "agent: { fallback: { model: small } }\n",
    );
    const first = await chooseModel(given, nobody);
    if (!first) throw new Error("There is one.");
    expect(chooseFallback(given, first)).toMatchObject({ provider: "anthropic", model: "small" });
    const elsewhere = await facts(
      { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: "other" },
      "agent: { fallback: { provider: openai, model: small } }\n",
    );
    const fallback = chooseFallback(elsewhere, first);
    expect(fallback).toMatchObject({ provider: "openai", model: "small" });
    expect(fallback?.apiKey?.reveal()).toBe("other");
    expect(chooseFallback(await facts({ ANTHROPIC_API_KEY: KEY }, ""), first)).toBeNull();
  });

  test.each([
    ["agent: { apiKey: { file: k } }\n", /agent\.apiKey is set, but not its provider/],
    ["agent: { provider: openai-compatible }\n", /set agent\.baseUrl too/],
    [
      "agent: { provider: openai, apiKey: { file: gone } }\n",
      /agent\.apiKey: The secret in .* cannot be used/,
    ],
  ])("what cannot be meant is found by a check: %s", async (file, message) => {
    writeFileSync(join(home, "k"), KEY, { mode: 0o600 });
    writeFileSync(join(home, "config.yaml"), file);
    const { problems } = await checkConfig(readEnvironment({ BATON_HOME: home }), join(home, ".."));
    expect(problems.map((problem) => problem.message).join()).toMatch(message);
  });

  test.each([
    [`agent: { provider: openai, apiKey: ${KEY} }\n`, /do not write a secret into this file/],
    ["agent: { provider: mistral }\n", /agent\.provider/],
    ["agent: { baseUrl: localhost }\n", /give the address of a server/],
    [`agent: { baseUrl: "http://${KEY}@host" }\n`, /do not write a key into an address/],
    ["agent: { prices: { m: { input: -1, output: 1 } } }\n", /0 or more/],
    ["agent: { maxSteps: 0 }\n", /whole number of steps/],
  ])("is refused without repeating it: %s", async (file, message) => {
    const refusal = await facts({}, file).catch((error: Error) => error.message);
    expect(refusal).toMatch(message);
    expect(refusal).not.toContain(KEY);
  });

  test("a project's file has no say in it", async () => {
    const work = join(home, "work");
    mkdirSync(work);
    for (const line of ["provider: offline", "baseUrl: http://evil.example", "model: x", "prices: {}"]) {
      writeFileSync(join(work, "baton.yaml"), `agent: { ${line} }\n`);
      await expect(loadConfig(readEnvironment({ BATON_HOME: home }), work)).rejects.toThrow(/project's file/);
    }
  });
});

describe("shown settings", () => {
  test("have what was chosen and why, and no key", async () => {
    const given = await facts(
      { OPENAI_API_KEY: KEY, BATON_AGENT_FALLBACK_API_KEY: `${KEY}2` },
      "agent: { fallback: { provider: anthropic } }\n",
    );
    const settings = settingsOf(given.config, await chooseModel(given, nobody));
    const of = (key: string) => settings.find((setting) => setting.key === key);
    expect(of("agent.provider")).toMatchObject({ value: "openai", from: "OPENAI_API_KEY" });
    expect(of("agent.apiKey")).toMatchObject({ value: "***", from: "OPENAI_API_KEY" });
    expect(of("agent.fallback.apiKey")).toMatchObject({ value: "***", from: "BATON_AGENT_FALLBACK_API_KEY" });
    expect(JSON.stringify(settings)).not.toContain(KEY);
    expect(settingsOf(given.config, null).find(({ key }) => key === "agent.provider")?.value).toBe("offline");
  });
});

describe("addresses", () => {
  test.each([
    ["box", "http://box:11434/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    [":1234", "http://127.0.0.1:1234/v1"],
    ["http://box:1/", "http://box:1/v1"],
    ["http://box", "http://box/v1"],
    ["https://box", "https://box/v1"],
    ["::1", "http://[::1]:11434/v1"],
    ["[::1]:99", "http://[::1]:99/v1"],
  ])("OLLAMA_HOST=%s is %s", (written, url) => {
    expect(ollamaUrl(written)).toBe(url);
  });

  test("a path that is given stays", () => {
    expect(versionedUrl("http://h/api/v3/")).toBe("http://h/api/v3");
    expect(versionedUrl("http://h:8080/")).toBe("http://h:8080/v1");
  });
});
