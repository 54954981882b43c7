/**
 * Configuration → the adapters of the platforms that are set up, each loaded only then. Nobody is called here: whether a
 * platform is reached shows when it connects. One that cannot be opened does not keep the others from it.
 */
import { join } from "node:path";
import type { Adapter } from "./adapter/adapter.js";
import type { PlatformSetup } from "./adapter/setup.js";
import type { Config, PlatformsConfig } from "./config/load.js";
import type { Secret } from "./config/secret.js";
import { type Platform, platformTraits } from "./session/platform.js";

export interface OpenedPlatforms {
  readonly adapters: readonly Adapter[];
  /** Why some that are set up are not among them, in words. */
  readonly problems: readonly string[];
}

type Opening = () => Promise<Adapter>;

/** What a platform needs, by the names under which people set it; nothing where it is not set up at all. */
interface Plan {
  readonly needs: Readonly<Record<string, Secret | string | null>>;
  readonly open: Opening;
  /** Makes this machine one of an account's devices, where the platform wants that. */
  readonly link?: (say: (line: string) => void, end: AbortSignal) => Promise<void>;
}

export async function openPlatforms(config: Config): Promise<OpenedPlatforms> {
  const plans = Object.entries(plansOf(config.platforms, config.home));
  const outcomes = await Promise.all(plans.map(([platform, plan]) => openOne(platform, plan)));
  return {
    adapters: outcomes.flatMap((outcome) => (typeof outcome === "string" ? [] : (outcome ?? []))),
    problems: outcomes.filter((outcome) => typeof outcome === "string"),
  };
}

/** Links this machine to the platform's account; fails with a sentence. */
export async function linkPlatform(
  config: Config,
  platform: string,
  say: (line: string) => void,
  end: AbortSignal,
): Promise<void> {
  const plans = plansOf(config.platforms, config.home);
  const linkable = Object.keys(plans).filter((name) => plans[name]?.link);
  const { needs = {}, link } = plans[platform] ?? {};
  if (!link)
    throw new Error(
      `${platform} is not linked from here. ${linkable.length > 0 ? `Those that are: ${linkable.join(", ")}.` : "None that is set up needs it; for WhatsApp set WHATSAPP_MODE=baileys first."}`,
    );
  const missing = Object.keys(needs).filter((name) => needs[name] === null);
  if (missing.length > 0)
    throw new Error(`${platformTraits(platform).title} also needs ${missing.join(" and ")}.`);
  await link(say, end);
}

/** The adapter, or why there is none; null where it is not set up at all. */
async function openOne(platform: string, { needs, open }: Plan): Promise<Adapter | string | null> {
  const missing = Object.keys(needs).filter((name) => needs[name] === null);
  if (missing.length === Object.keys(needs).length) return null;
  const { title } = platformTraits(platform);
  if (missing.length > 0)
    return `${title} also needs ${missing.join(" and ")}; until then it is left out. \`baton setup ${platform}\` asks for it.`;
  try {
    return await open();
  } catch (error) {
    return `${title} is left out: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** How a platform is set up by questions, of those that have an adapter. */
export async function platformSetup(platform: Platform): Promise<PlatformSetup> {
  const load = SETUPS[platform];
  if (!load) throw new Error(`${platformTraits(platform).title} has no set-up.`);
  return (await load()).setup;
}

const SETUPS: Readonly<Record<Platform, () => Promise<{ readonly setup: PlatformSetup }>>> = {
  telegram: () => import("./adapter/telegram/setup.js"),
  discord: () => import("./adapter/discord/setup.js"),
  slack: () => import("./adapter/slack/setup.js"),
  whatsapp: () => import("./adapter/whatsapp/setup.js"),
  signal: () => import("./adapter/signal/setup.js"),
  matrix: () => import("./adapter/matrix/setup.js"),
};

function plansOf(config: PlatformsConfig, home: string): Readonly<Record<string, Plan>> {
  const { telegram, discord, slack, whatsapp, signal, matrix } = config;
  return {
    telegram: {
      needs: { TELEGRAM_BOT_TOKEN: telegram.token },
      open: async () =>
        (await import("./adapter/telegram/config.js")).openTelegram({
          token: revealed(telegram.token),
          ...at(telegram.baseUrl),
        }),
    },
    discord: {
      needs: { DISCORD_BOT_TOKEN: discord.token },
      open: async () =>
        (await import("./adapter/discord/config.js")).openDiscord({
          token: revealed(discord.token),
          ...at(discord.baseUrl),
        }),
    },
    slack: {
      needs: { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken },
      open: async () =>
        (await import("./adapter/slack/config.js")).openSlack({
          botToken: revealed(slack.botToken),
          appToken: revealed(slack.appToken),
          ...at(slack.baseUrl),
        }),
    },
    whatsapp: whatsapp.mode === "baileys" ? baileysPlan(whatsapp, home) : cloudPlan(whatsapp),
    signal: {
      needs: { SIGNAL_HTTP_URL: signal.url, SIGNAL_ACCOUNT: signal.account },
      open: async () =>
        (await import("./adapter/signal/config.js")).openSignal({
          baseUrl: signal.url ?? "",
          account: signal.account ?? "",
        }),
    },
    matrix: {
      needs: { MATRIX_HOMESERVER: matrix.homeserver, MATRIX_ACCESS_TOKEN: matrix.accessToken },
      open: async () =>
        (await import("./adapter/matrix/config.js")).openMatrix({
          homeserver: matrix.homeserver ?? "",
          accessToken: revealed(matrix.accessToken),
          ...(matrix.userId === null ? {} : { userId: matrix.userId }),
          folder: join(home, "matrix"),
        }),
    },
  };
}

function cloudPlan(whatsapp: PlatformsConfig["whatsapp"]): Plan {
  return {
    needs: {
      WHATSAPP_ACCESS_TOKEN: whatsapp.accessToken,
      WHATSAPP_PHONE_NUMBER_ID: whatsapp.phoneNumberId,
      WHATSAPP_APP_SECRET: whatsapp.appSecret,
      WHATSAPP_VERIFY_TOKEN: whatsapp.verifyToken,
    },
    open: async () =>
      (await import("./adapter/whatsapp/config.js")).openWhatsApp({
        phoneNumberId: whatsapp.phoneNumberId ?? "",
        accessToken: revealed(whatsapp.accessToken),
        appSecret: revealed(whatsapp.appSecret),
        verifyToken: revealed(whatsapp.verifyToken),
        webhook: { host: whatsapp.host, port: whatsapp.port },
        ...at(whatsapp.baseUrl),
      }),
  };
}

/** The mode alone says that it is wanted. */
function baileysPlan({ mode, number, baseUrl }: PlatformsConfig["whatsapp"], home: string): Plan {
  const settings = { number: number ?? "", folder: join(home, "whatsapp"), ...at(baseUrl) };
  return {
    needs: { WHATSAPP_MODE: mode, WHATSAPP_NUMBER: number },
    open: async () => (await import("./adapter/whatsapp/baileys/config.js")).openBaileys(settings),
    link: async (say, end) =>
      (await import("./adapter/whatsapp/baileys/config.js")).linkBaileys(settings, say, end),
  };
}

function revealed(secret: Secret | null): () => string {
  return () => secret?.reveal() ?? "";
}

function at(baseUrl: string | null): { baseUrl?: string } {
  return baseUrl === null ? {} : { baseUrl };
}
