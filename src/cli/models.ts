/** `baton models`: the model in use, why it was chosen, and the other models of its server. */
import type { ModelChoice } from "../config/model-choice.js";
import { cleanLine } from "../util/text.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

const HOW_TO_ADD =
  "Run `baton setup`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY, or start Ollama. For any other\n" +
  "provider, set agent.provider, agent.model and agent.baseUrl in config.yaml.";

export async function models(cli: Cli, options: { json?: boolean }): Promise<void> {
  const { terminal } = cli;
  const choice = await cli.chooseModel(await cli.loadConfig());
  if (choice === null) {
    if (options.json) return terminal.json({ provider: "offline", model: null, models: [] });
    terminal.line("No model is set up, so the offline agent answers.");
    terminal.line(HOW_TO_ADD);
    return;
  }
  const names = (await offered(cli, choice)).map(cleanLine);
  const used = choice.model ?? names[0] ?? null;
  if (options.json) {
    const { provider, baseUrl, from } = choice;
    return terminal.json({ provider, baseUrl, model: used, from, models: names });
  }
  const { bold, dim } = terminal.paint;
  const host = cleanLine(new URL(choice.baseUrl).host);
  terminal.line(`${bold(cleanLine(used ?? "none"))} at ${host} (${why(choice)})`);
  if (used !== null && !names.includes(used)) terminal.line("The server does not list this model.");
  for (const name of names)
    terminal.line(name === used ? `${bold(`* ${name}`)} ${dim("in use")}` : `  ${name}`);
}

function why({ provider, model, from }: ModelChoice): string {
  const usual = model === null ? "the first in the list" : `the default for ${provider}`;
  return cleanLine(
    `${provider}, chosen by ${from.provider}; model: ${from.model === "default" ? usual : from.model}`,
  );
}

async function offered(cli: Cli, choice: ModelChoice): Promise<readonly string[]> {
  try {
    return await cli.listModels(choice);
  } catch (error) {
    throw new CliError("models", (error as Error).message);
  }
}
