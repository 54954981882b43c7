/** The questions of `baton setup`. Asking changes nothing; Ctrl-C at any question cancels. */
import { statSync } from "node:fs";
import * as clack from "@clack/prompts";
import { pathFrom } from "../../config/paths.js";
import { type Found, likelyAddress, likelyModel, likelyProvider, type SetupAnswers } from "./answers.js";
import { given, initially, type Streams, unechoed, unlessLeft } from "./prompt.js";
import { PROVIDERS, type Provider, providerNamed } from "./providers.js";

/** Null if the user cancelled. */
export function askAll(found: Found, home: string, streams: Streams): Promise<SetupAnswers | null> {
  const asking = async () => {
    clack.intro("Baton", streams);
    const provider = await askProvider(found, streams);
    const baseUrl = await askAddress(found, provider, streams);
    const key = await askKey(found, provider, streams);
    const model = await askModel(found, provider, streams);
    const workdir = await askWorkdir(found, home, streams);
    const timezone = await askTimezone(found, streams);
    return { provider: provider.name, model, baseUrl, key, workdir, timezone };
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

async function askAddress(found: Found, provider: Provider, streams: Streams): Promise<string | null> {
  const likely = likelyAddress(found, provider);
  if (!provider.hasAddress) return likely;
  const message = "What is the address of the server? It often ends in /v1.";
  const validate = (text = "") =>
    /^https?:\/\/./.test(text) && URL.canParse(text)
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

async function askKey(found: Found, provider: Provider, streams: Streams): Promise<SetupAnswers["key"]> {
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

async function askModel(found: Found, provider: Provider, streams: Streams): Promise<string | null> {
  if (provider.name === "offline") return null;
  const likely = likelyModel(found, provider);
  const models = provider.name === "ollama" ? found.ollama.models : null;
  if (models && models.length > 0) {
    const options = models.map((value) => ({ value, label: value }));
    return given(await clack.select({ message: "Which model?", options, ...initially(likely), ...streams }));
  }
  const validate = (text = "") =>
    text.trim() === "" ? "Enter the name of a model as the provider spells it." : undefined;
  return given(
    await clack.text({ message: "Which model?", ...initially(likely), validate, ...streams }),
  ).trim();
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
