import { describe, expect, test } from "vitest";
import {
  changesFor,
  type Found,
  instructions,
  likelyProvider,
  type SetupAnswers,
  usualAnswers,
} from "./answers.js";
import { ollamaUrl } from "./ollama.js";

const nothing: Found = {
  keys: {},
  openaiBaseUrl: null,
  ollama: { url: "http://127.0.0.1:11434", models: null },
  present: { provider: null, model: null, baseUrl: null, hasKeyFile: false, workdir: null, timezone: null },
  hostTimezone: "UTC",
};
const anthropic = { anthropic: { variable: "ANTHROPIC_API_KEY", value: "k" } };
const local = { url: "http://127.0.0.1:11434", models: ["llama3:8b", "qwen3"] };

describe("what is taken without asking", () => {
  test.each<[string, Partial<Found>, Partial<SetupAnswers> | null]>([
    ["nothing is found", {}, null],
    ["an Ollama without models", { ollama: { ...local, models: [] } }, null],
    [
      "a key",
      { keys: anthropic },
      { provider: "anthropic", model: "claude-sonnet-5-5", key: { kind: "none" } },
    ],
    ["a local model", { ollama: local }, { provider: "ollama", model: "llama3:8b", baseUrl: null }],
    [
      "a local model elsewhere",
      { ollama: { ...local, url: "http://box:11434" } },
      { provider: "ollama", baseUrl: "http://box:11434/v1" },
    ],
    ["both", { ollama: local, keys: anthropic }, { provider: "anthropic" }],
    [
      "a key for another address",
      {
        keys: { openai: { variable: "OPENAI_API_KEY", value: "k" } },
        openaiBaseUrl: "https://proxy.example/v1",
      },
      { provider: "openai", baseUrl: "https://proxy.example/v1", model: null },
    ],
    [
      "a key for a model that was chosen before",
      { keys: anthropic, present: { ...nothing.present, model: "m" } },
      { provider: "anthropic", model: "m" },
    ],
    [
      "what was chosen before",
      {
        keys: anthropic,
        present: { ...nothing.present, provider: "openrouter", model: "m", hasKeyFile: true, workdir: "/w" },
      },
      { provider: "openrouter", model: "m", key: { kind: "kept" }, workdir: "/w" },
    ],
    ["a choice whose key is gone", { present: { ...nothing.present, provider: "openai", model: "m" } }, null],
    [
      "offline",
      { present: { ...nothing.present, provider: "offline" } },
      { provider: "offline", model: null },
    ],
  ])("%s", (_, found, expected) => {
    const usual = usualAnswers({ ...nothing, ...found });
    if (expected === null) expect(usual).toBeNull();
    else expect(usual).toMatchObject(expected);
  });

  test("a provider that this Baton does not know is no obstacle", () => {
    const present = { ...nothing.present, provider: "elsewhere" };
    expect(likelyProvider({ ...nothing, present }).name).toBe("anthropic");
  });
});

test("what is not there any more is taken away; a key that is kept is not touched", () => {
  const answers: SetupAnswers = {
    provider: "offline",
    model: null,
    baseUrl: null,
    key: { kind: "none" },
    workdir: null,
    timezone: "UTC",
  };
  expect(Object.fromEntries(changesFor(answers))).toEqual({
    "agent.provider": "offline",
    "agent.model": undefined,
    "agent.baseUrl": undefined,
    "agent.apiKey": undefined,
    "agent.workdir": undefined,
    timezone: "UTC",
  });
  expect(changesFor({ ...answers, key: { kind: "kept" } }).has("agent.apiKey")).toBe(false);
  const typed = changesFor({ ...answers, provider: "openai", key: { kind: "typed", value: "secret" } });
  expect(typed.get("agent.apiKey")).toEqual({ file: "secrets/openai.key" });
  expect(JSON.stringify([...typed])).not.toContain('"secret"');
});

test("where nobody can be asked, it says what was found, without the key", () => {
  const said = instructions({
    ...nothing,
    keys: { anthropic: { variable: "ANTHROPIC_API_KEY", value: "canary" } },
  });
  expect(said[0]).toBe("Found: Anthropic (ANTHROPIC_API_KEY). Run `baton setup --yes` to use Anthropic.");
  expect(said.join()).not.toContain("canary");
  expect(instructions(nothing)[0]).toContain("Found no API key in the environment");
  const present = { ...nothing.present, provider: "openai" };
  expect(instructions({ ...nothing, keys: anthropic, present })[0]).toBe(
    "Found: Anthropic (ANTHROPIC_API_KEY). config.yaml names openai, but its API key is missing.",
  );
});

test.each([
  [null, "http://127.0.0.1:11434"],
  ["", "http://127.0.0.1:11434"],
  ["box", "http://box:11434"],
  ["box:1234", "http://box:1234"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  [":1234", "http://127.0.0.1:1234"],
  ["0.0.0.0:80", "http://127.0.0.1:80"],
  ["http://box", "http://box"],
  ["https://box:8443/path", "https://box:8443/path"],
  ["[::]:11434", "http://127.0.0.1:11434"],
  ["not a host", "http://127.0.0.1:11434"],
])("OLLAMA_HOST=%j is %s", (host, url) => {
  expect(ollamaUrl(host)).toBe(url);
});
