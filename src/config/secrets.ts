/** Every secret that this run knows, so that none reaches a chat, a model, a log, a screen or the store. */
import type { Config } from "./load.js";
import { Secret } from "./secret.js";

/** At the end: `TOKEN_TYPE` and `KEY_BACKEND` are settings. */
const SECRET_NAME = /(?:key|token|secret|password|passwd|passphrase|credential|dsn|auth)s?(?:_id|_\d+)?$/i;

/** A value that nobody would write who does not mean a secret: letters and digits, and no path, address or version. */
const LOOKS_SECRET = /^(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])(?![~./]|v?\d+\.\d)[\w.+/=~-]{12,}$/;

/** The values of variables whose names say that they hold a secret, and the passwords in those that are URLs. */
export function secretVariables(variables: Readonly<NodeJS.ProcessEnv> = process.env): string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && !isPath(value) ? [value, ...passwordsIn(value)] : passwordsIn(value),
  );
}

/** The secrets of a configuration, what stands in the open in it and looks like one, and the passwords in URLs. */
export function secretValues(config: Config): string[] {
  return [...hiddenSecrets(config), ...openSecrets(config)];
}

/** What MCP servers are told may be a secret, though it does not stand in a file of its own. */
function openSecrets({ mcp }: Config): string[] {
  return Object.values(mcp.servers).flatMap(({ reach }) => {
    const told = reach.kind === "command" ? reach.env : reach.headers;
    const values = Object.values(told).filter((value) => typeof value === "string");
    const args = reach.kind === "command" ? reach.args.flatMap(valueOfArgument) : [];
    return [...values, ...args].flatMap((value) => [
      ...(LOOKS_SECRET.test(value) ? [value] : []),
      ...passwordsIn(value),
    ]);
  });
}

/** `--token=abc` says `abc`. */
function valueOfArgument(argument: string): string[] {
  return argument.startsWith("-") ? argument.split("=").slice(1, 2) : [argument];
}

function isPath(value: string): boolean {
  return /^(?:\/|~\/|\.{1,2}\/)/.test(value);
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
  if (!URL.canParse(value)) return [];
  const { password } = new URL(value);
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password]; // A lone %.
  }
}
