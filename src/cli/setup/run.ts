/** What `baton setup` does: finds keys and local models, asks for the rest, and saves everything at the end or nothing. */
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import type { ModelVariables } from "../../config/model-variables.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import { installHint } from "../on-path.js";
import { changesFor, type Found, instructions, keyFile, type SetupAnswers, usualAnswers } from "./answers.js";
import { ollamaModels, ollamaUrl } from "./ollama.js";
import { type Proof, proofOf } from "./proof.js";

export interface SetupOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function setup(cli: Cli, options: SetupOptions): Promise<void> {
  const { terminal, home } = cli;
  const config = await cli.loadConfig();
  const found = await look(config, cli.environment.models);
  const proof = proofOf(cli, config);
  const answers = await answersOf(cli, found, proof, options);
  await apply(home, answers);
  const file = join(home, "config.yaml");
  const key = answers.key.kind === "typed" ? join(home, keyFile(answers.provider)) : null;
  const { provider, model } = answers;
  // Those who were asked have seen it answer, or wanted to save it anyway.
  const problem = options.yes ? await proof.problemOf(answers) : null;
  if (options.json) terminal.json({ provider, model, file, key, problem });
  if (problem !== null)
    throw new CliError("no_answer", `Saved in ${file}, but the model does not answer: ${problem}`);
  if (options.json) return;
  terminal.line(cleanLine(`Saved in ${file}: ${provider}${model === null ? "" : `, ${model}`}.`));
  if (key !== null) terminal.line(cleanLine(`The API key is in ${key}. Only you can read it.`));
  terminal.line("Run `baton` to start a chat. Run `baton doctor` to check the setup.");
  const hint = installHint(cli);
  if (hint !== null) terminal.row(cleanLine(hint));
}

async function answersOf(cli: Cli, found: Found, proof: Proof, options: SetupOptions): Promise<SetupAnswers> {
  const { terminal, streams, home } = cli;
  if (options.yes) {
    const usual = usualAnswers(found);
    if (usual) return usual;
    throw new CliError("nothing_found", instructions(found).join("\n"));
  }
  if (!terminal.canAsk || options.json) {
    throw wrongUsage(`Setup asks questions and needs a terminal. ${instructions(found).join("\n")}`);
  }
  const { askAll } = await import("./ask.js");
  const answers = await askAll(found, home, proof, { input: streams.stdin, output: streams.stdout });
  if (answers) {
    terminal.line(""); // A gap after the questions.
    return answers;
  }
  throw new CliError("cancelled", "Nothing was changed.");
}

async function look(config: Config, variables: ModelVariables): Promise<Found> {
  const { agent, sessions, places } = config;
  const url = ollamaUrl(variables.OLLAMA_HOST);
  return {
    keys: keysIn(variables),
    openaiBaseUrl: variables.OPENAI_BASE_URL,
    ollama: { url, models: await ollamaModels(url) },
    present: {
      // Your own server is named by its address alone.
      provider: agent.provider ?? (agent.baseUrl === null ? null : "openai-compatible"),
      model: agent.model,
      baseUrl: agent.baseUrl,
      hasKeyFile: agent.apiKey !== null,
      workdir: places.has("agent.workdir") ? agent.workdir : null,
      timezone: sessions.timezone ?? null,
    },
    hostTimezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function keysIn({ ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY }: ModelVariables): Found["keys"] {
  const keys = {
    anthropic: ["ANTHROPIC_API_KEY", ANTHROPIC_API_KEY],
    openai: ["OPENAI_API_KEY", OPENAI_API_KEY],
    openrouter: ["OPENROUTER_API_KEY", OPENROUTER_API_KEY],
  } as const;
  return Object.fromEntries(
    Object.entries(keys).flatMap(([provider, [variable, key]]) =>
      key ? [[provider, { variable, value: key.reveal() }]] : [],
    ),
  );
}

/** The key first: settings that name a missing file would stop every command. */
async function apply(home: string, answers: SetupAnswers): Promise<void> {
  const { setKeys } = await import("../../config/set.js");
  const { writeSecretFile } = await import("../../config/secret.js");
  if (answers.key.kind === "typed") writeSecretFile(join(home, keyFile(answers.provider)), answers.key.value);
  await setKeys(home, changesFor(answers));
}
