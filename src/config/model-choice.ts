/**
 * Which model answers, and why: what is set wins; else the first of the usual variables, in a fixed order; else an Ollama
 * on this machine, if one answers; else none. Pure but for the probe that is passed in, which is asked only then.
 */

import { InputError } from "../session/errors.js";
import { parsedUrl } from "../util/parsed-url.js";
import type { Secret } from "../util/secret.js";
import type { AgentConfig, EndpointConfig } from "./config.js";
import { ollamaUrl, versionedUrl } from "./model-url.js";
import type { ModelVariables } from "./model-variables.js";
import { placeText, type SettingPlace } from "./problem.js";

export type ProviderName = NonNullable<EndpointConfig["provider"]>;
type OnlineProvider = Exclude<ProviderName, "offline">;

export interface ModelChoice {
  readonly provider: OnlineProvider;
  readonly baseUrl: string;
  /** Null for the first one that is offered there. */
  readonly model: string | null;
  readonly apiKey: Secret | null;
  /** How many tokens the model takes, for a request and its answer together. */
  readonly contextTokens: number;
  /** What to set for another key: a variable, or a key of the configuration. */
  readonly keySetting: string;
  /** Where each comes from: `OPENAI_API_KEY`, file and line, `default`. */
  readonly from: Readonly<Record<"provider" | "baseUrl" | "model" | "apiKey", string>>;
}

/** What there is to go by. */
export interface ModelFacts {
  readonly agent: AgentConfig;
  readonly places: ReadonlyMap<string, SettingPlace>;
  readonly variables: ModelVariables;
}

/** The models that are installed at an Ollama; null where none answers. */
export type ProbeOllama = (baseUrl: string) => Promise<readonly string[] | null>;

interface ProviderTraits {
  /** Null where there is no usual one. */
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly keyVariable: string | null;
  readonly urlVariable: string | null;
  readonly contextTokens: number;
}

/** The model that is asked where nobody says which; null where only its server knows. */
export function usualModel(provider: OnlineProvider): string | null {
  return PROVIDER_TRAITS[provider].model;
}

const PROVIDER_TRAITS: Readonly<Record<OnlineProvider, ProviderTraits>> = {
  anthropic: {
    baseUrl: "https://api.anthropic.com/v1",
    model: "claude-sonnet-5-5",
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
    contextTokens: 200_000,
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    model: "gpt-5.4-mini",
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    contextTokens: 128_000,
  },
  openrouter: {
    baseUrl: "https://openrouter.ai/api/v1",
    model: "openrouter/auto",
    keyVariable: "OPENROUTER_API_KEY",
    urlVariable: null,
    contextTokens: 128_000,
  },
  ollama: {
    baseUrl: "http://127.0.0.1:11434/v1",
    model: null,
    keyVariable: null,
    urlVariable: "OLLAMA_HOST",
    contextTokens: 8_192,
  },
  "openai-compatible": {
    baseUrl: null,
    model: null,
    keyVariable: null,
    urlVariable: null,
    contextTokens: 128_000,
  },
};

/** In this order; a base URL of OpenAI's alone is a server of one's own that wants no key. */
const BY_VARIABLE: readonly (readonly [variable: keyof ModelVariables, provider: OnlineProvider])[] = [
  ["ANTHROPIC_API_KEY", "anthropic"],
  ["OPENAI_API_KEY", "openai"],
  ["OPENAI_BASE_URL", "openai"],
  ["OPENROUTER_API_KEY", "openrouter"],
  ["OLLAMA_HOST", "ollama"],
];

/** Null for the offline agent. */
export async function chooseModel(facts: ModelFacts, probe: ProbeOllama): Promise<ModelChoice | null> {
  const set = providerSet(facts, "agent");
  if (set === "offline") return null;
  const variable = set ? undefined : BY_VARIABLE.find(([name]) => facts.variables[name] !== null);
  const provider = set ?? variable?.[1] ?? "ollama";
  const why = set ? whereSet(facts, "agent") : (variable?.[0] ?? "an Ollama that answers on this machine");
  const choice = choiceOf(facts, "agent", provider, why);
  if (provider !== "ollama" || (choice.model !== null && (set || variable))) return choice;
  const installed = await probe(choice.baseUrl);
  const [first] = installed ?? [];
  if (!set && !variable && first === undefined) return null;
  if (choice.model !== null || first === undefined) return choice;
  return { ...choice, model: first, from: { ...choice.from, model: "the first one installed" } };
}

/** The one to ask where the first one fails; null where none is set. */
export function chooseFallback(facts: ModelFacts, first: ModelChoice): ModelChoice | null {
  const { model } = facts.agent.fallback;
  const set = providerSet(facts, "agent.fallback");
  if (set === "offline") return null;
  if (set) return choiceOf(facts, "agent.fallback", set, whereSet(facts, "agent.fallback"));
  if (model === null) return null;
  const contextTokens = facts.agent.fallback.contextTokens ?? first.contextTokens;
  return {
    ...first,
    model,
    contextTokens,
    from: { ...first.from, model: placed(facts, "agent.fallback.model") },
  };
}

type EndpointKey = "agent" | "agent.fallback";

function settingsIn({ agent }: ModelFacts, group: EndpointKey): EndpointConfig {
  return group === "agent" ? agent : agent.fallback;
}

/** A server of one's own is named by its address alone. */
function providerSet(facts: ModelFacts, group: EndpointKey): ProviderName | null {
  const { provider, baseUrl, apiKey } = settingsIn(facts, group);
  if (provider !== null) return provider;
  if (baseUrl !== null) return "openai-compatible";
  if (apiKey === null) return null;
  throw new InputError(
    "invalid_config",
    `${group}.apiKey is set, but not its provider. Set ${group}.provider or ${group}.baseUrl too.`,
  );
}

function whereSet(facts: ModelFacts, group: EndpointKey): string {
  return placed(facts, settingsIn(facts, group).provider === null ? `${group}.baseUrl` : `${group}.provider`);
}

function choiceOf(facts: ModelFacts, group: EndpointKey, provider: OnlineProvider, why: string): ModelChoice {
  const settings = settingsIn(facts, group);
  const traits = PROVIDER_TRAITS[provider];
  const url = urlOf(facts, group, provider);
  const own = url.from === "default";
  // The usual key goes where it is usually sent, or where its owner said; never to a server that only looks alike.
  const usualKey =
    traits.keyVariable === null ? null : facts.variables[traits.keyVariable as "OPENAI_API_KEY"];
  const apiKey = settings.apiKey ?? usualKey;
  const keyPlace = facts.places.get(`${group}.apiKey`);
  const keyVariable = keyPlace && "variable" in keyPlace ? keyPlace.variable : null;
  const keyFrom = settings.apiKey
    ? placed(facts, `${group}.apiKey`)
    : usualKey
      ? traits.keyVariable
      : "default";
  return {
    provider,
    baseUrl: url.baseUrl,
    model: settings.model ?? (own ? traits.model : null),
    apiKey,
    contextTokens: settings.contextTokens ?? traits.contextTokens,
    keySetting: settings.apiKey
      ? (keyVariable ?? `${group}.apiKey`)
      : (traits.keyVariable ?? `${group}.apiKey`),
    from: {
      provider: why,
      baseUrl: url.from,
      model: settings.model === null ? "default" : placed(facts, `${group}.model`),
      apiKey: keyFrom ?? "default",
    },
  };
}

function urlOf(
  facts: ModelFacts,
  group: EndpointKey,
  provider: OnlineProvider,
): { baseUrl: string; from: string } {
  const { urlVariable, baseUrl } = PROVIDER_TRAITS[provider];
  const whole = provider === "ollama" ? ollamaUrl : versionedUrl;
  const set = settingsIn(facts, group).baseUrl;
  if (set !== null)
    return { baseUrl: address(whole(set), `${group}.baseUrl`), from: placed(facts, `${group}.baseUrl`) };
  const usual = urlVariable === null ? null : facts.variables[urlVariable as "OPENAI_BASE_URL"];
  if (urlVariable !== null && usual !== null)
    return { baseUrl: address(whole(usual), urlVariable), from: urlVariable };
  if (baseUrl !== null) return { baseUrl, from: "default" };
  throw new InputError("invalid_config", `${group}.provider is ${provider}: set ${group}.baseUrl too.`);
}

/** What a variable says was not checked by the schema. */
function address(url: string, setting: string): string {
  const parsed = parsedUrl(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new InputError(
      "invalid_config",
      `${setting} is not the address of a server, such as http://127.0.0.1:8080/v1.`,
    );
  }
  if (parsed.username === "" && parsed.password === "") return url;
  throw new InputError(
    "invalid_config",
    `${setting}: do not write a key into an address. Set it as the API key.`,
  );
}

function placed({ places }: ModelFacts, key: string): string {
  const place = places.get(key);
  return place ? placeText(place) : "default";
}
