/** What `baton setup <platform>` does: explains, asks, checks with the platform, and saves everything at the end or nothing. */
import { join } from "node:path";
import { ConnectError } from "../../../adapter/adapter.js";
import { manifestOf, type PlatformManifest } from "../../../adapter/manifest.js";
import { type Platform, platformTraits } from "../../../session/platform.js";
import { cleanLine } from "../../../util/text.js";
import type { Cli } from "../../cli.js";
import { CliError, wrongUsage } from "../../failure.js";
import type { SetupOptions } from "../run.js";
import {
  type FoundPlatform,
  overriding,
  type PlatformAnswers,
  platformChanges,
  platformInstructions,
  secretsIn,
  valuesOf,
} from "./answers.js";
import { lookAt } from "./look.js";

export async function setupPlatform(cli: Cli, platform: Platform, options: SetupOptions): Promise<void> {
  const { terminal, streams } = cli;
  const manifest = manifestOf(platform);
  if (!manifest) throw new Error(`${platformTraits(platform).title} has no set-up.`);
  const found = lookAt(await cli.loadConfig(), platform, manifest);
  if (options.yes) return check(cli, manifest, found, options);
  if (!terminal.canAsk || options.json) {
    throw wrongUsage(
      ["Setup asks questions and needs a terminal.", ...platformInstructions(found)].join("\n"),
    );
  }
  const { askPlatform } = await import("./ask.js");
  const { stdin: input, stdout: output } = streams;
  const asked = await askPlatform(manifest, found, { input, output }, (text) => terminal.named(text));
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
