/** What was found, what was answered, and what that changes: the part of `baton setup` that needs no terminal. */
import { USUAL_OLLAMA } from "./ollama.js";
import { PROVIDERS, type Provider, providerNamed } from "./providers.js";

/** What is known before the first question. */
export interface Found {
  /** By provider. */
  readonly keys: Readonly<Record<string, { readonly variable: string; readonly value: string }>>;
  readonly openaiBaseUrl: string | null;
  readonly ollama: { readonly url: string; readonly models: readonly string[] | null };
  /** The settings now. */
  readonly present: Present;
  readonly hostTimezone: string;
}

interface Present {
  readonly provider: string | null;
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly hasKeyFile: boolean;
  readonly workdir: string | null;
  readonly timezone: string | null;
}

export interface SetupAnswers {
  readonly provider: string;
  readonly model: string | null;
  readonly baseUrl: string | null;
  /** `typed` goes into a private file; `kept` leaves the setting as it is; `none` removes it. */
  readonly key: { readonly kind: "typed"; readonly value: string } | { readonly kind: "kept" | "none" };
  readonly workdir: string | null;
  readonly timezone: string | null;
}

/** What is needed to reach a model. */
export type ModelAnswers = Pick<SetupAnswers, "provider" | "model" | "baseUrl" | "key">;

/** The file of a provider's key, from the home folder. */
export function keyFile(provider: string): string {
  return `secrets/${provider}.key`;
}

/** The keys to set, undefined to remove; keys that stay as they are, are missing. */
export function changesFor(answers: SetupAnswers): Map<string, unknown> {
  const { provider, key } = answers;
  const apiKey = key.kind === "typed" ? { file: keyFile(provider) } : undefined;
  return new Map<string, unknown>([
    ["agent.provider", provider],
    ["agent.model", answers.model ?? undefined],
    ["agent.baseUrl", answers.baseUrl ?? undefined],
    ...(key.kind === "kept" ? [] : [["agent.apiKey", apiKey] as const]),
    ["agent.workdir", answers.workdir ?? undefined],
    ["timezone", answers.timezone ?? undefined],
  ]);
}

/** The providers that work without typing a key. */
function readyProviders({ keys, ollama }: Found): Provider[] {
  return PROVIDERS.filter(
    ({ name }) => keys[name] !== undefined || (name === "ollama" && ollama.models?.length),
  );
}

/** The one to offer first. */
export function likelyProvider(found: Found): Provider {
  const present = PROVIDERS.find(({ name }) => name === found.present.provider);
  return present ?? readyProviders(found)[0] ?? providerNamed("anthropic");
}

/** Null if only the server at that address knows its models. */
export function likelyModel(found: Found, provider: Provider): string | null {
  const { present, ollama } = found;
  const chosen = present.provider ?? likelyProvider(found).name;
  if (chosen === provider.name && present.model !== null) return present.model;
  if (provider.name === "ollama") return ollama.models?.[0] ?? null;
  return likelyAddress(found, provider) === null ? provider.usualModel : null;
}

/** Null: its usual one. */
export function likelyAddress({ present, openaiBaseUrl, ollama }: Found, { name }: Provider): string | null {
  if (name === "ollama" && ollama.url !== USUAL_OLLAMA) return `${ollama.url}/v1`;
  if (present.provider === name && present.baseUrl !== null) return present.baseUrl;
  return name === "openai" || name === "openai-compatible" ? openaiBaseUrl : null;
}

/** The answers of somebody who only presses Enter; null if that is not enough. */
export function usualAnswers(found: Found): SetupAnswers | null {
  const { present, keys } = found;
  const ready = readyProviders(found);
  const provider = likelyProvider(found);
  if (present.provider === null && ready.length === 0) return null;
  const kept = present.provider === provider.name && present.hasKeyFile;
  if (provider.key === "needed" && !kept && keys[provider.name] === undefined) return null;
  return {
    provider: provider.name,
    model: likelyModel(found, provider),
    baseUrl: likelyAddress(found, provider),
    key: { kind: kept ? "kept" : "none" },
    workdir: present.workdir,
    timezone: present.timezone,
  };
}

/** What to do if nobody can answer questions. */
export function instructions(found: Found): string[] {
  const ready = readyProviders(found);
  const what = ready.map(({ name, title }) =>
    name === "ollama" ? `${title} (${found.ollama.url})` : `${title} (${found.keys[name]?.variable})`,
  );
  const { provider } = found.present;
  const taken = usualAnswers(found)
    ? `Run \`baton setup --yes\` to use ${likelyProvider(found).title}.`
    : `config.yaml names ${provider}, but its API key is missing.`;
  return [
    what.length > 0
      ? `Found: ${what.join(", ")}. ${taken}`
      : "Found no API key in the environment and no local Ollama.",
    "To choose a provider, run `baton setup` in a terminal, or set it up by hand:",
    "  baton config set agent.provider anthropic",
    "  baton config set agent.model <name>",
    "  baton config set agent.apiKey '{ file: secrets/anthropic.key }'    # the file holds the API key; chmod 600",
    "Without a provider, `baton` uses the offline agent.",
  ];
}
