/** How each chat platform is reached: the part of the schema that only the home file has. Variables are those people know. */
import { z } from "zod";
import { DEFAULTS } from "./defaults.js";
import { isHomeChannel } from "./home-channel.js";
import { secretFile } from "./secret-schema.js";

const PORT = "use a port from 1 to 65535";
const HOME = 'give a chat\'s id, or chat:thread; a ":" inside an id is written %3A';
const URL_ERROR = "give an http or https address";
const DAEMON_ERROR = "give unix: and the whole path of a socket, or an http or https address";
const httpUrl = z.url({ protocol: /^https?$/, error: URL_ERROR });

function secret(description: string, variable: string) {
  return secretFile.meta({ description, variable, fallback: "none", secret: true }).optional();
}

function text(description: string, variable?: string) {
  return z
    .union([z.string().min(1, "give a text"), z.int()], { error: "give a text" })
    .transform(String)
    .meta({ description, fallback: "none", ...(variable ? { variable } : {}) })
    .optional();
}

function address(description: string, variable?: string) {
  return httpUrl
    .meta({ description, fallback: "the platform's own", ...(variable ? { variable } : {}) })
    .optional();
}

function isSocket(written: string): boolean {
  return written.startsWith("unix:/") && written.length > "unix:/".length;
}

/** What every platform has. */
function common(prefix: string) {
  return {
    homeChannel: z
      .union([z.string(), z.int()], { error: HOME })
      .transform(String)
      .refine((written) => isHomeChannel(prefix.toLowerCase(), written), HOME)
      .meta({
        description: "Where results go that are for nobody in particular: a chat's id, or `chat:thread`.",
        fallback: "none",
        variable: `${prefix}_HOME_CHANNEL`,
      })
      .optional(),
    answer: z
      .enum(["addressed", "all"])
      .meta({
        description: "In groups: answer what is addressed to the bot, or all that is said.",
        default: DEFAULTS.platforms.answer,
      })
      .optional(),
  };
}

export const platformSettings = z.strictObject({
  telegram: z
    .strictObject({
      token: secret("The bot's token, from @BotFather.", "TELEGRAM_BOT_TOKEN"),
      baseUrl: address("Another Bot API server."),
      ...common("TELEGRAM"),
    })
    .optional(),
  discord: z
    .strictObject({
      token: secret("The bot's token, from the developer portal.", "DISCORD_BOT_TOKEN"),
      baseUrl: address("Another API server."),
      ...common("DISCORD"),
    })
    .optional(),
  slack: z
    .strictObject({
      botToken: secret("The bot user's token (`xoxb-…`).", "SLACK_BOT_TOKEN"),
      appToken: secret("The app-level token for Socket Mode (`xapp-…`).", "SLACK_APP_TOKEN"),
      baseUrl: address("Another API server."),
      ...common("SLACK"),
    })
    .optional(),
  whatsapp: z
    .strictObject({
      mode: z
        .enum(["cloud", "baileys"])
        .meta({
          description:
            "`cloud`: Meta's Cloud API. `baileys`: a linked device of an account, by an unofficial client that is installed apart.",
          default: DEFAULTS.platforms.whatsapp.mode,
          variable: "WHATSAPP_MODE",
        })
        .optional(),
      number: text("`baileys`: the account's phone number, with the country's code.", "WHATSAPP_NUMBER"),
      accessToken: secret("The Cloud API's access token.", "WHATSAPP_ACCESS_TOKEN"),
      phoneNumberId: text("The id of the sending phone number.", "WHATSAPP_PHONE_NUMBER_ID"),
      appSecret: secret("The app's secret, which signs what comes in.", "WHATSAPP_APP_SECRET"),
      verifyToken: secret("What the webhook is verified with: a text of your own.", "WHATSAPP_VERIFY_TOKEN"),
      host: text(
        "The address that the webhook listens on; a proxy with TLS stands before it.",
        "WHATSAPP_WEBHOOK_HOST",
      ),
      port: z
        .int(PORT)
        .min(1, PORT)
        .max(65_535, PORT)
        .meta({
          description: "The port that the webhook listens on.",
          default: DEFAULTS.platforms.whatsapp.port,
          variable: "WHATSAPP_WEBHOOK_PORT",
        })
        .optional(),
      baseUrl: address("Another API server."),
      ...common("WHATSAPP"),
    })
    .optional(),
  signal: z
    .strictObject({
      url: z
        .string(DAEMON_ERROR)
        .refine((written) => isSocket(written) || httpUrl.safeParse(written).success, DAEMON_ERROR)
        .meta({
          description:
            "Where signal-cli's daemon listens: `unix:/path/to/socket` (`--socket`, best) or `http://127.0.0.1:8080` (`--http`).",
          fallback: "none",
          variable: "SIGNAL_HTTP_URL",
        })
        .optional(),
      account: text("The phone number that signal-cli has registered.", "SIGNAL_ACCOUNT"),
      ...common("SIGNAL"),
    })
    .optional(),
  matrix: z
    .strictObject({
      homeserver: address("The homeserver.", "MATRIX_HOMESERVER"),
      accessToken: secret("The bot's access token.", "MATRIX_ACCESS_TOKEN"),
      userId: text(
        "Whose token it is, `@baton:example.org`: with it, another token of the same user goes on where this one stopped.",
        "MATRIX_USER_ID",
      ),
      ...common("MATRIX"),
    })
    .optional(),
});
