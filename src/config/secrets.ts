/** Every secret that this run knows, so that none reaches a chat, a model, a log, a screen or the store. */

import { parsedUrl } from "../util/parsed-url.js";
import { Secret } from "../util/secret.js";
import type { Config } from "./config.js";
import { holdsSecret } from "./secret-names.js";

/** The values of variables whose names say that they hold a secret, and the passwords in those that are URLs. */
export function secretVariables(variables: Readonly<NodeJS.ProcessEnv> = process.env): string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) => secretsNamed(name, value));
}

/** The secrets of a configuration, what stands in the open in it by the name of one, and the passwords in URLs. */
export function secretValues(config: Config): string[] {
  return [...hiddenSecrets(config), ...openSecrets(config)];
}

/** What MCP servers are told may be a secret, though it does not stand in a file of its own. */
function openSecrets({ mcp }: Config): string[] {
  return Object.values(mcp.servers).flatMap(({ reach }) => {
    const told = Object.entries(reach.kind === "command" ? reach.env : reach.headers);
    const named = told.flatMap(([name, value]) =>
      typeof value === "string" ? secretsNamed(name, withoutScheme(value)) : [],
    );
    return [...named, ...(reach.kind === "command" ? secretArguments(reach.args) : [])];
  });
}

function secretsNamed(name: string, value: string): string[] {
  return [...(holdsSecret(name, value) ? [value] : []), ...passwordsIn(value)];
}

/** `--token=abc`, `--token abc`, `API_KEY=abc` and `Authorization: Bearer abc` all say `abc`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, n) => {
    const [, name, value] = /^-*(\w[\w-]*)(?:=|: *)(.*)$/s.exec(argument) ?? [];
    const before = args[n - 1] ?? "";
    const option = /^-+\w[\w-]*$/.test(before) && !argument.startsWith("-") ? before : "";
    const own = name === undefined || value === undefined ? [] : secretsNamed(name, withoutScheme(value));
    return [...own, ...secretsNamed(option, argument)];
  });
}

/** `Bearer abc` is known by `abc`. */
function withoutScheme(value: string): string {
  return value.replace(/^(?:basic|bearer|token) +/i, "");
}

function hiddenSecrets(config: Config): string[] {
  return secretsOf(config).flatMap((secret) => {
    try {
      const value = secret.reveal();
      return value === secret.shown ? [] : [value, ...passwordsIn(value)];
    } catch {
      return []; // Its file cannot be used: nobody has the value. Who needs it says why.
    }
  });
}

/** Wherever they stand in it. */
export function secretsOf(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (value instanceof Map) return [...value.values()].flatMap(secretsOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(secretsOf);
}

/** The passwords in a URL, as they are written there and as they are meant; none in any other text. */
export function passwordsIn(value: string): string[] {
  const password = parsedUrl(value)?.password ?? "";
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password]; // A lone %.
  }
}
