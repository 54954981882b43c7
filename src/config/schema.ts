/**
 * What may stand in a config file. Strict: a key that is not here is a mistake, not a wish. Each key carries its
 * meaning and its default; `docs/config.md`, the JSON Schema and the names of the variables are made from them.
 */
import { z } from "zod";
import { isPlatform, platforms } from "../session/platform.js";
import { checkTimeZone, type ResetPolicy } from "../session/reset-policy.js";
import { CHAT_TYPES } from "../session/source.js";
import { didYouMean } from "../util/nearest.js";
import { BUSY_MODES, DEFAULTS } from "./defaults.js";
import { SecretFile, withoutPassword } from "./secret.js";
import { toolSettings } from "./tools.js";

/** What `.meta()` holds in this schema. */
export interface KeyMeta {
  readonly description?: string;
  readonly default?: unknown;
  /** The default in words, where it is not one value. */
  readonly fallback?: string;
  /** What the keys below are, where they are of the reader's choosing. */
  readonly each?: string;
  /** May hold a secret. */
  readonly secret?: boolean;
}

const PLATFORM = "<platform>";

const timezone = z
  .string()
  .superRefine((name, context) => {
    try {
      checkTimeZone(name, "");
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message.replace(/^: /, "") });
    }
  })
  .meta({ description: "IANA time zone of daily resets, such as `Europe/Berlin`.", fallback: "the host's" });

const scopes = z.strictObject({
  agent: z
    .string()
    .regex(/^[\w-]{1,64}$/, "use 1 to 64 letters, digits, - and _")
    .meta({ description: "Name of the agent in session keys.", default: DEFAULTS.scopes.agent })
    .optional(),
  dm: z
    .enum(["chat", "platform"])
    .meta({
      description: "Direct messages: a session a chat, or one for all of a platform.",
      default: DEFAULTS.scopes.dm,
    })
    .optional(),
  group: scope("Groups and channels", DEFAULTS.scopes.group),
  thread: scope("Threads", DEFAULTS.scopes.thread),
});

function scope(where: string, fallback: "chat" | "member") {
  const description = `${where}: one session that all share, or one for each member.`;
  return z.enum(["chat", "member"]).meta({ description, default: fallback }).optional();
}

const HOUR = "use a whole hour from 0 to 23";
const MINUTES = "use a number of minutes above 0";

/** A reset policy; what it leaves out is as in `defaults`, else as in `reset.default`. */
function policy(defaults?: ResetPolicy) {
  const fallback = (key: keyof ResetPolicy) =>
    defaults ? { default: defaults[key] } : { fallback: `as \`reset.default.${key}\`` };
  return z.strictObject({
    mode: z
      .enum(["none", "idle", "daily", "both"])
      .meta({ description: "When a session starts fresh.", ...fallback("mode") })
      .optional(),
    idleMinutes: z
      .number(MINUTES)
      .positive(MINUTES)
      .meta({ description: "Idle: after this long without activity.", ...fallback("idleMinutes") })
      .optional(),
    atHour: z
      .int(HOUR)
      .min(0, HOUR)
      .max(23, HOUR)
      .meta({ description: "Daily: at this hour of the day, 0 to 23.", ...fallback("atHour") })
      .optional(),
    notify: z
      .boolean("use true or false")
      .meta({ description: "Tell the chat that a reset happened, and why.", ...fallback("notify") })
      .optional(),
  });
}

const reset = z.strictObject({
  default: policy(DEFAULTS.reset).optional(),
  byPlatform: eachOf(platforms(), policy()).meta({ each: PLATFORM }).optional(),
  byChatType: eachOf(CHAT_TYPES, policy()).meta({ each: "<chat type>" }).optional(),
});

const busyMode = z.enum(BUSY_MODES);

const chat = z.string().superRefine((key, context) => {
  const [, platform = "", id = ""] = /^([^:]*):(.*)$/s.exec(key) ?? [];
  if (isPlatform(platform) && id !== "") return;
  const hint = isPlatform(platform) ? "" : didYouMean(platform, platforms());
  context.addIssue({ code: "custom", message: `name a chat as ${PLATFORM}:<chat id>.${hint}` });
});

const busy = z.strictObject({
  default: busyMode
    .meta({ description: "What a message does that arrives during a turn.", default: DEFAULTS.busy })
    .optional(),
  byPlatform: eachOf(
    platforms(),
    busyMode.meta({ description: "The same for one platform.", fallback: "as `busy.default`" }),
  )
    .meta({ each: PLATFORM })
    .optional(),
  byChat: z
    .record(chat, busyMode.meta({ description: "The same for one chat.", fallback: "as its platform" }))
    .meta({ each: `${PLATFORM}:<chat id>` })
    .optional(),
});

const SECONDS = "use a number of seconds above 0, at most 86400";
const MESSAGES = "use a whole number of messages above 0";

const turnLimits = z.strictObject({
  turnDeadlineSeconds: z
    .number(SECONDS)
    .positive(SECONDS)
    .max(86_400, SECONDS)
    .meta({
      description: "A turn that takes longer is ended, and the chat is told.",
      default: DEFAULTS.agent.turnDeadlineSeconds,
    })
    .optional(),
  maxMessages: z
    .int(MESSAGES)
    .min(1, MESSAGES)
    .meta({
      description: "How many messages of a session the agent is given at most.",
      default: DEFAULTS.agent.maxMessages,
    })
    .optional(),
});

const folder = z.string().min(1, "give the path of a folder");

const QUOTE_IT = "give the user's id; put it in quotes where it is not a plain number";

/** Exact, immutable ids. A number is taken as it is written, so it must be one that JavaScript keeps exactly. */
const userId = z
  .union(
    [
      z
        .string()
        .min(1, QUOTE_IT)
        .refine((id) => id !== "*", "name each person by id; there is no way to let everybody in"),
      z.int(QUOTE_IT),
    ],
    { error: QUOTE_IT },
  )
  .transform(String);

const people = z.strictObject({
  allow: eachOf(
    platforms(),
    z
      .array(userId)
      .meta({ description: "Who may talk to the agent: immutable user ids, exactly.", fallback: "nobody" }),
  )
    .meta({ each: PLATFORM })
    .optional(),
});

/** `{ file: path }`, as every secret is written. */
const secretFile = z
  .strictObject({ file: z.string().min(1, "give the path of a file") })
  .transform(({ file }) => new SecretFile(file));

const STORE = "give a path, sqlite:<path>, postgres://… or { file: <path> }";

const store = z
  .union(
    [
      z
        .string()
        .min(1, STORE)
        .refine((url) => withoutPassword(url) === url, {
          error:
            "a password does not stand in this file. Put the URL in a file of its own (chmod 600) and write " +
            "`store: { file: <path> }`, or set BATON_STORE",
        }),
      secretFile,
    ],
    { error: STORE },
  )
  .meta({
    description:
      "Where conversations are kept: a path, `sqlite:<path>`, `postgres://…`, or a file that holds such a URL.",
    fallback: "`<home>/baton.db`",
    secret: true,
  });

/**
 * `baton.yaml` in the working folder: how conversations run. It never says who is let in, who shares a conversation or
 * where things are kept.
 */
export const projectFile = z.strictObject({
  timezone: timezone.optional(),
  reset: reset.optional(),
  busy: busy.optional(),
  agent: turnLimits.optional(),
});

/** `config.yaml` in the home folder: everything. */
export const homeFile = projectFile.extend({
  agent: turnLimits
    .extend({
      workdir: folder
        .meta({ description: "The folder the agent works in.", fallback: "where Baton was started" })
        .optional(),
    })
    .optional(),
  scopes: scopes.optional(),
  people: people.optional(),
  tools: toolSettings.optional(),
  store: store.optional(),
  mirror: z
    .literal("jsonl")
    .meta({ description: "Keeps a readable copy of each session in `<home>/sessions`.", fallback: "none" })
    .optional(),
  outputDir: folder
    .meta({ description: "Where results go that are delivered locally.", fallback: "`<home>/cron/output`" })
    .optional(),
});

export type HomeFile = z.infer<typeof homeFile>;

function eachOf<Value extends z.ZodType>(names: readonly string[], value: Value) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, value.optional()])));
}
