/**
 * Asks a model one short question, to see whether the address, the key and the name are right. One request, a few words
 * and half a minute at most: the first word is enough.
 */
import { AgentError } from "../agent.js";
import { modelOf } from "./ask.js";
import { type Endpoint, hostOf, keyOf } from "./endpoint.js";
import { failureOf, sentenceFor, viaProxy } from "./failure.js";
import { type ModelRequest, openModel } from "./provider.js";
import { streamStep } from "./stream-step.js";

const PATIENCE_MS = 30_000;
const LIMITS = { firstWordMs: PATIENCE_MS, silenceMs: PATIENCE_MS, maxCharacters: 10_000 };
const MOST_TOKENS = 16;

const QUESTION: ModelRequest = {
  prompt: [{ role: "user", content: [{ type: "text", text: "Reply with one word: ok" }] }],
};

/** The model that answered. Fails with a sentence for people. */
export async function tryModel(endpoint: Endpoint): Promise<string> {
  const name = await modelOf(endpoint, AbortSignal.timeout(PATIENCE_MS));
  try {
    await firstWord(endpoint, name, { ...QUESTION, maxOutputTokens: MOST_TOKENS }).catch((error: unknown) => {
      if (!refusesLimit(error)) throw error;
      return firstWord(endpoint, name, QUESTION);
    });
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const failure = failureOf(error, Date.now(), keyOf(endpoint));
    if (["no word", "silent"].includes(failure.kind)) {
      throw new AgentError(
        `${hostOf(endpoint)} did not answer a short question within ${PATIENCE_MS / 1_000} seconds.${viaProxy(endpoint)}`,
      );
    }
    throw new AgentError(sentenceFor(failure, endpoint, name));
  }
  return name;
}

async function firstWord(endpoint: Endpoint, name: string, request: ModelRequest): Promise<void> {
  const model = await openModel(endpoint, name);
  // A model that thinks may use up the few tokens before its first word: then the end is the answer.
  for await (const _ of streamStep(model, request, new AbortController().signal, LIMITS)) return;
}

/** Some models take no limit, or want another name for it. */
function refusesLimit(error: unknown): boolean {
  const { responseBody } = (error ?? {}) as { readonly responseBody?: unknown };
  return typeof responseBody === "string" && /max_(?:completion_|output_)?tokens/.test(responseBody);
}
