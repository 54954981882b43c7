/** What `baton setup <platform>` does: explains, asks, checks with the platform, and saves everything at the end or nothing. */
import { join } from "node:path";
import { ConnectError } from "../../../adapter/adapter.js";
import { manifestOf, type PlatformManifest } from "../../../adapter/manifest.js";
import type { Config } from "../../../config/config.js";
import { platformSettings } from "../../../config/platform-settings.js";
import { type Platform, platformTraits } from "../../../session/platform.js";
import { Secret } from "../../../util/secret.js";
import { variableOf } from "../../../util/setting.js";
import { cleanLine } from "../../../util/text.js";
import type { Cli } from "../../cli.js";
import { CliError, wrongUsage } from "../../failure.js";
import type { SetupOptions } from "../run.js";
import {
  type FoundPlatform,
  type FoundSetting,
  overriding,
  type PlatformAnswers,
  type PresentSetting,
  platformChanges,
  platformInstructions,
  secretsIn,
  valuesOf,
} from "./answers.js";

export async function setupPlatform(cli: Cli, platform: Platform, options: SetupOptions): Promise<void> {
  const { terminal, streams } = cli;
  const manifest = manifestOf(platform);
  if (!manifest) throw new Error(`${platformTraits(platform).title} has no set-up.`);
  const found = look(await cli.loadConfig(), platform, manifest);
  if (options.yes) return check(cli, manifest, found, options);
  if (!terminal.canAsk || options.json) {
    throw wrongUsage(
      ["Setup asks questions and needs a terminal.", ...platformInstructions(found)].join("\n"),
    );
  }
  const { askPlatform } = await import("./ask.js");
  const asked = await askPlatform(manifest, found, { input: streams.stdin, output: streams.stdout });
  if (!asked) throw new CliError("cancelled", "Nothing was changed.");
  await apply(cli, found, asked.answers);
  for (const line of asked.next) terminal.line(cleanLine(line));
  terminal.line("Run `baton gateway` to start it.");
}

/** Checks what is set with the platform, and changes nothing. */
async function check(
  { terminal }: Cli,
  manifest: PlatformManifest,
  found: FoundPlatform,
  { json }: SetupOptions,
): Promise<void> {
  const { platform, title } = found;
  const values = valuesOf(found);
  if (values === null) throw new CliError("nothing_found", platformInstructions(found).join("\n"));
  const { who, next } = await manifest.check(values).catch((error: unknown) => {
    if (!(error instanceof ConnectError)) throw error;
    throw new CliError(error.outcome === "permanent" ? "refused" : "unreachable", error.message);
  });
  if (json) return terminal.json({ platform, who, next });
  terminal.line(cleanLine(`${title}: connected as ${who}.`));
  for (const line of next) terminal.line(cleanLine(line));
}

function look(
  config: Config,
  platform: Platform,
  { title, settings, like }: PlatformManifest,
): FoundPlatform {
  const values = config.platforms[platform];
  const foundAt = (name: string): FoundSetting => {
    const path = ["platforms", platform, name];
    const key = path.join(".");
    const variable = variableOf(path, platformSettings().get(platform)?.[name]);
    return { path: key, variable, present: presentOf(values?.[name], config, key, variable) };
  };
  return {
    platform,
    title,
    like: values?.like ? null : (like ?? null),
    fields: Object.entries(settings).flatMap(([key, { question, takes, description }]) =>
      question
        ? [{ ...foundAt(key), key, question, isSecret: takes.is === "secret", meaning: description }]
        : [],
    ),
    others: Object.fromEntries(
      Object.entries(settings).flatMap(([key, { question }]) => {
        const value = values?.[key];
        const isPlain = typeof value === "string" || typeof value === "number";
        return isPlain && !question ? [[key, String(value)]] : [];
      }),
    ),
    home: foundAt("homeChannel"),
    people: { owners: config.people.owners[platform] ?? [], allow: config.people.allow[platform] ?? [] },
  };
}

/** Null if there is none that works: then setup asks for it. */
function presentOf(
  setting: unknown,
  { places }: Config,
  path: string,
  variable: string,
): PresentSetting | null {
  const place = places.get(path);
  const isVariable = place !== undefined && "variable" in place;
  const isDefault = place === undefined;
  const from = isVariable ? variable : setting instanceof Secret ? setting.shown : "config.yaml";
  if (!(setting instanceof Secret))
    return typeof setting === "string" ? { value: setting, isVariable, isDefault, from } : null;
  try {
    return { value: setting.reveal(), isVariable, isDefault, from };
  } catch {
    return null; // Its file is missing or readable by others: `baton doctor` says so.
  }
}

/** Secrets first: settings that name a missing file would stop every command. */
async function apply({ home, terminal }: Cli, found: FoundPlatform, answers: PlatformAnswers): Promise<void> {
  const changes = platformChanges(found, answers);
  if (changes.size === 0) return terminal.line("Nothing to save: the settings are the same.");
  const { setKeys } = await import("../../../config/set.js");
  const { writeSecretFile } = await import("../../../config/secret.js");
  const secrets = secretsIn(found, answers);
  for (const [file, secret] of secrets) writeSecretFile(join(home, file), secret);
  await setKeys(home, changes);
  terminal.line(cleanLine(`Saved in ${join(home, "config.yaml")}: ${[...changes.keys()].join(", ")}.`));
  for (const file of secrets.keys()) {
    terminal.line(cleanLine(`The secret is in ${join(home, file)}. Only you can read it.`));
  }
  for (const variable of overriding(found, answers)) {
    terminal.line(`${variable} in the environment overrides this. Remove it there.`);
  }
}
