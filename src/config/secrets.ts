/** Every secret that this run knows, so that none reaches a log or a screen. */
import type { Config } from "./load.js";
import { Secret } from "./secret.js";

const SECRET_NAME = /(?:key|token|secret|password|passwd|passphrase|credential|dsn)s?(?:_|$)/i;

/** Shorter ones are rather settings: `SECRET_BACKEND=vault`. */
const SHORTEST_VARIABLE = 8;

/** The values of variables whose names say that they hold a secret. */
export function secretVariables(variables: Readonly<NodeJS.ProcessEnv> = process.env): string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && value.length >= SHORTEST_VARIABLE ? [value] : [],
  );
}

/** The secrets of a configuration, and the passwords in those that are URLs. */
export function secretValues(config: Config): string[] {
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

/** As it is written in the URL, and as it is meant. */
function passwordsIn(value: string): string[] {
  if (!URL.canParse(value)) return [];
  const { password } = new URL(value);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password]; // A lone %.
  }
}
