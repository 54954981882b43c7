/** Every value that holds and where it came from, for people to look at. Secrets are shown as they may be seen. */

import { Redactor } from "../util/redact.js";
import { Secret } from "../util/secret.js";
import type { Config, EndpointConfig } from "./config.js";
import { group } from "./groups.js";
import { held } from "./held.js";
import { leavesOf } from "./layer.js";
import type { McpServerConfig } from "./mcp.js";
import type { ModelChoice } from "./model-choice.js";
import { placeText } from "./problem.js";
import { NO_ARCHIVE } from "./retention.js";
import { GUEST_TOOLS, MEMBER_TOOLS } from "./role-defaults.js";
import * as declared from "./schema.js";
import { withoutPassword } from "./secret.js";

export interface ShownSetting {
  readonly key: string;
  /** Null, or an empty group, where there is nothing. */
  readonly value: unknown;
  /** `default`, file and line, or the name of the variable. */
  readonly from: string;
}

/** `model` is what was chosen where the configuration leaves it open; null for the offline agent. */
export function settingsOf(config: Config, model?: ModelChoice | null): ShownSetting[] {
  const { timezone, scopes, reset } = config.sessions;
  const {
    agent,
    busy,
    groups,
    reactions,
    handoff,
    people,
    limits,
    tools,
    mcp,
    processes,
    jobs,
    delivery,
    memory,
    voice,
    ui,
    web,
  } = config;
  const { platforms, proxy, store, mirror, outputDir, retention, places } = config;
  const tree = {
    timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...held(group({ scopes: declared.scopes, reset: declared.reset }), { scopes, reset }, () => ""),
    busy,
    handoff,
    agent: { ...agent, ...shownEndpoint(agent), fallback: shownEndpoint(agent.fallback) },
    people,
    groups,
    reactions,
    limits,
    tools: { ...tools, guests: tools.guests ?? GUEST_TOOLS, members: tools.members ?? MEMBER_TOOLS },
    mcp: { servers: mapped(mcp.servers, writtenServer) },
    processes,
    jobs,
    delivery,
    memory,
    voice: mapped(voice, (part) => mapped<unknown, unknown>({ ...part }, shown)),
    ui,
    web,
    retention: { ...retention, archive: retention.archive ?? NO_ARCHIVE },
    platforms: mapped({ ...platforms }, (platform) => mapped({ ...platform }, shown)),
    proxy: shown(proxy),
    store: store.shown,
    mirror: mirror === null ? null : "jsonl",
    outputDir,
  };
  return leavesOf(tree).map(({ path, value }) => {
    const key = path.join(".");
    const place = places.get(key);
    const set = { key, value: harmless(value), from: place ? placeText(place) : "default" };
    return model === undefined ? set : { ...set, ...chosenSetting(key, model) };
  });
}

/** A server as it would be written, with nothing left out that holds. */
function writtenServer({ reach, tools, timeoutSeconds, enabled }: McpServerConfig) {
  const rest = { ...(tools === null ? {} : { tools }), timeoutSeconds, enabled };
  if (reach.kind === "url") return { url: reach.url, headers: mapped(reach.headers, String), ...rest };
  const { command, args, env, cwd } = reach;
  return { command, args, env: mapped(env, String), cwd, ...rest };
}

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

const { redact } = new Redactor();

/** What stands in the open in a file may still be a secret: it is not shown as one would say it. */
function harmless(value: unknown): unknown {
  if (typeof value === "string") return redact(withoutPassword(value));
  if (!Array.isArray(value)) return value;
  return value.map((each, index) =>
    /key|token|secret|pass/i.test(`${value[index - 1]}`) ? "***" : harmless(each),
  );
}

function shown(value: unknown): unknown {
  return value instanceof Secret ? value.shown : value;
}

function shownEndpoint({ provider, model, baseUrl, apiKey, contextTokens }: EndpointConfig) {
  return { provider, model, baseUrl, apiKey: apiKey?.shown ?? null, contextTokens };
}

function chosenSetting(key: string, model: ModelChoice | null): Partial<ShownSetting> {
  if (key === "agent.contextTokens" && model) return { value: model.contextTokens };
  const [, name] = /^agent\.(provider|model|baseUrl|apiKey)$/.exec(key) ?? [];
  if (name === undefined) return {};
  if (model === null) return name === "provider" ? { value: "offline" } : {};
  const field = name as keyof ModelChoice["from"];
  const value = field === "apiKey" ? (model.apiKey?.shown ?? null) : model[field];
  return { value, from: model.from[field] };
}
