/** The questions of a platform's setup. Asking changes nothing; Ctrl-C at any question cancels. */
import * as clack from "@clack/prompts";
import { ConnectError } from "../../../adapter/adapter.js";
import type { Answers, PlatformManifest, SetupFound } from "../../../adapter/manifest.js";
import { addressIn, isHomeChannel } from "../../../config/home-channel.js";
import {
  type Platform,
  type PlatformTraits,
  platformTraits,
  unmatchableChat,
  unmatchableId,
} from "../../../session/platform.js";
import { Redactor } from "../../../util/redact.js";
import { cleanLine } from "../../../util/text.js";
import { given, initially, leave, type Streams, unechoed, unlessLeft } from "../prompt.js";
import {
  type AccessList,
  answersOf,
  type FoundField,
  type FoundPlatform,
  isAsked,
  type PlatformAnswers,
  valuesOf,
} from "./answers.js";

interface PlatformInterview {
  readonly answers: PlatformAnswers;
  /** What the person still has to do. */
  readonly next: readonly string[];
}

/** Null if the user cancelled. `named` names commands as the person calls them. */
export function askPlatform(
  manifest: PlatformManifest,
  found: FoundPlatform,
  streams: Streams,
  named: (text: string) => string,
): Promise<PlatformInterview | null> {
  return unlessLeft(async () => {
    streams.output.write(`${stepsText(manifest)}\n`);
    clack.intro(found.title, streams);
    const { typed, next } = await askUntilRight(manifest, found, streams);
    const home = await askHome(found, streams);
    const person = await askPerson(found, streams, named);
    return { answers: { typed, home, person }, next };
  });
}

/** Without a frame, so that people can copy from it. */
function stepsText({ steps, title }: PlatformManifest): string {
  const numbered = steps.map((step, index) => `${index + 1}. ${step.replaceAll("\n", "\n   ")}`);
  return `\n${title}\n\n${numbered.join("\n")}\n`;
}

async function askUntilRight(
  manifest: PlatformManifest,
  found: FoundPlatform,
  streams: Streams,
): Promise<Pick<PlatformAnswers, "typed"> & Pick<PlatformInterview, "next">> {
  let typed = await unechoed(streams, () => askFields(found, {}, streams));
  for (;;) {
    clack.log.step(`Checking with ${found.title} …`, streams);
    const outcome = await outcomeOf(manifest, found, valuesOf(found, typed) ?? {});
    if (outcome.kind === "right") {
      clack.log.success(cleanLine(`Connected as ${outcome.who}.`), streams);
      return { typed, next: outcome.next };
    }
    clack.log.error(cleanLine(outcome.sentence), streams);
    const way = await askWay(outcome.kind, streams);
    if (way === "save") return { typed, next: [] };
    if (way !== "change") continue;
    const before = typed;
    typed = await unechoed(streams, () => askFields(found, before, streams));
  }
}

type CheckOutcome =
  | ({ readonly kind: "right" } & SetupFound)
  | { readonly kind: "wrong" | "unreached"; readonly sentence: string };

/** A platform may repeat a secret in its answer: it is removed here. */
async function outcomeOf(
  manifest: PlatformManifest,
  { fields }: FoundPlatform,
  values: Answers,
): Promise<CheckOutcome> {
  const redactor = new Redactor();
  redactor.know(() => fields.flatMap(({ key, isSecret }) => (isSecret ? [values[key] ?? ""] : [])));
  try {
    return { kind: "right", ...(await manifest.check(values)) };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const kind = error.outcome === "permanent" ? "wrong" : "unreached";
    return { kind, sentence: redactor.redact(error.message) };
  }
}

/** `change`: the questions are asked again. */
async function askWay(kind: "wrong" | "unreached", streams: Streams): Promise<"change" | "again" | "save"> {
  const options = [
    { value: "again" as const, label: "Try again" },
    { value: "change" as const, label: "Change my answers" },
    { value: "save" as const, label: "Save it anyway", hint: "the gateway keeps trying" },
    { value: "leave" as const, label: "Cancel, and change nothing" },
  ];
  const offered = kind === "wrong" ? options.filter(({ value }) => value !== "save") : options;
  const initialValue = kind === "wrong" ? ("change" as const) : ("again" as const);
  const way = given(
    await clack.select({ message: "What do you want to do?", options: offered, initialValue, ...streams }),
  );
  return way === "leave" ? leave() : way;
}

async function askFields(
  found: FoundPlatform,
  before: PlatformAnswers["typed"],
  streams: Streams,
): Promise<Record<string, string | null>> {
  const typed: Record<string, string | null> = {};
  for (const field of found.fields) {
    const answers = answersOf(found, typed);
    if (!isAsked(field, answers)) continue;
    const earlier = before[field.key] ?? null;
    typed[field.key] = field.question.labels
      ? await askChoice(field, earlier, answers, streams)
      : await (field.isSecret ? askSecret : askText)(field, earlier, streams);
  }
  return typed;
}

/** Null for the option that holds anyway. */
async function askChoice(
  { question: { ask, labels = {}, usual }, present, variable }: FoundField,
  before: string | null,
  answers: Answers,
  streams: Streams,
): Promise<string | null> {
  const message = present?.isVariable ? `${ask} (${variable} is set)` : ask;
  const options = Object.entries(labels).map(([value, label]) => ({ value, label }));
  const now = present?.value ?? usual?.(answers);
  const initialValue = before ?? now;
  const chosen = given(
    await clack.select({
      message,
      options,
      ...(initialValue === undefined ? {} : { initialValue }),
      ...streams,
    }),
  );
  return chosen === now ? null : chosen;
}

async function askText(
  { question: { ask, looks, hint }, present, variable }: FoundField,
  before: string | null,
  streams: Streams,
): Promise<string | null> {
  const message = present?.isVariable ? `${ask} (${variable} is set)` : ask;
  const validate = (text = "") => (looks.test(text.trim()) ? undefined : hint);
  const answer = given(
    await clack.text({
      message,
      ...initially(before ?? present?.value ?? null),
      validate,
      ...streams,
    }),
  ).trim();
  return answer === present?.value ? null : answer;
}

async function askSecret(
  { question: { ask, looks, hint }, present, variable }: FoundField,
  before: string | null,
  streams: Streams,
): Promise<string | null> {
  const ways = [
    ...(before !== null ? [{ value: "before" as const, label: "The one I just entered" }] : []),
    ...(present?.isVariable
      ? [
          { value: "keep" as const, label: `${variable}, from the environment each time` },
          {
            value: "copy" as const,
            label: `${variable}, copied into a private file`,
            hint: "a service can use it too",
          },
        ]
      : []),
    ...(present && !present.isVariable
      ? [{ value: "keep" as const, label: `The current one (${present.from})` }]
      : []),
    { value: "type" as const, label: "Type it now" },
  ];
  const way =
    ways.length === 1 ? "type" : given(await clack.select({ message: ask, options: ways, ...streams }));
  if (way === "before") return before;
  if (way === "keep") return null;
  if (way === "copy" && present) return present.value;
  const validate = (text = "") => (looks.test(text.trim()) ? undefined : hint);
  const message = `${ask} (hidden)`;
  return given(await clack.password({ message, validate, ...streams })).trim();
}

async function askHome({ platform, home, title }: FoundPlatform, streams: Streams): Promise<string | null> {
  const present = home.present?.value ?? null;
  if (home.present?.isVariable) {
    clack.log.info(cleanLine(`The home channel is ${present}, from ${home.variable}.`), streams);
    return present;
  }
  const hint = hintOf(platformTraits(platform).chatId);
  const message = `Which chat is the home channel, for results that belong to no other chat? Enter an id: ${hint}. Leave it empty for none; you can also type /sethome in a ${title} chat.`;
  const validate = (text = "") =>
    text.trim() === "" || isChat(platform, text) ? undefined : `This is not a chat id: ${hint}.`;
  const answer = given(await clack.text({ message, ...initially(present), validate, ...streams })) ?? "";
  return answer.trim() || null;
}

async function askPerson(
  { platform, people }: FoundPlatform,
  streams: Streams,
  named: (text: string) => string,
): Promise<PlatformAnswers["person"]> {
  const listed = [
    ...people.owners.map((id) => `${id} (owner)`),
    ...people.allow.map((id) => `${id} (member)`),
  ];
  const there = listed.length > 0 ? ` Already listed: ${cleanLine(listed.join(", "))}.` : "";
  const hint = named(hintOf(platformTraits(platform).userId));
  const message = `Who may talk to the agent? Enter an id: ${hint}.${there} Leave it empty to add nobody; people who write to it get a code for you to approve.`;
  const validate = (text = "") =>
    text.trim() === "" || !unmatchableId(platform, text.trim()) ? undefined : `This is not an id: ${hint}.`;
  const id = (given(await clack.text({ message, validate, ...streams })) ?? "").trim();
  if (id === "") return null;
  const options = [
    { value: "owners" as AccessList, label: "Owner", hint: "you: has all rights, as at this terminal" },
    { value: "allow" as AccessList, label: "Member", hint: "somebody you trust" },
  ];
  return { id, role: given(await clack.select({ message: "Which role?", options, ...streams })) };
}

function isChat(platform: Platform, text: string): boolean {
  return isHomeChannel(platform, text) && !unmatchableChat(platform, addressIn(platform, text).chatId);
}

function hintOf(id: PlatformTraits["userId"]): string {
  return id?.hint ?? id?.like ?? "its id";
}
