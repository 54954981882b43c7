import { expect, test } from "vitest";
import type { Config } from "./load.js";
import { Secret } from "./secret.js";
import { secretValues, secretVariables } from "./secrets.js";

test("variables whose names say so", () => {
  expect(
    secretVariables({
      OPENAI_API_KEY: "openai-value",
      AWS_ACCESS_KEY_ID: "aws-key-id",
      PGPASSWORD: "pg-password",
      TOKENIZERS_PARALLELISM: "not-a-secret",
      KEYBOARD: "qwerty-layout",
      SECRET_SWITCH: "on",
      PATH: "/usr/bin:/bin",
    }),
  ).toEqual(["openai-value", "aws-key-id", "pg-password"]);
});

test("every secret of a configuration, with the passwords in URLs; one that cannot be read costs nothing", () => {
  const url = "postgres://me:p%40ss@host/db";
  const config = {
    store: new Secret("postgres://me:***@host/db", () => url),
    agent: { apiKey: new Secret("{ file: a }", () => "the-key"), path: new Secret("/db", () => "/db") },
    servers: [
      {
        token: new Secret("{ file: b }", () => {
          throw new Error("too open");
        }),
      },
    ],
    places: new Map(),
  } as unknown as Config;
  expect(secretValues(config)).toEqual([url, "p%40ss", "p@ss", "the-key"]);
});
