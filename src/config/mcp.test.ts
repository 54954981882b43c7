/** `mcp.servers`: what may be written, and what it comes to. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Secret } from "../util/secret.js";
import { readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";
import { setKey } from "./set.js";
import { settingsOf } from "./settings.js";

let root: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-mcp-config-"));
  home = join(root, "home");
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (text: string) => writeFileSync(join(home, "config.yaml"), text);
const load = () => loadConfig(readEnvironment({ BATON_HOME: home }), root);
const servers = async (text: string) => {
  write(`mcp:\n  servers:\n    x: ${text}\n`);
  return (await load()).mcp.servers;
};
const refused = (text: string) => expect(servers(text)).rejects;

describe("a server", () => {
  test("is a command, looked for in PATH, or counted from the home folder where it is a path", async () => {
    expect(await servers("{ command: npx, args: [-y, some-server] }")).toEqual({
      x: {
        enabled: true,
        reach: { kind: "command", command: "npx", args: ["-y", "some-server"], env: {}, cwd: root },
        tools: null,
        timeoutSeconds: 60,
      },
    });
    expect((await servers("{ command: ./serve, cwd: there, env: { LEVEL: debug } }")).x?.reach).toEqual({
      kind: "command",
      command: join(home, "serve"),
      args: [],
      env: { LEVEL: "debug" },
      cwd: join(home, "there"),
    });
  });

  test("or a URL, with what else there is to say", async () => {
    const written = "{ url: 'https://example.org/mcp', tools: [a], timeoutSeconds: 5, enabled: false }";
    expect(await servers(written)).toEqual({
      x: {
        enabled: false,
        reach: { kind: "url", url: "https://example.org/mcp", headers: {} },
        tools: ["a"],
        timeoutSeconds: 5,
      },
    });
  });

  test("has its secrets in files, read when they are needed, and shown to nobody", async () => {
    writeFileSync(join(home, "token"), "Bearer canary\n", { mode: 0o600 });
    const written =
      "{ url: 'https://example.org', headers: { Authorization: { file: token }, X-Team: garden } }";
    const { x } = await servers(written);
    const headers = x?.reach.kind === "url" ? x.reach.headers : {};
    expect((headers.Authorization as Secret).reveal()).toBe("Bearer canary");
    expect(headers["X-Team"]).toBe("garden");
    const shown = JSON.stringify(settingsOf(await load()));
    expect(shown).toContain(`{ file: ${join(home, "token")} }`);
    expect(shown).not.toContain("canary");
    chmodSync(join(home, "token"), 0o644);
    expect(() => (headers.Authorization as Secret).reveal()).toThrow("chmod 600");
  });

  test.each([
    ["{}", "either `command` or `url`"],
    ["{ command: a, url: 'https://b' }", "either `command` or `url`"],
    ["{ command: a, headers: { X: y } }", "`headers` with `url`"],
    ["{ url: 'https://b', args: [a] }", "go with `command`"],
    ["{ url: 'ftp://b' }", "give an http(s) URL"],
    ["{ url: 'https://ann:canary@b' }", "do not write a secret into this file"],
    ["{ url: 'https://b', headers: { Authorization: canary } }", "do not write a secret into this file"],
    ["{ url: 'https://b', headers: { X-Api-Key: canary } }", "do not write a secret into this file"],
    ["{ command: a, env: { GITHUB_TOKEN: canary } }", "do not write a secret into this file"],
    ["{ command: a, env: { GITHUB_PAT: canary } }", "do not write a secret into this file"],
    ["{ command: a, env: { clientSecret_2: canary } }", "do not write a secret into this file"],
    ["{ command: a, env: { 'A B': c } }", "use letters, digits and _"],
    ["{ command: a, args: [1] }", "put each argument in quotes"],
    ["{ command: a, timeoutSeconds: 0 }", "use a number of seconds above 0"],
    ["{ comand: a }", 'Did you mean "command"?'],
  ])("is refused: %s", async (written, message) => {
    await refused(written).toThrow(message);
    await refused(written).not.toThrow("canary");
  });

  test("may be given the path of a key", async () => {
    const { x } = await servers(
      "{ command: a, env: { GOOGLE_APPLICATION_CREDENTIALS: /home/me/google.json } }",
    );
    expect(x?.reach).toMatchObject({ env: { GOOGLE_APPLICATION_CREDENTIALS: "/home/me/google.json" } });
  });

  test("is named without underscores and dots", async () => {
    write("mcp: { servers: { a_b: { command: c } } }");
    await expect(load()).rejects.toThrow("mcp.servers.a_b: use 1 to 32 letters, digits and -");
  });

  test("is not named by a project", async () => {
    writeFileSync(join(root, "baton.yaml"), "mcp: { servers: { a: { command: evil } } }\n");
    await expect(load()).rejects.toThrow("a project's file cannot set");
  });

  test("is changed key by key", async () => {
    write("mcp:\n  servers:\n    x: { command: a }\n");
    await setKey(home, "mcp.servers.x.enabled", "false");
    await setKey(home, "mcp.servers.x.env.LEVEL", "debug");
    await setKey(home, "mcp.servers.y", "{ url: 'https://b' }");
    const { x, y } = (await load()).mcp.servers;
    expect(x).toMatchObject({ enabled: false, reach: { command: "a", env: { LEVEL: "debug" } } });
    expect(y?.reach.kind).toBe("url");
    await expect(setKey(home, "mcp.servers.z.enabled", "true")).rejects.toThrow("either `command` or `url`");
  });
});
