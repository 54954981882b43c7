/** The model providers, in the order of the question, and what each needs. */
import { type ProviderName, usualModel } from "../../config/model-choice.js";

export interface Provider {
  readonly name: ProviderName;
  readonly title: string;
  readonly key: "needed" | "optional" | "none";
  readonly hasAddress: boolean;
  /** The default answer; null if only the person can know. */
  readonly usualModel: string | null;
}

export const PROVIDERS: readonly Provider[] = [
  provider("anthropic", "Anthropic", { key: "needed", usualModel: usualModel("anthropic") }),
  provider("openai", "OpenAI", { key: "needed", usualModel: usualModel("openai") }),
  provider("openrouter", "OpenRouter", { key: "needed", usualModel: usualModel("openrouter") }),
  provider("ollama", "Ollama, on this machine", {}),
  provider("openai-compatible", "Another server with an OpenAI-compatible API", {
    key: "optional",
    hasAddress: true,
  }),
  provider("offline", "None: an offline agent, for trying things out", {}),
];

function provider(name: ProviderName, title: string, traits: Partial<Provider>): Provider {
  return { name, title, key: "none", hasAddress: false, usualModel: null, ...traits };
}

export function providerNamed(name: string): Provider {
  const found = PROVIDERS.find((one) => one.name === name);
  if (!found) throw new Error(`No provider is called ${name}.`);
  return found;
}
