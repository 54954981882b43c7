import { expect, test } from "vitest";
import { hearSecrets, Secret } from "../util/secret.js";
import type { Config } from "./config.js";
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

const told = (...reaches: unknown[]) =>
  ({ mcp: { servers: reaches.map((reach) => ({ reach })) } }) as unknown as Config;

test("what an MCP server is told in the open by the name of a secret", () => {
  const args = [
    ...["--token=canary-arg-1", "--api-key", "canary-arg-2", "-e", "NOTES_SECRET=canary-arg-3"],
    ...["--header", "Authorization: Bearer canary-arg-4", "--db", "postgres://me:canary-arg-5@host/db"],
  ];
  const env = {
    NOTES_KEY: "canary-env-1",
    GITHUB_PAT: "canary-env-2",
    FILE: new Secret("{ file: c }", () => "in-a-file"),
  };
  const headers = {
    Authorization: "Bearer canary-head-1",
    "x-api-key": "canary-head-2",
    Cookie: "id=canary-head-3",
  };
  const known = secretValues(told({ kind: "command", args, env }, { kind: "url", headers }));
  expect([...new Set(known)]).toEqual([
    ...["in-a-file", "canary-env-1", "canary-env-2"],
    ...["canary-arg-1", "canary-arg-2", "canary-arg-3", "canary-arg-4", "canary-arg-5"],
    ...["canary-head-1", "canary-head-2", "id=canary-head-3"],
  ]);
});

test("ordinary settings of an MCP server are no secrets, whatever they look like", () => {
  const id = "5f0c2a1e-7b1d-4f0e-9a57-0c1d2e3f4a5b";
  const args = [
    ...["-y", "mcp-server-web3tools", "--model=claude-sonnet-4", "--region", "eu-central-1"],
    ...[
      "--key",
      "/home/me/key-0123456789",
      "--token-type",
      "bearer-token-2",
      "https://example.org/a1b2c3d4e5",
    ],
  ];
  const env = { AWS_REGION: "eu-central-1", OWNER: id, NOTES_ID: id, KEY_BACKEND: "vault-backend-2" };
  const headers = { "x-tenant": id, accept: "application/vnd.v2+json" };
  expect(secretValues(told({ kind: "command", args, env }, { kind: "url", headers }))).toEqual([]);
});
