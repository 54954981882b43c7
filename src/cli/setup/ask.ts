/** The questions of `baton setup`. Asking changes nothing; Ctrl-C at any question cancels. */
import { statSync } from "node:fs";
import * as clack from "@clack/prompts";
import { pathFrom } from "../../config/paths.js";
import { type Found, likelyProvider, type SetupAnswers } from "./answers.js";
import { askUntilAnswered } from "./ask-model.js";
import { given, initially, type Streams, unechoed, unlessLeft } from "./prompt.js";
import type { Proof } from "./proof.js";
import { PROVIDERS, type Provider, providerNamed } from "./providers.js";

/** Null if the user cancelled. */
export function askAll(
  found: Found,
  home: string,
  proof: Proof,
  streams: Streams,
): Promise<SetupAnswers | null> {
  const asking = async () => {
    clack.intro("Baton", streams);
    const provider = await askProvider(found, streams);
    const model = await askUntilAnswered(found, provider, proof, streams);
    const workdir = await askWorkdir(found, home, streams);
    const timezone = await askTimezone(found, streams);
    return { ...model, workdir, timezone };
  };
  return unlessLeft(() => unechoed(streams, asking));
}

async function askProvider(found: Found, streams: Streams): Promise<Provider> {
  const options = PROVIDERS.map(({ name, title }) => ({
    value: name,
    label: title,
    ...hintFor(found, name),
  }));
  const initialValue = likelyProvider(found).name;
  return providerNamed(
    given(
      await clack.select({
        message: "Which model provider do you want to use?",
        options,
        initialValue,
        ...streams,
      }),
    ),
  );
}

function hintFor({ keys, ollama, present }: Found, name: string): { hint?: string } {
  const key = keys[name];
  const models = name === "ollama" ? ollama.models : null;
  const hints = [
    ...(present.provider === name ? ["current"] : []),
    ...(key ? [`${key.variable} is set`] : []),
    ...(models ? [`running at ${ollama.url}`] : []),
  ];
  return hints.length > 0 ? { hint: hints.join("; ") } : {};
}

async function askWorkdir({ present }: Found, home: string, streams: Streams): Promise<string | null> {
  const message =
    "Which folder may the agent work in? If you leave this empty: the folder where you start Baton; for the gateway, ~/baton-workspace.";
  const validate = (text = "") => {
    if (text.trim() === "") return undefined;
    const folder = statSync(pathFrom(home, text.trim()), { throwIfNoEntry: false });
    return folder?.isDirectory()
      ? undefined
      : "This folder does not exist. Create it first, or enter another one.";
  };
  const answer =
    given(await clack.text({ message, ...initially(present.workdir), validate, ...streams })) ?? "";
  return answer.trim() || null;
}

async function askTimezone({ present, hostTimezone }: Found, streams: Streams): Promise<string | null> {
  const message = "What is your time zone? It decides when a day starts.";
  const validate = (text = "") =>
    isTimeZone(text.trim()) ? undefined : "Enter a name such as Europe/Berlin.";
  const initialValue = present.timezone ?? hostTimezone;
  const answer = given(await clack.text({ message, initialValue, validate, ...streams })).trim();
  return present.timezone === null && answer === hostTimezone ? null : answer;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return name !== "";
  } catch {
    return false;
  }
}
