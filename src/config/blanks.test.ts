import { describe, expect, test } from "vitest";
import type { Group } from "./groups.js";
import type { Tree } from "./layer.js";
import { checkText } from "./read-file.js";
import { homeFile, projectFile } from "./schema.js";
import "../adapter/platforms.js";

const check = (text: string, schema: Group = homeFile) => checkText(text, "f", schema);
const messages = (text: string) => check(text).problems.map(({ message }) => message);

describe("a section with all its keys commented out", () => {
  /** Every section of the file, at any depth, by its dotted path; of those for each of many names, one. */
  function sections(group: Group, path: readonly string[] = []): string[][] {
    return Object.entries(group.children()).flatMap(([name, node]) => {
      const here = [...path, name];
      if ("takes" in node) return [];
      if ("each" in node) return [here];
      return [here, ...sections(node, here)];
    });
  }
  const yamlOf = (path: readonly string[]) =>
    `${path.map((name, depth) => `${"  ".repeat(depth)}${name}:`).join("\n")}\n${"  ".repeat(path.length)}# key: value\n`;

  test.each(sections(homeFile).map((path) => [path.join("."), path] as const))("%s", (_, path) => {
    expect(check(yamlOf(path)).problems).toEqual([]);
  });

  test.each(sections(projectFile).map((path) => [path.join("."), path] as const))(
    "of a project: %s",
    (_, path) => {
      expect(check(yamlOf(path), projectFile).problems).toEqual([]);
    },
  );

  test("says nothing, and what is beside it counts", () => {
    const { content } = check("reset:\n  # default: { mode: daily }\ntimezone: UTC\n");
    expect(content).toEqual({ reset: {}, timezone: "UTC" });
    expect((content.reset as Tree).default).toBeUndefined();
  });

  test("under a name of the reader's choosing is refused by what it needs", () => {
    expect(messages("mcp:\n  servers:\n    files:\n      # command: x\n")).toEqual([
      expect.stringMatching(/^mcp\.servers\.files: .*command/),
    ]);
  });

  test("that nobody knows is still unknown", () => {
    expect(messages("rest:\n")).toEqual([expect.stringContaining('Did you mean "reset"?')]);
  });
});

describe("a setting without a value", () => {
  test.each([
    ["timezone:\n", "timezone: nothing stands after it. Give it a value, or remove the line."],
    [
      "people:\n  allow:\n    telegram:\n      # - 5\n",
      "people.allow.telegram: nothing stands after it. Give it a value, [] for an empty list, or remove the line.",
    ],
    [
      "agent: { prices: { big: { input: , output: 1 } } }\n",
      "agent.prices.big.input: nothing stands after it. Give it a value, or remove the line.",
    ],
  ])("%j", (text, message) => {
    expect(messages(text)).toEqual([message]);
  });
});

describe("a value where something else belongs is refused in plain words", () => {
  test.each([
    ["busy: 5\n", "busy: write its keys below it: default, byPlatform, byChat, momentSeconds."],
    ["mcp: []\n", "mcp: write its keys below it: servers."],
    ["mcp: { servers: 5 }\n", "mcp.servers: write names below it, each with its value."],
    ["tools: { members: 5 }\n", "tools.members: write a list, such as [a, b]."],
  ])("%j", (text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  test("none of them says zod's words", () => {
    const names = Object.keys(homeFile.children());
    for (const wrong of ["5", "[1]", "true", '"x"', "{ zzz: 1 }"])
      expect(messages(names.map((name) => `${name}: ${wrong}\n`).join("")).join("\n")).not.toMatch(
        /Invalid input|expected|received/,
      );
  });
});

describe("a secret in the file", () => {
  test.each([
    ["platforms: { telegram: { token: 123:abc } }", "platforms.telegram.token", "TELEGRAM_BOT_TOKEN"],
    ["platforms: { slack: { appToken: xapp-1 } }", "platforms.slack.appToken", "SLACK_APP_TOKEN"],
    ["agent: { apiKey: sk-1 }", "agent.apiKey", "BATON_AGENT_API_KEY"],
    ["agent: { fallback: { apiKey: 5 } }", "agent.fallback.apiKey", "BATON_AGENT_FALLBACK_API_KEY"],
    ["voice: { speak: { apiKey: sk-1 } }", "voice.speak.apiKey", "BATON_VOICE_SPEAK_API_KEY"],
  ])("%s", (text, key, variable) => {
    const name = key.split(".").at(-1);
    expect(messages(text)).toEqual([
      `${key}: do not write a secret into this file. Put it into a file of its own (chmod 600) and write \`${name}: { file: <path> }\`, or set the variable ${variable}.`,
    ]);
  });

  test("has a path, or the path is asked for", () => {
    expect(messages("platforms: { telegram: { token: { file: 5 } } }")).toEqual([
      "platforms.telegram.token.file: give the path of a file.",
    ]);
    expect(check("platforms: { telegram: { token: { file: t } } }").problems).toEqual([]);
  });
});
