/** What holds for every key of the schema, so that a new one cannot be half-described. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readEnvironment } from "./environment.js";
import { jsonSchema } from "./json-schema.js";
import { keysOf } from "./keys.js";
import { loadConfig } from "./load.js";
import { homeFile, projectFile } from "./schema.js";
import { settingsOf } from "./settings.js";

const folder = mkdtempSync(join(tmpdir(), "baton-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

const names = (file: typeof homeFile | typeof projectFile) => keysOf(file).map((key) => key.path.join("."));

describe("every key", () => {
  test.each(keysOf(homeFile))("$path has a meaning and a default", ({ setting }) => {
    expect(setting.description).toMatch(/\.$/);
    expect(setting.fallback ?? setting.default).toBeDefined();
  });

  test("the default that is documented is the one that holds", async () => {
    const config = await loadConfig(readEnvironment({ BATON_HOME: folder }), folder);
    const held = new Map(settingsOf(config).map(({ key, value, from }) => [key, { value, from }]));
    const documented = keysOf(homeFile).filter(
      ({ path, setting }) => setting.default !== undefined && !path.some((name) => name.startsWith("<")),
    );
    expect(documented.length).toBeGreaterThanOrEqual(11);
    for (const { path, setting } of documented) {
      expect(held.get(path.join(".")), path.join(".")).toEqual({ value: setting.default, from: "default" });
    }
  });

  test("every key that has one place is shown", async () => {
    const shown = settingsOf(await loadConfig(readEnvironment({ BATON_HOME: folder }), folder));
    const single = names(homeFile).filter((key) => !key.includes("<"));
    expect(shown.map(({ key }) => key)).toEqual(expect.arrayContaining(single));
  });

  test("a project's file knows these, and no other", () => {
    const own = names(homeFile).filter((key) => !names(projectFile).includes(key));
    expect(own).toEqual([
      "agent.workdir",
      "agent.instructions",
      "agent.provider",
      "agent.model",
      "agent.baseUrl",
      "agent.apiKey",
      "agent.contextTokens",
      "agent.fallback.provider",
      "agent.fallback.model",
      "agent.fallback.baseUrl",
      "agent.fallback.apiKey",
      "agent.fallback.contextTokens",
      "agent.maxSteps",
      "agent.firstWordSeconds",
      "agent.images",
      "agent.prices.<model>.input",
      "agent.prices.<model>.output",
      "agent.prices.<model>.cacheRead",
      "agent.prices.<model>.cacheWrite",
      "scopes.agent",
      "scopes.dm",
      "scopes.group",
      "scopes.thread",
      "people.allow.<platform>",
      "people.owners.<platform>",
      "people.guests.<platform>",
      "people.pairing",
      "groups.context",
      "groups.contextFrom",
      "groups.threads",
      "groups.byChat.<platform>:<chat id>.answer",
      "groups.byChat.<platform>:<chat id>.names",
      "groups.byChat.<platform>:<chat id>.people",
      "reactions.<emoji>",
      "limits.guests.messagesPerMinute",
      "limits.guests.turnsAtOnce",
      "limits.guests.modelCallsPerDay",
      "limits.guests.mediaMegabytesPerDay",
      "limits.guests.tokensPerDay",
      "limits.guests.costPerDay",
      "limits.guests.tokensPerSession",
      "limits.guests.costPerSession",
      "limits.members.messagesPerMinute",
      "limits.members.turnsAtOnce",
      "limits.members.modelCallsPerDay",
      "limits.members.mediaMegabytesPerDay",
      "limits.members.tokensPerDay",
      "limits.members.costPerDay",
      "limits.members.tokensPerSession",
      "limits.members.costPerSession",
      "limits.owners.messagesPerMinute",
      "limits.owners.turnsAtOnce",
      "limits.owners.modelCallsPerDay",
      "limits.owners.mediaMegabytesPerDay",
      "limits.owners.tokensPerDay",
      "limits.owners.costPerDay",
      "limits.owners.tokensPerSession",
      "limits.owners.costPerSession",
      "limits.everyone.tokensPerDay",
      "limits.everyone.costPerDay",
      "limits.byPerson.<platform>:<user id>.messagesPerMinute",
      "limits.byPerson.<platform>:<user id>.turnsAtOnce",
      "limits.byPerson.<platform>:<user id>.modelCallsPerDay",
      "limits.byPerson.<platform>:<user id>.mediaMegabytesPerDay",
      "limits.byPerson.<platform>:<user id>.tokensPerDay",
      "limits.byPerson.<platform>:<user id>.costPerDay",
      "limits.byPerson.<platform>:<user id>.tokensPerSession",
      "limits.byPerson.<platform>:<user id>.costPerSession",
      "tools.folders",
      "tools.fetch.allowHosts",
      "tools.terminal.environment",
      "tools.terminal.maxTimeoutSeconds",
      "tools.terminal.allow",
      "tools.terminal.sandbox",
      "tools.terminal.network",
      "tools.ask",
      "tools.guests",
      "tools.members",
      "tools.byPlatform.<platform>",
      "tools.byPerson.<platform>:<user id>",
      "mcp.servers.<server>.command",
      "mcp.servers.<server>.args",
      "mcp.servers.<server>.env.<variable>",
      "mcp.servers.<server>.cwd",
      "mcp.servers.<server>.url",
      "mcp.servers.<server>.headers.<header>",
      "mcp.servers.<server>.tools",
      "mcp.servers.<server>.timeoutSeconds",
      "mcp.servers.<server>.enabled",
      "processes.max",
      "processes.maxPerSession",
      "processes.keepMinutes",
      "processes.graceSeconds",
      "processes.maxWaitSeconds",
      "processes.outputCharacters",
      "jobs.maxPerPerson",
      "jobs.maxRunning",
      "jobs.timeoutSeconds",
      "delivery.giveUpAfterDays",
      "delivery.progress",
      "memory.summariseAt",
      "memory.titles",
      "memory.enabled",
      "memory.maxCharacters",
      "voice.transcribe.baseUrl",
      "voice.transcribe.apiKey",
      "voice.transcribe.model",
      "voice.transcribe.command",
      "voice.transcribe.timeoutSeconds",
      "voice.speak.baseUrl",
      "voice.speak.apiKey",
      "voice.speak.model",
      "voice.speak.voice",
      "voice.speak.timeoutSeconds",
      "ui.plain",
      "web.enabled",
      "web.host",
      "web.port",
      "web.publicUrl",
      "web.tls.certFile",
      "web.tls.keyFile",
      "web.trustedHeader.name",
      "web.trustedHeader.proxies",
      "retention.endedAfterDays",
      "retention.maxMegabytes",
      "retention.archive",
      "environments.<environment>.kind",
      "environments.<environment>.host",
      "environments.<environment>.port",
      "environments.<environment>.configFile",
      "environments.<environment>.image",
      "environments.<environment>.program",
      "environments.<environment>.memory",
      "environments.<environment>.cpus",
      "environments.<environment>.pids",
      "environments.<environment>.network",
      "environments.<environment>.mounts",
      "environments.<environment>.workdir",
      "platforms.telegram.token",
      "platforms.telegram.webhookUrl",
      "platforms.telegram.host",
      "platforms.telegram.port",
      "platforms.telegram.baseUrl",
      "platforms.telegram.homeChannel",
      "platforms.telegram.answer",
      "platforms.discord.token",
      "platforms.discord.baseUrl",
      "platforms.discord.homeChannel",
      "platforms.discord.answer",
      "platforms.slack.mode",
      "platforms.slack.botToken",
      "platforms.slack.appToken",
      "platforms.slack.signingSecret",
      "platforms.slack.host",
      "platforms.slack.port",
      "platforms.slack.baseUrl",
      "platforms.slack.homeChannel",
      "platforms.slack.answer",
      "platforms.whatsapp.mode",
      "platforms.whatsapp.number",
      "platforms.whatsapp.phoneNumberId",
      "platforms.whatsapp.accessToken",
      "platforms.whatsapp.appSecret",
      "platforms.whatsapp.verifyToken",
      "platforms.whatsapp.host",
      "platforms.whatsapp.port",
      "platforms.whatsapp.baseUrl",
      "platforms.whatsapp.homeChannel",
      "platforms.whatsapp.answer",
      "platforms.signal.url",
      "platforms.signal.account",
      "platforms.signal.noteToSelf",
      "platforms.signal.homeChannel",
      "platforms.signal.answer",
      "platforms.matrix.homeserver",
      "platforms.matrix.accessToken",
      "platforms.matrix.userId",
      "platforms.matrix.homeChannel",
      "platforms.matrix.answer",
      "platforms.mattermost.url",
      "platforms.mattermost.token",
      "platforms.mattermost.homeChannel",
      "platforms.mattermost.answer",
      "platforms.feishu.domain",
      "platforms.feishu.appId",
      "platforms.feishu.appSecret",
      "platforms.feishu.baseUrl",
      "platforms.feishu.homeChannel",
      "platforms.feishu.answer",
      "proxy",
      "store",
      "mirror",
      "outputDir",
    ]);
    expect(names(homeFile)).toEqual(expect.arrayContaining(names(projectFile)));
  });
});

describe("variables", () => {
  test("one for each single value at a fixed place, by one rule", () => {
    const variables = Object.fromEntries(
      keysOf(homeFile).map(({ path, variable }) => [path.join("."), variable]),
    );
    expect(variables).toMatchObject({
      timezone: "BATON_TIMEZONE",
      "reset.default.atHour": "BATON_RESET_DEFAULT_AT_HOUR",
      "agent.turnDeadlineSeconds": "BATON_AGENT_TURN_DEADLINE_SECONDS",
      outputDir: "BATON_OUTPUT_DIR",
      "people.allow.<platform>": null,
      "people.pairing": "BATON_PEOPLE_PAIRING",
      "tools.guests": null,
      "tools.folders": null,
      "platforms.telegram.token": "TELEGRAM_BOT_TOKEN",
      "platforms.matrix.homeChannel": "MATRIX_HOME_CHANNEL",
      "platforms.matrix.userId": "MATRIX_USER_ID",
      "platforms.signal.answer": "BATON_PLATFORMS_SIGNAL_ANSWER",
      "tools.terminal.maxTimeoutSeconds": "BATON_TOOLS_TERMINAL_MAX_TIMEOUT_SECONDS",
      "tools.terminal.sandbox": "BATON_TOOLS_TERMINAL_SANDBOX",
      "tools.terminal.network": "BATON_TOOLS_TERMINAL_NETWORK",
      "reset.byPlatform.<platform>.mode": null,
      "busy.byChat.<platform>:<chat id>": null,
    });
    const given = Object.values(variables).filter((variable) => variable !== null);
    expect(new Set(given).size).toBe(given.length);
    expect(given).not.toContain("BATON_HOME");
  });
});

describe("the JSON Schema", () => {
  test("describes what is written, with meanings and defaults, and without words of our own", () => {
    const schema = jsonSchema("home");
    expect(schema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      additionalProperties: false,
      properties: {
        agent: {
          properties: { maxMessages: { type: "integer", default: 500, description: expect.any(String) } },
        },
        people: {
          properties: {
            allow: {
              properties: {
                telegram: { items: { anyOf: [{ type: "string", minLength: 1 }, { type: "integer" }] } },
              },
            },
          },
        },
        store: { anyOf: [{ type: "string" }, { type: "object", required: ["file"] }] },
        busy: { properties: { byChat: { additionalProperties: { enum: ["interrupt", "queue", "steer"] } } } },
      },
    });
    expect(JSON.stringify(schema)).not.toMatch(/"(?:fallback|each|secret)":[^{]/);
  });

  test("a project's has fewer keys", () => {
    const { properties } = jsonSchema("project") as { properties: Record<string, unknown> };
    expect(Object.keys(properties)).toEqual(["timezone", "reset", "busy", "agent", "handoff"]);
  });
});
