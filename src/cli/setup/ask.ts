/** The questions of `baton setup`. Nothing is changed here; Ctrl-C at any of them ends them all. */
import { statSync } from "node:fs";
import * as clack from "@clack/prompts";
import { pathFrom } from "../../config/paths.js";
import { type Answers, type Found, likelyAddress, likelyModel, likelyProvider } from "./answers.js";
import { given, initially, type Streams, unechoed, unlessLeft } from "./prompt.js";
import { PROVIDERS, type Provider, providerNamed } from "./providers.js";

/** Null where it was left. */
export function askAll(found: Found, home: string, streams: Streams): Promise<Answers | null> {
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
    given(await clack.select({ message: "Whose model answers?", options, initialValue, ...streams })),
  );
}

function hintFor({ keys, ollama, present }: Found, name: string): { hint?: string } {
  const key = keys[name];
  const models = name === "ollama" ? ollama.models : null;
  const hints = [
    ...(present.provider === name ? ["as it is now"] : []),
    ...(key ? [`${key.variable} is set`] : []),
    ...(models ? [`answers at ${ollama.url}`] : []),
  ];
  return hints.length > 0 ? { hint: hints.join("; ") } : {};
}

async function askAddress(found: Found, provider: Provider, streams: Streams): Promise<string | null> {
  const likely = likelyAddress(found, provider);
  if (!provider.hasAddress) return likely;
  const message = "At which address? It often ends in /v1.";
  const validate = (text = "") =>
    /^https?:\/\/./.test(text) && URL.canParse(text) ? undefined : "Give a URL with http:// or https://.";
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

async function askKey(found: Found, provider: Provider, streams: Streams): Promise<Answers["key"]> {
  if (provider.key === "none") return { kind: "none" };
  const variable = found.keys[provider.name];
  const isKept = found.present.provider === provider.name && found.present.hasKeyFile;
  const ways = [
    ...(isKept ? [{ value: "keep", label: "The one there is" }] : []),
    ...(variable
      ? [
          {
            value: "copy",
            label: `${variable.variable}, copied into a private file`,
            hint: "a service has it too",
          },
          { value: "none", label: `${variable.variable}, from the environment each time` },
        ]
      : []),
    { value: "type", label: "I type it now", hint: "it is not shown" },
    ...(provider.key === "optional" ? [{ value: "none", label: "None is needed" }] : []),
  ];
  const way =
    ways.length === 1
      ? "type"
      : given(await clack.select({ message: "Which key?", options: ways, ...streams }));
  if (way === "keep") return { kind: "kept" };
  if (way === "none") return { kind: "none" };
  if (way === "copy" && variable) return { kind: "typed", value: variable.value };
  const validate = (text = "") =>
    /^\S+$/.test(text.trim()) ? undefined : "Paste the key: one word, without spaces.";
  const typed = given(
    await clack.password({ message: `The key of ${provider.title}`, validate, ...streams }),
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
    text.trim() === "" ? "Give the name of a model, as the provider spells it." : undefined;
  return given(
    await clack.text({ message: "Which model?", ...initially(likely), validate, ...streams }),
  ).trim();
}

async function askWorkdir({ present }: Found, home: string, streams: Streams): Promise<string | null> {
  const message =
    "Which folder may the agent work in? Empty: where you start Baton; for the gateway ~/baton-workspace.";
  const validate = (text = "") => {
    if (text.trim() === "") return undefined;
    const folder = statSync(pathFrom(home, text.trim()), { throwIfNoEntry: false });
    return folder?.isDirectory() ? undefined : "There is no such folder. Make it first, or give another.";
  };
  const answer =
    given(await clack.text({ message, ...initially(present.workdir), validate, ...streams })) ?? "";
  return answer.trim() || null;
}

async function askTimezone({ present, hostTimezone }: Found, streams: Streams): Promise<string | null> {
  const message = "In which time zone do days begin?";
  const validate = (text = "") =>
    isTimeZone(text.trim()) ? undefined : "Give a name such as Europe/Berlin.";
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
