/** The questions about the model: its server, its key and its name, until a model answers or the person goes on without. */

import * as clack from "@clack/prompts";
import { parsedUrl } from "../../util/parsed-url.js";
import { cleanLine } from "../../util/text.js";
import { type Found, likelyAddress, likelyModel, type ModelAnswers } from "./answers.js";
import { given, initially, type Streams, whileWaiting } from "./prompt.js";
import type { Proof } from "./proof.js";
import type { Provider } from "./providers.js";

/** More than these are searched by typing. */
const MOST_IN_SIGHT = 12;

type NextStep = "again" | "key" | "address" | "model" | "name" | "save";

export async function askUntilAnswered(
  found: Found,
  provider: Provider,
  proof: Proof,
  streams: Streams,
): Promise<ModelAnswers> {
  let answers: ModelAnswers = {
    provider: provider.name,
    baseUrl: await askAddress(found, provider, streams),
    key: await askKey(found, provider, streams),
    model: null,
  };
  if (provider.name === "offline") return answers;
  let ask: NextStep = "again";
  for (;;) {
    if (ask === "address")
      answers = { ...answers, baseUrl: await askAddress(found, provider, streams, answers) };
    if (ask === "key") answers = { ...answers, key: await askKey(found, provider, streams) };
    if (ask !== "again" || answers.model === null) {
      const models = ask === "name" ? [] : await listed(proof, answers, streams);
      if (typeof models === "string") {
        ask = await askWay(models, provider, answers, ["name"], streams);
        if (ask === "again") answers = { ...answers, model: null };
        continue;
      }
      answers = { ...answers, model: await askName(found, provider, models, streams) };
    }
    clack.log.step(cleanLine(`Asking ${answers.model} a short question…`), streams);
    const problem = await whileWaiting(streams, proof.problemOf(answers));
    if (problem === null) {
      clack.log.success("It answers.", streams);
      return answers;
    }
    ask = await askWay(problem, provider, answers, ["model", "save"], streams);
    if (ask === "save") return answers;
  }
}

/** The names, or why there are none. */
async function listed(
  proof: Proof,
  answers: ModelAnswers,
  streams: Streams,
): Promise<readonly string[] | string> {
  clack.log.step("Asking for the list of models…", streams);
  const found = await whileWaiting(streams, proof.modelsFor(answers));
  return typeof found === "string" ? found : found.map(cleanLine);
}

/** A key that was just typed is the usual suspect. */
async function askWay(
  problem: string,
  provider: Provider,
  { key }: ModelAnswers,
  more: readonly NextStep[],
  streams: Streams,
): Promise<NextStep> {
  clack.log.error(cleanLine(problem), streams);
  const labels: Record<NextStep, string> = {
    again: "Try again",
    key: "Enter another key",
    address: "Enter another address",
    model: "Choose another model",
    name: "Type the name of a model, and try that",
    save: "Save it anyway",
  };
  const canHaveKey: NextStep[] = provider.key === "none" ? [] : ["key"];
  const ways: NextStep[] = [
    ...(key.kind === "typed" ? [...canHaveKey, "again" as const] : ["again" as const, ...canHaveKey]),
    ...(provider.hasAddress ? (["address"] as const) : []),
    ...more,
  ];
  const options = ways.map((value) => ({ value, label: labels[value] }));
  return given(await clack.select({ message: "What do you want to do?", options, ...streams }));
}

/** `before`: what was answered and did not work. */
async function askAddress(
  found: Found,
  provider: Provider,
  streams: Streams,
  before?: ModelAnswers,
): Promise<string | null> {
  const likely = before?.baseUrl ?? likelyAddress(found, provider);
  if (!provider.hasAddress) return likely;
  const message = "What is the address of the server? It often ends in /v1.";
  const validate = (text = "") =>
    /^https?:\/\/./.test(text) && parsedUrl(text)
      ? undefined
      : "Enter a URL that starts with http:// or https://.";
  return given(
    await clack.text({
      message,
      placeholder: "http://127.0.0.1:8080/v1",
      ...initially(likely),
      validate,
      ...streams,
    }),
  );
}

async function askKey(found: Found, provider: Provider, streams: Streams): Promise<ModelAnswers["key"]> {
  if (provider.key === "none") return { kind: "none" };
  const variable = found.keys[provider.name];
  const isKept = found.present.provider === provider.name && found.present.hasKeyFile;
  const ways = [
    ...(isKept ? [{ value: "keep", label: "The current key" }] : []),
    ...(variable
      ? [
          {
            value: "copy",
            label: `${variable.variable}, copied into a private file`,
            hint: "a service can use it too",
          },
          { value: "none", label: `${variable.variable}, from the environment each time` },
        ]
      : []),
    { value: "type", label: "Type it now", hint: "it stays hidden" },
    ...(provider.key === "optional" ? [{ value: "none", label: "No key is needed" }] : []),
  ];
  const way =
    ways.length === 1
      ? "type"
      : given(
          await clack.select({ message: "Which API key do you want to use?", options: ways, ...streams }),
        );
  if (way === "keep") return { kind: "kept" };
  if (way === "none") return { kind: "none" };
  if (way === "copy" && variable) return { kind: "typed", value: variable.value };
  const validate = (text = "") =>
    /^\S+$/.test(text.trim()) ? undefined : "Paste the key. It has no spaces.";
  const typed = given(
    await clack.password({ message: `The API key for ${provider.title}`, validate, ...streams }),
  );
  return { kind: "typed", value: typed.trim() };
}

/** In the list, for a model that is not. */
const NOT_LISTED = "";

/** From the list, if there is one: then the person need not know the name. A server may have models that it does not list. */
async function askName(
  found: Found,
  provider: Provider,
  models: readonly string[],
  streams: Streams,
): Promise<string> {
  const likely = likelyModel(found, provider);
  const message = "Which model?";
  if (models.length > 0) {
    const listed = models.map((value) => ({ value, label: value }));
    const options = [...listed, { value: NOT_LISTED, label: "Another one: type its name" }];
    const first = likely !== null && models.includes(likely) ? likely : null;
    const asked = { message, options, ...initially(first), ...streams };
    const chosen = given(
      models.length <= MOST_IN_SIGHT
        ? await clack.select(asked)
        : await clack.autocomplete({ ...asked, maxItems: MOST_IN_SIGHT, placeholder: "type to search" }),
    );
    if (chosen !== NOT_LISTED) return chosen;
  }
  const validate = (text = "") =>
    text.trim() === "" ? "Enter the name of a model as the provider spells it." : undefined;
  return given(await clack.text({ message, ...initially(likely), validate, ...streams })).trim();
}
