/** The variables by which models are usually named and paid for, as other programs have them too. */
import { Secret } from "../util/secret.js";

export interface ModelVariables {
  readonly ANTHROPIC_API_KEY: Secret | null;
  readonly ANTHROPIC_BASE_URL: string | null;
  readonly OPENAI_API_KEY: Secret | null;
  readonly OPENAI_BASE_URL: string | null;
  readonly OPENROUTER_API_KEY: Secret | null;
  readonly OLLAMA_HOST: string | null;
}

/** An empty variable counts as absent. */
export function readModelVariables(variables: Readonly<NodeJS.ProcessEnv>): ModelVariables {
  return {
    ANTHROPIC_API_KEY: secret(variables.ANTHROPIC_API_KEY),
    ANTHROPIC_BASE_URL: variables.ANTHROPIC_BASE_URL?.trim() || null,
    OPENAI_API_KEY: secret(variables.OPENAI_API_KEY),
    OPENAI_BASE_URL: variables.OPENAI_BASE_URL?.trim() || null,
    OPENROUTER_API_KEY: secret(variables.OPENROUTER_API_KEY),
    OLLAMA_HOST: variables.OLLAMA_HOST?.trim() || null,
  };
}

function secret(value: string | undefined): Secret | null {
  const trimmed = value?.trim();
  return trimmed ? new Secret("***", () => trimmed) : null;
}
