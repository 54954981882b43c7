import { expect, test } from "vitest";
import type { Config } from "./load.js";
import { hearSecrets, Secret } from "./secret.js";
import { secretValues, secretVariables } from "./secrets.js";

test("variables whose names say so", () => {
  expect(
    secretVariables({
      OPENAI_API_KEY: "openai-value",
      AWS_ACCESS_KEY_ID: "aws-key-id",
      PGPASSWORD: "pg-password",
      TOKENIZERS_PARALLELISM: "not-a-secret",
      KEYBOARD: "qwerty-layout",
      SECRET_BACKEND: "hardware-vault",
      SSH_KEY: "/home/me/.ssh/id",
      DATABASE_URL: "postgres://me:url-password@host/db",
      HOMEPAGE: "https://example.org",
      PATH: "/usr/bin:/bin",
    }),
  ).toEqual(["openai-value", "aws-key-id", "pg-password", "url-password", "url-password"]);
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
    mcp: { servers: {} },
  } as unknown as Config;
  expect(secretValues(config)).toEqual([url, "p%40ss", "p@ss", "the-key"]);
});

test("one that is revealed is heard of, also when its file has changed since", () => {
  const known: string[] = [];
  hearSecrets((value) => known.push(value));
  let inFile = "first-value";
  const secret = new Secret("{ file: a }", () => inFile);
  secret.reveal();
  secret.reveal();
  inFile = "second-value";
  secret.reveal();
  new Secret("/db", () => "/db").reveal(); // No secret: it is shown as it is.
  hearSecrets(() => {});
  expect(known).toEqual(["first-value", "second-value"]);
});

test("what an MCP server is told in the open and looks like a secret, and nothing else", () => {
  const server = (reach: unknown) => ({ reach });
  const config = {
    mcp: {
      servers: {
        one: server({
          kind: "command",
          args: ["--token=canary-arg-77", "-v", "server-7.js", "/srv/data-2024-01-01"],
          env: {
            ID: "canary-env-4711",
            FILE: new Secret("{ file: c }", () => "in-a-file"),
            LOG: "debug",
            PLACE: "/home/me/data-0123456789",
            VERSION: "1.22.333-alpha",
            MODE: "production-environment",
          },
        }),
        two: server({ kind: "url", headers: { "x-id": "canary-head-4711" } }),
      },
    },
  } as unknown as Config;
  expect(secretValues(config)).toEqual(["in-a-file", "canary-env-4711", "canary-arg-77", "canary-head-4711"]);
});
