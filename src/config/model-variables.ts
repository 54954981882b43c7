/** What the environment says of models: the variables that other tools know too. */

export interface ModelVariables {
  /** By the provider whose key it is: the variable's name and its value. */
  readonly keys: Readonly<Record<string, { readonly variable: string; readonly value: string }>>;
  /** `OPENAI_BASE_URL`. */
  readonly openaiBaseUrl: string | null;
  /** `OLLAMA_HOST`, as it was written. */
  readonly ollamaHost: string | null;
}

const KEYS = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
} as const;

/** An empty variable counts as absent. */
export function modelVariables(variables: Readonly<NodeJS.ProcessEnv> = process.env): ModelVariables {
  return {
    keys: Object.fromEntries(
      Object.entries(KEYS).flatMap(([provider, variable]) => {
        const value = variables[variable]?.trim();
        return value ? [[provider, { variable, value }]] : [];
      }),
    ),
    openaiBaseUrl: variables.OPENAI_BASE_URL || null,
    ollamaHost: variables.OLLAMA_HOST || null,
  };
}
