/** Tries what was answered, before it is saved: lists the models of the server, and asks the chosen one a short question. */
import type { Config } from "../../config/config.js";
import type { ModelChoice } from "../../config/model-choice.js";
import { Secret } from "../../util/secret.js";
import type { Cli } from "../cli.js";
import type { ModelAnswers } from "./answers.js";
import { providerNamed } from "./providers.js";

export interface Proof {
  /** The names of the models, or a sentence that says why there is no list. */
  modelsFor(answers: ModelAnswers): Promise<readonly string[] | string>;
  /** Why the model does not answer, as a sentence; null if it answers, or if no model is wanted. */
  problemOf(answers: ModelAnswers): Promise<string | null>;
}

export function proofOf(cli: Cli, config: Config): Proof {
  return {
    async modelsFor(answers) {
      const choice = await choiceOf(cli, config, { ...answers, model: null });
      return choice === null ? [] : cli.listModels(choice).catch(sentence);
    },
    async problemOf(answers) {
      const choice = await choiceOf(cli, config, answers);
      if (choice === null) return null;
      return cli.tryModel(choice).then(() => null, sentence);
    },
  };
}

/** As it will be chosen once the answers are saved. */
function choiceOf(cli: Cli, config: Config, answers: ModelAnswers): Promise<ModelChoice | null> {
  const { model, baseUrl, key } = answers;
  const { name: provider } = providerNamed(answers.provider);
  const typed = key.kind === "typed" ? key.value : null;
  const apiKey = typed === null ? null : new Secret("***", () => typed);
  const agent = { ...config.agent, provider, model, baseUrl };
  return cli.chooseModel({
    ...config,
    agent: key.kind === "kept" ? agent : { ...agent, apiKey },
  });
}

function sentence(error: unknown): string {
  return (error as Error).message;
}
