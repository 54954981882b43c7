/**
 * What may stand in a config file. Strict: a key that is not here is a mistake, not a wish. Each key is declared once:
 * checking, types, defaults, variables, secrets, `docs/config.md` and the JSON Schema follow from the declaration.
 */
import { checkTimeZone, DEFAULT_RESET_POLICY, type ResetPolicy } from "../session/reset-policy.js";
import { CHAT_TYPES } from "../session/source.js";
import { choice, flag, list, number, type Setting, text, textOr } from "../util/setting.js";
import { agentSettings, turnLimits } from "./agent.js";
import { deliverySettings, handoff, uiSettings } from "./delivery.js";
import { environmentSettings } from "./environments.js";
import { groupChatSettings } from "./group-chats.js";
import { each, group, type WrittenOf } from "./groups.js";
import { busy, reactions } from "./incoming.js";
import { jobSettings, outputFolder } from "./jobs.js";
import { limitSettings } from "./limits.js";
import { mcpSettings } from "./mcp.js";
import { memorySettings } from "./memory.js";
import { eachPlatform, USER_ID } from "./names.js";
import { platformSettings } from "./platform-settings.js";
import { processSettings } from "./processes.js";
import { proxySetting } from "./proxy.js";
import { retentionSettings } from "./retention.js";
import { storeSetting } from "./store-setting.js";
import { toolSettings } from "./tools.js";
import { voiceSettings } from "./voice.js";
import { webSettings } from "./web.js";

const timezone = text(
  { description: "IANA time zone of daily resets, such as `Europe/Berlin`.", fallback: "the host's" },
  { mayBeEmpty: true, refuse: wrongTimeZone },
);

function wrongTimeZone(name: string): string | null {
  try {
    checkTimeZone(name, "");
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^: /, "");
  }
}

export const scopes = group({
  agent: textOr(
    "main",
    { description: "The name of the agent in session keys." },
    { pattern: /^[\w-]{1,64}$/, error: "use 1 to 64 letters, digits, - and _" },
  ),
  dm: choice(["chat", "platform"], "chat", {
    description: "Direct messages: one session for each chat, or one for all chats of a platform.",
  }),
  group: scope("Groups and channels"),
  thread: scope("Threads"),
});

function scope(where: string) {
  const description = `${where}: one session for everybody, or one for each member.`;
  return choice(["chat", "member"], "chat", { description });
}

/** A reset policy; what one for a platform or a chat type leaves out is as in `reset.default`. */
function policy(isDefault: boolean) {
  const settings = {
    mode: choice(["none", "idle", "daily", "both"], DEFAULT_RESET_POLICY.mode, {
      description: "When a session starts fresh.",
    }),
    idleMinutes: number(
      DEFAULT_RESET_POLICY.idleMinutes,
      { description: "Idle: starts fresh after this many minutes without activity." },
      { above: 0, error: "use a number of minutes above 0" },
    ),
    atHour: number(
      DEFAULT_RESET_POLICY.atHour,
      { description: "Daily: starts fresh at this hour of the day, 0 to 23." },
      { isWhole: true, min: 0, max: 23, error: "use a whole hour from 0 to 23" },
    ),
    notify: flag(DEFAULT_RESET_POLICY.notify, {
      description: "Tell the chat that a reset happened, and why.",
    }),
  } satisfies Record<keyof ResetPolicy, Setting>;
  const asDefault = Object.fromEntries(
    Object.entries(settings).map(([name, { default: _, ...setting }]) => [
      name,
      { ...setting, fallback: `as \`reset.default.${name}\`` },
    ]),
  );
  return group(isDefault ? settings : (asDefault as typeof settings));
}

export const reset = group({
  default: policy(true),
  byPlatform: eachPlatform(policy(false)),
  byChatType: each("<chat type>", { among: () => CHAT_TYPES }, policy(false)),
});

function listOfPeople(description: string) {
  return eachPlatform(list(null, { description, fallback: "nobody" }, USER_ID));
}

const people = group({
  allow: listOfPeople("Who may talk to the agent as a member: exact, immutable user ids."),
  owners: listOfPeople("Who is an owner, like the user of the terminal: exact, immutable user ids."),
  guests: listOfPeople("Who may talk to the agent as a guest: exact, immutable user ids."),
  pairing: choice(["on", "off"], "on", {
    description: "If somebody unknown writes in private, they get a code that you can approve.",
  }),
});

/**
 * `baton.yaml` in the working folder: how conversations run. It never says who is let in, who shares a conversation or
 * where things are kept.
 */
export const projectFile = group({ timezone, reset, busy, agent: group(turnLimits), handoff });

/** `config.yaml` in the home folder: everything. */
export const homeFile = group({
  ...projectFile.children(),
  agent: agentSettings,
  scopes,
  people,
  groups: groupChatSettings,
  reactions,
  limits: limitSettings,
  tools: toolSettings,
  mcp: mcpSettings,
  processes: processSettings,
  jobs: jobSettings,
  delivery: deliverySettings,
  memory: memorySettings,
  voice: voiceSettings,
  ui: uiSettings,
  web: webSettings,
  retention: retentionSettings,
  environments: environmentSettings,
  /** How each chat platform is reached: its manifest says it. */
  platforms: group(() =>
    Object.fromEntries([...platformSettings()].map(([name, settings]) => [name, group(settings)])),
  ),
  proxy: proxySetting,
  store: storeSetting,
  mirror: choice(["jsonl"], null, {
    description: "`jsonl`: keeps a readable copy of each session in `<home>/sessions`.",
    fallback: "none",
  }),
  outputDir: outputFolder,
});

export type HomeFile = WrittenOf<typeof homeFile>;
