/** The variables by which models are usually named and paid for, as other programs have them too. */
import { Secret } from "../util/secret.js";

/** They hold secrets. */
export const MODEL_KEYS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"] as const;
const ADDRESSES = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OLLAMA_HOST"] as const;

export type ModelVariables = Readonly<Record<(typeof MODEL_KEYS)[number], Secret | null>> &
  Readonly<Record<(typeof ADDRESSES)[number], string | null>>;

/** An empty variable counts as absent. */
export function readModelVariables(variables: Readonly<NodeJS.ProcessEnv>): ModelVariables {
  const keys = MODEL_KEYS.map((name) => [name, secret(variables[name])]);
  const addresses = ADDRESSES.map((name) => [name, variables[name]?.trim() || null]);
  return Object.fromEntries([...keys, ...addresses]);
}

function secret(value: string | undefined): Secret | null {
  const trimmed = value?.trim();
  return trimmed ? new Secret("***", () => trimmed) : null;
}
