/**
 * Configuration → the adapters of the platforms that are set up, each loaded only then. Nobody is called here: whether a
 * platform is reached shows when it connects. One that cannot be opened does not keep the others from it.
 */
import { join } from "node:path";
import type { Adapter } from "./adapter/adapter.js";
import { type Given, manifestOf, type PlatformManifest } from "./adapter/manifest.js";
import "./adapter/platforms.js";
import type { Config } from "./config/config.js";
import { type Platform, platforms, platformTraits } from "./session/platform.js";
import { Secret } from "./util/secret.js";
import { type Settings, variableOf } from "./util/setting.js";

export interface OpenedPlatforms {
  readonly adapters: readonly Adapter[];
  /** Why some that are set up are not among them, in words. */
  readonly problems: readonly string[];
}

/** A platform that can be set up, and what is set of it. */
interface Plan {
  readonly platform: Platform;
  readonly manifest: PlatformManifest;
  readonly settings: Given<Settings>;
  /** A folder for its files. */
  readonly folder: string;
  /** True if somebody has set something that it needs, or named it as a further bot. */
  readonly isWanted: boolean;
  /** The variables of the settings that it needs and that are not set. */
  readonly missing: readonly string[];
}

export async function openPlatforms(config: Config): Promise<OpenedPlatforms> {
  const outcomes = (await Promise.all(plansOf(config).map(openOne))).map(unlessSameBot);
  return {
    adapters: outcomes.flatMap((outcome) => (typeof outcome === "string" ? [] : (outcome ?? []))),
    problems: outcomes.filter((outcome) => typeof outcome === "string"),
  };
}

type Opening = Adapter | string | null;

/** Two connections of one bot would take each other's messages: only the first of them is opened. */
function unlessSameBot(outcome: Opening, index: number, all: readonly Opening[]): Opening {
  if (outcome === null || typeof outcome === "string") return outcome;
  const first = all.slice(0, index).find((other) => isAdapter(other) && isSameBot(other, outcome));
  if (!isAdapter(first)) return outcome;
  const [title, other] = [outcome, first].map(({ platform }) => platformTraits(platform).title);
  return `${title} is off: it has the same account as ${other} (${outcome.account}). Give each its own: run \`baton setup ${outcome.platform}\`.`;
}

function isAdapter(outcome: Opening | undefined): outcome is Adapter {
  return typeof outcome === "object" && outcome !== null;
}

function isSameBot(one: Adapter, other: Adapter): boolean {
  const platformOf = ({ platform }: Adapter) => platformTraits(platform).like ?? platform;
  return platformOf(one) === platformOf(other) && one.account === other.account;
}

/** Links this machine to the platform's account; fails with a sentence. */
export async function linkPlatform(
  config: Config,
  platform: string,
  say: (line: string) => void,
  end: AbortSignal,
  columns: number,
): Promise<void> {
  const linkable = plansOf(config).flatMap((plan) => {
    const { link } = plan.manifest;
    return link ? [{ ...plan, link, isFor: link.isFor(plan.settings) }] : [];
  });
  const plan = linkable.find((each) => each.platform === platform && each.isFor);
  if (!plan) {
    const linked = linkable.flatMap(({ platform, isFor }) => (isFor ? [platform] : []));
    const first = linkable.map(({ manifest, link }) => `for ${manifest.title} ${link.first}`);
    throw new Error(
      `${platform} needs no link. ${linked.length > 0 ? `These platforms do: ${linked.join(", ")}.` : `No platform that is set up does; ${first.join(", ")}.`}`,
    );
  }
  const { manifest, settings, folder, missing, link } = plan;
  if (missing.length > 0) throw new Error(`${manifest.title} also needs ${missing.join(" and ")}.`);
  await link.begin(settings, folder, say, end, columns);
}

/** The adapter, or why there is none; null if it is not set up at all. */
async function openOne(plan: Plan): Promise<Opening> {
  const { platform, manifest, settings, folder, isWanted, missing } = plan;
  if (!isWanted) return null;
  const { title } = manifest;
  if (missing.length > 0)
    return `${title} is off: it also needs ${missing.join(" and ")}. Run \`baton setup ${platform}\`.`;
  try {
    return await manifest.open(settings, folder);
  } catch (error) {
    return `${title} is off: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function plansOf({ platforms: values, home }: Config): Plan[] {
  return platforms().flatMap((platform) => {
    const manifest = manifestOf(platform);
    if (!manifest) return [];
    const settings = Object.fromEntries(
      Object.keys(manifest.settings).flatMap((name) => {
        const value = values[platform]?.[name] ?? null;
        if (value === null) return [];
        return [[name, value instanceof Secret ? () => value.reveal() : value]];
      }),
    );
    const needed = manifest.needs?.(settings) ?? questionsOf(manifest);
    const missing = needed
      .filter((name) => settings[name] === undefined)
      .map((name) => variableOf(["platforms", platform, name], manifest.settings[name]));
    const isNamed = (values[platform]?.like ?? null) !== null;
    const isWanted = isNamed || missing.length < needed.length;
    return [{ platform, manifest, settings, folder: join(home, platform), isWanted, missing }];
  });
}

function questionsOf({ settings }: PlatformManifest): string[] {
  return Object.keys(settings).filter((name) => settings[name]?.question);
}
