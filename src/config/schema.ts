/**
 * What may stand in a config file. Strict: a key that is not here is a mistake, not a wish. Each key carries its
 * meaning and its default; `docs/config.md`, the JSON Schema and the names of the variables are made from them.
 */
import { z } from "zod";
import { isPlatform, platforms } from "../session/platform.js";
import { checkTimeZone, type ResetPolicy } from "../session/reset-policy.js";
import { CHAT_TYPES } from "../session/source.js";
import { didYouMean } from "../util/nearest.js";
import { BUSY_MODES, DEFAULTS, type LimitName, PROVIDERS } from "./defaults.js";
import { mcp } from "./mcp-schema.js";
import { platformSettings } from "./platform-settings.js";
import { SecretFile, withoutPassword } from "./secret.js";
import { secretFile } from "./secret-schema.js";
import { schemaOf } from "./setting-schema.js";
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
  /** The variable that overrides it, where people know another than the rule makes. */
  readonly variable?: string;
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

/** The name of a chat or a person, by its exact id. */
const named = (what: string, id: string) =>
  z.string().superRefine((key, context) => {
    const [, platform = "", exact = ""] = /^([^:]*):(.*)$/s.exec(key) ?? [];
    if (isPlatform(platform) && exact !== "" && exact !== "*") return;
    const hint = isPlatform(platform) ? "" : didYouMean(platform, platforms());
    context.addIssue({ code: "custom", message: `name ${what} as ${PLATFORM}:${id}.${hint}` });
  });

const CHAT = "<chat id>";
const USER = "<user id>";

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
    .record(
      named("a chat", CHAT),
      busyMode.meta({ description: "The same for one chat.", fallback: "as its platform" }),
    )
    .meta({ each: `${PLATFORM}:${CHAT}` })
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
  maxSends: z
    .int(MESSAGES)
    .min(1, MESSAGES)
    .meta({
      description:
        "A turn sends at most this many messages beyond one for each of its steps; Baton cuts a longer answer, and says so.",
      default: DEFAULTS.agent.maxSends,
    })
    .optional(),
});

const handoff = z.strictObject({
  waitSeconds: z
    .number(SECONDS)
    .positive(SECONDS)
    .max(86_400, SECONDS)
    .meta({
      description: "A handoff that nobody has carried out by then is given up, and the conversation stays.",
      default: DEFAULTS.handoff.waitSeconds,
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
  owners: listOfPeople("Who is an owner there, as at the terminal: immutable user ids, exactly."),
  guests: listOfPeople("Who may talk to the agent as a guest: immutable user ids, exactly."),
  pairing: z
    .enum(["on", "off"])
    .meta({
      description: "Whether somebody unknown who writes in private gets a code for you to approve.",
      default: DEFAULTS.pairing,
    })
    .optional(),
});

function listOfPeople(description: string) {
  return eachOf(platforms(), z.array(userId).meta({ description, fallback: "nobody" }))
    .meta({ each: PLATFORM })
    .optional();
}

const LIMIT = "use a whole number above 0, or none";

/** How much somebody may ask for; what is left out is as in `defaults`, or as their role has it. */
function limits(defaults?: Readonly<Record<LimitName, number | "none">>) {
  const limit = (name: LimitName, description: string) =>
    z
      .union([z.int(LIMIT).min(1, LIMIT), z.literal("none")], { error: LIMIT })
      .meta({ description, ...(defaults ? { default: defaults[name] } : { fallback: "as their role" }) })
      .optional();
  return z.strictObject({
    messagesPerMinute: limit(
      "messagesPerMinute",
      "Messages in a minute. Baton skips more, and says so once.",
    ),
    turnsAtOnce: limit("turnsAtOnce", "Turns that run at the same time; more wait."),
    modelCallsPerDay: limit("modelCallsPerDay", "Calls of a model in a day (UTC)."),
    mediaMegabytesPerDay: limit("mediaMegabytesPerDay", "Megabytes of files that are taken in a day (UTC)."),
  });
}

const limitLists = z.strictObject({
  guests: limits(DEFAULTS.limits.guests).optional(),
  members: limits(DEFAULTS.limits.members).optional(),
  owners: limits(DEFAULTS.limits.owners).optional(),
  byPerson: z
    .record(named("a person", USER), limits())
    .meta({ each: `${PLATFORM}:${USER}` })
    .optional(),
});

const toolNames = z.array(
  z.string().regex(/^[\w-]{1,128}$/, "name each tool; there is no way to name them all"),
);

function namesOf(tools: readonly string[]): string {
  return tools.map((name) => `\`${name}\``).join(", ");
}

/** Which tools an agent has while it answers somebody, by what and who they are. */
const tools = toolSettings.extend({
  ask: z
    .array(z.string().regex(/^[\w-]{1,128}\*?$/, "name each tool, or all of a server as <server>_*"))
    .meta({
      description:
        "Tools that Baton asks about before each call, such as `fetch_url`; `<server>_*` means all tools of an MCP server.",
      fallback: "none",
    })
    .optional(),
  guests: toolNames
    .meta({
      description: "The tools of guests, by name.",
      fallback: namesOf(DEFAULTS.tools.guests),
    })
    .optional(),
  members: toolNames
    .meta({
      description: "The tools of members, by name.",
      fallback: namesOf(DEFAULTS.tools.members),
    })
    .optional(),
  byPlatform: eachOf(
    platforms(),
    toolNames.meta({ description: "There nobody has other tools, whatever their role.", fallback: "all" }),
  )
    .meta({ each: PLATFORM })
    .optional(),
  byPerson: z
    .record(
      named("a person", USER),
      toolNames.meta({
        description: "The tools of one person, under all their identities, instead of those of their role.",
        fallback: "those of their role",
      }),
    )
    .meta({ each: `${PLATFORM}:${USER}` })
    .optional(),
});

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

const KEY =
  "a key does not stand in this file. Put it in a file of its own (chmod 600) and write `apiKey: { file: <path> }`, or " +
  "set the variable";
const MODEL = "give the name of a model";
const URL = "give the address of a server, such as http://127.0.0.1:8080/v1";

/** Whom to ask for an answer. */
function endpoint(fallbacks: Readonly<Record<"provider" | "model" | "baseUrl" | "apiKey", string>>) {
  return {
    provider: z
      .enum(PROVIDERS)
      .meta({ description: "Who offers the model.", fallback: fallbacks.provider })
      .optional(),
    model: z
      .string(MODEL)
      .regex(/^\S{1,200}$/, MODEL)
      .meta({ description: "The model, by the name its provider has for it.", fallback: fallbacks.model })
      .optional(),
    baseUrl: z
      .string(URL)
      .refine(isWebAddress, URL)
      .refine((url) => !/\/\/[^/]*@/.test(url), "a key does not stand in an address: use apiKey")
      .meta({ description: "Where the provider's API is.", fallback: fallbacks.baseUrl })
      .optional(),
    apiKey: z
      .strictObject({ file: z.string(KEY).min(1, "give the path of a file") }, { error: KEY })
      .transform(({ file }) => new SecretFile(file))
      .meta({
        description: "A file that holds the provider's key.",
        fallback: fallbacks.apiKey,
        secret: true,
      })
      .optional(),
  };
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/\s]+/i.test(text) && globalThis.URL.canParse(text);
}

const PRICE = "use a number of dollars, 0 or more";
const price = (description: string, fallback: string) =>
  z.number(PRICE).min(0, PRICE).meta({ description, fallback });

const STEPS = "use a whole number of steps from 1 to 1000";

const modelSettings = {
  ...endpoint({
    provider: "by the usual variables",
    model: "the provider's usual one",
    baseUrl: "the provider's",
    apiKey: "the provider's usual variable",
  }),
  fallback: z
    .strictObject(
      endpoint({
        provider: "as `agent.provider`",
        model: "none",
        baseUrl: "the provider's",
        apiKey: "the provider's usual variable",
      }),
    )
    .optional(),
  maxSteps: z
    .int(STEPS)
    .min(1, STEPS)
    .max(1_000, STEPS)
    .meta({
      description: "How often a model may call tools in a turn before it is asked for its last word.",
      default: DEFAULTS.agent.maxSteps,
    })
    .optional(),
  firstWordSeconds: z
    .number(SECONDS)
    .positive(SECONDS)
    .max(86_400, SECONDS)
    .meta({
      description: "How many seconds a model may take to begin its answer; then Baton asks the fallback.",
      default: DEFAULTS.agent.firstWordSeconds,
    })
    .optional(),
  images: z
    .boolean("use true or false")
    .meta({ description: "Send attached images to the model.", default: DEFAULTS.agent.images })
    .optional(),
  prices: z
    .record(
      z.string(),
      z.strictObject({
        input: price("US dollars for a million tokens of input.", "none"),
        output: price("The same for output.", "none"),
        cacheRead: price("The same for input that came from a cache.", "as input").optional(),
        cacheWrite: price("The same for input that went into a cache.", "as input").optional(),
      }),
    )
    .meta({ each: "<model>" })
    .optional(),
};

/** How each chat platform is reached. */
const reached = z.strictObject(
  Object.fromEntries(
    [...platformSettings()].map(([platform, settings]) => {
      const schemas = Object.entries(settings).map(([name, setting]) => [name, schemaOf(setting)]);
      return [platform, z.strictObject(Object.fromEntries(schemas)).optional()];
    }),
  ),
);

/**
 * `baton.yaml` in the working folder: how conversations run. It never says who is let in, who shares a conversation or
 * where things are kept.
 */
export const projectFile = z.strictObject({
  timezone: timezone.optional(),
  reset: reset.optional(),
  busy: busy.optional(),
  agent: turnLimits.optional(),
  handoff: handoff.optional(),
});

/** `config.yaml` in the home folder: everything. */
export const homeFile = projectFile.extend({
  agent: turnLimits
    .extend({
      workdir: folder
        .meta({
          description: "The folder the agent works in.",
          fallback:
            "`~/baton-workspace`; in a terminal the folder where Baton was started, unless that is the home folder",
        })
        .optional(),
      ...modelSettings,
    })
    .optional(),
  scopes: scopes.optional(),
  people: people.optional(),
  limits: limitLists.optional(),
  tools: tools.optional(),
  mcp: mcp.optional(),
  platforms: reached.optional(),
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
