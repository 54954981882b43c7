/** The agent as the configuration and the environment want it, and the model behind it. */
import type { Agent } from "./agent/agent.js";
import type { Endpoint } from "./agent/ai-sdk/endpoint.js";
import { type Config, mediaFolder } from "./config/config.js";
import type { Environment } from "./config/environment.js";
import { chooseFallback, chooseModel, type ModelChoice } from "./config/model-choice.js";
import type { ModelInfo } from "./gateway/commands/agent-info.js";
import { mediaPath } from "./gateway/media.js";
import type { Hide } from "./util/redact.js";

export interface OpenAgent {
  readonly agent: Agent;
  /** Null where the agent needs none. */
  readonly model: ModelInfo | null;
}

/** `command`: how the person that it talks to calls Baton. */
export async function openAgent(
  config: Config,
  environment: Environment,
  hide: Hide,
  command: string,
): Promise<OpenAgent> {
  const choice = await modelFor(config, environment);
  if (choice === null) {
    const { offlineAgent } = await import("./agent/offline.js");
    return { agent: offlineAgent(command), model: null };
  }
  const { aiSdkAgent } = await import("./agent/ai-sdk/ai-sdk.js");
  const { maxSteps, firstWordSeconds, prices, images } = config.agent;
  const fallback = chooseFallback(factsOf(config, environment), choice);
  const agent = aiSdkAgent({
    endpoint: { ...endpointOf(choice, images), hide },
    ...(fallback ? { fallback: { ...endpointOf(fallback, images), hide } } : {}),
    maxSteps,
    prices,
    waits: { firstWordMs: firstWordSeconds * 1_000 },
    pathOf: (file) => mediaPath(mediaFolder(config), file),
  });
  const where = `${new URL(choice.baseUrl).host}, chosen by ${choice.from.provider}`;
  return { agent, model: { name: choice.model, where, list: () => modelsAt(choice) } };
}

export async function modelFor(config: Config, environment: Environment): Promise<ModelChoice | null> {
  return chooseModel(factsOf(config, environment), async (baseUrl) =>
    (await import("./agent/ai-sdk/probe-ollama.js")).probeOllama(baseUrl),
  );
}

export async function modelsAt(choice: ModelChoice): Promise<readonly string[]> {
  const { listModels } = await import("./agent/ai-sdk/list-models.js");
  return listModels(endpointOf(choice, false));
}

/** The model that is asked if the first one fails; null if none is set. */
export async function fallbackFor(config: Config, environment: Environment): Promise<ModelChoice | null> {
  const first = await modelFor(config, environment);
  return first && chooseFallback(factsOf(config, environment), first);
}

/** Asks the model one short question. Gives its name, or fails with a sentence for people. */
export async function tryModel(choice: ModelChoice): Promise<string> {
  return (await import("./agent/ai-sdk/try-model.js")).tryModel(endpointOf(choice, false));
}

function factsOf({ agent, places }: Config, { models }: Environment) {
  return { agent, places, variables: models };
}

function endpointOf(choice: ModelChoice, images: boolean): Endpoint {
  const { provider, baseUrl, model, apiKey, keySetting, contextTokens, from } = choice;
  return {
    protocol: provider === "anthropic" || provider === "ollama" ? provider : "openai",
    baseUrl,
    apiKey: apiKey === null ? null : () => apiKey.reveal(),
    keySetting,
    ...(/^[A-Z_]+$/.test(from.baseUrl) ? { urlSetting: from.baseUrl } : {}),
    model,
    contextTokens,
    images,
  };
}
