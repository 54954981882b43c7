/** The checks of `baton doctor` that ask somebody: the model gets one short question, and each platform says whose the bot is. */
import type { Adapter } from "../adapter/adapter.js";
import { ConnectError } from "../adapter/adapter.js";
import { manifestOf } from "../adapter/manifest.js";
import type { Config } from "../config/config.js";
import type { ModelChoice } from "../config/model-choice.js";
import { BatonError } from "../session/errors.js";
import type { Finding } from "../util/finding.js";
import { cleanLine } from "../util/text.js";
import type { Cli } from "./cli.js";
import { valuesOf } from "./setup/platform/answers.js";
import { lookAt } from "./setup/platform/look.js";
import { PROVIDERS } from "./setup/providers.js";

/** Longer than any platform's own patience. */
const PLATFORM_MS = 20_000;

interface AskingOptions {
  /** Nobody is asked; only what is set is shown. */
  readonly offline?: boolean;
}

/** Everybody is asked at the same time. */
export async function reachFindings(cli: Cli, config: Config, options: AskingOptions): Promise<Finding[]> {
  const found = await Promise.all([
    modelFindings(cli, config, options),
    platformFindings(cli, config, options),
  ]);
  return found.flat();
}

async function modelFindings(cli: Cli, config: Config, options: AskingOptions): Promise<Finding[]> {
  try {
    const [choice, fallback] = [await cli.chooseModel(config), await cli.fallbackModel(config)];
    if (choice === null)
      return [
        {
          check: "model",
          status: "hint",
          finding: "none: the offline agent answers",
          fix: "baton setup",
        },
      ];
    return await Promise.all([
      modelFinding(cli, "model", choice, options),
      ...(fallback ? [modelFinding(cli, "fallback model", fallback, options)] : []),
    ]);
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    const fix = "correct the setting in config.yaml, or run `baton setup`";
    return [{ check: "model", status: "broken", finding: error.message, fix }];
  }
}

async function modelFinding(
  cli: Cli,
  check: string,
  choice: ModelChoice,
  { offline }: AskingOptions,
): Promise<Finding> {
  const { provider, model, apiKey, from } = choice;
  const fix = "correct that and run `baton doctor` again, or choose another model with `baton setup`";
  if (apiKey === null && PROVIDERS.some(({ name, key }) => name === provider && key === "needed"))
    return { check, status: "broken", finding: `${provider} has no API key`, fix: "baton setup" };
  const why = `by ${from.provider}`;
  if (offline) {
    const finding = `${provider}, ${model ?? "the first model in its list"} (${why}); not asked`;
    return { check, status: "ok", finding };
  }
  try {
    const name = await cli.tryModel(choice);
    return { check, status: "ok", finding: `${provider}, ${cleanLine(name)} (${why}) answers` };
  } catch (error) {
    return { check, status: "broken", finding: (error as Error).message, fix };
  }
}

async function platformFindings(cli: Cli, config: Config, options: AskingOptions): Promise<Finding[]> {
  const { adapters, problems } = await cli.openPlatforms(config);
  const off = problems.map(
    (problem): Finding => ({
      check: "platforms",
      status: "broken",
      finding: problem,
      fix: "complete its settings, or remove them from config.yaml and the environment",
    }),
  );
  return [
    ...off,
    ...(await Promise.all(adapters.map((adapter) => platformFinding(config, adapter, options)))),
  ];
}

async function platformFinding(
  config: Config,
  { platform, account }: Adapter,
  { offline }: AskingOptions,
): Promise<Finding> {
  const check = platform;
  const manifest = manifestOf(platform);
  const found = manifest && lookAt(config, platform, manifest);
  const values = found && valuesOf(found);
  if (!manifest || !values) {
    // A linked device: another connection would end the one that the gateway has.
    const finding = `${cleanLine(account)}; \`baton gateway status\` shows if it is connected`;
    return { check, status: "ok", finding };
  }
  if (offline) return { check, status: "ok", finding: `${cleanLine(account)}; not asked` };
  try {
    const { who } = await unlessLate(manifest.check(values));
    return { check, status: "ok", finding: `answers; connected as ${cleanLine(who)}` };
  } catch (error) {
    const isRefused = error instanceof ConnectError && error.outcome === "permanent";
    const fix = isRefused
      ? `run \`baton setup ${platform}\` to correct its settings`
      : `check the network, its address and the proxy, then try again: \`baton setup ${platform} --yes\``;
    return { check, status: "broken", finding: cleanLine((error as Error).message), fix };
  }
}

async function unlessLate<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = PLATFORM_MS / 1_000;
    timer = setTimeout(() => reject(new Error(`it did not answer within ${seconds} seconds`)), PLATFORM_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
