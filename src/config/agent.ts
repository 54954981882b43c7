/** How the agent works: its model, and how long and how often it may go on. */

import { DEFAULT_WINDOW } from "../session/history-window.js";
import { parsedUrl } from "../util/parsed-url.js";
import { choice, flag, number, type Setting, secret, text } from "../util/setting.js";
import { each, group } from "./groups.js";
import { folder } from "./paths.js";
import { seconds } from "./seconds.js";

const MESSAGES = { isWhole: true, min: 1, error: "use a whole number of messages above 0" } as const;

/** Those that a project may set. */
export const turnLimits = {
  turnDeadlineSeconds: seconds(600, {
    description: "Baton ends a turn that takes longer, and tells the chat.",
  }),
  maxMessages: number(
    DEFAULT_WINDOW,
    { description: "The agent gets at most this many messages of a session." },
    MESSAGES,
  ),
  maxSends: number(
    20,
    {
      description:
        "A turn sends at most this many messages beyond one for each of its steps; Baton cuts a longer answer, and says so.",
    },
    MESSAGES,
  ),
};

const MODEL = "give the name of a model";
const URL_ERROR = "give the address of a server, such as http://127.0.0.1:8080/v1";

/** Whom to ask for an answer. */
function endpoint(
  fallbacks: Readonly<Record<"provider" | "model" | "baseUrl" | "apiKey" | "contextTokens", string>>,
) {
  return {
    /** `offline` is the agent that needs no model. */
    provider: choice(["anthropic", "openai", "openrouter", "ollama", "openai-compatible", "offline"], null, {
      description: "The provider of the model.",
      fallback: fallbacks.provider,
    }),
    model: text(
      { description: "The provider's name for the model.", fallback: fallbacks.model },
      { pattern: /^\S{1,200}$/, error: MODEL },
    ),
    baseUrl: text(
      { description: "The address of the provider's API.", fallback: fallbacks.baseUrl },
      { mayBeEmpty: true, error: URL_ERROR, refuse: wrongUrl },
    ),
    apiKey: secret({ description: "A file with the provider's key.", fallback: fallbacks.apiKey }),
    contextTokens: number(
      null,
      {
        description:
          "The size of the model's context window in tokens, for a request and its answer together. Baton keeps requests below it.",
        fallback: fallbacks.contextTokens,
      },
      { isWhole: true, min: 1_000, error: "use a whole number of tokens, 1000 or more" },
    ),
  };
}

/** Each request to the model has it. */
const LONGEST_INSTRUCTIONS = 32_000;

function tooLong(text: string): string | null {
  if (text.length <= LONGEST_INSTRUCTIONS) return null;
  return `use at most ${LONGEST_INSTRUCTIONS} characters; every request to the model contains them`;
}

function wrongUrl(text: string): string | null {
  if (!/^https?:\/\/[^/\s]+/i.test(text) || !parsedUrl(text)) return URL_ERROR;
  return /\/\/[^/]*@/.test(text) ? "do not write a key into an address; use apiKey" : null;
}

function price(description: string, fallback: string): Setting<number | null> {
  return number(null, { description, fallback }, { min: 0, error: "use a number of dollars, 0 or more" });
}

export const agentSettings = group({
  ...turnLimits,
  workdir: folder({
    description: "The folder in which the agent works.",
    fallback:
      "`~/baton-workspace`; in a terminal the folder where Baton was started, unless that is the home folder",
  }),
  instructions: text(
    {
      description:
        "What the agent is told in every conversation, before all else. `AGENTS.md` in the working folder adds to it; `/instructions` shows all of it.",
    },
    { error: "give a text", refuse: tooLong },
  ),
  ...endpoint({
    provider: "by the usual variables",
    model: "the provider's usual one",
    baseUrl: "the provider's",
    apiKey: "the provider's usual variable",
    contextTokens: "200000 for Anthropic, 8192 for Ollama, 128000 for others",
  }),
  fallback: group(
    endpoint({
      provider: "as `agent.provider`",
      model: "none",
      baseUrl: "the provider's",
      apiKey: "the provider's usual variable",
      contextTokens: "as for `agent.contextTokens`",
    }),
  ),
  maxSteps: number(
    50,
    {
      description:
        "How often a model may call tools in a turn. Then Baton asks it for a last answer without tools.",
    },
    { isWhole: true, min: 1, max: 1_000, error: "use a whole number of steps from 1 to 1000" },
  ),
  firstWordSeconds: seconds(60, {
    description: "How many seconds a model may take to begin its answer. Then Baton asks the fallback.",
  }),
  images: flag(true, { description: "Send attached images to the model." }),
  prices: each(
    "<model>",
    { refuse: () => null },
    group({
      input: { ...price("US dollars for a million tokens of input.", "none"), isRequired: true },
      output: { ...price("The same for output.", "none"), isRequired: true },
      cacheRead: price("The same for input from a cache.", "as input"),
      cacheWrite: price("The same for input that is written to a cache.", "as input"),
    }),
  ),
});
