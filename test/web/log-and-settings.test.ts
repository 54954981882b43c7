/** The log and the settings as the page shows them to owners: followed, filtered, with where they come from, and without secrets. */
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import { settingsOf } from "../../src/config/settings.js";
import type { WireLogs, WireSetting } from "../../src/web/wire.js";
import { codeOf, SignInWorld } from "../support/sign-in-world.js";

const SECRET = "correct-horse-battery-staple";

let world: SignInWorld;
/** The cookie of the person at this machine. */
let operator: string;
const begin = async (more: Parameters<SignInWorld["again"]>[0] = {}): Promise<void> => {
  await world.again({ redact: (text) => text.replaceAll(SECRET, "***"), ...more });
  operator = await world.signIn("local:terminal");
};
beforeEach(async () => {
  world = await SignInWorld.open();
  await begin();
});
afterEach(() => world.close());

async function get<Wire>(path: string): Promise<Wire> {
  const answer = await world.call({ path }, { cookie: operator });
  expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
  return answer.json as Wire;
}

describe("the log", () => {
  const file = () => join(world.folder, "logs", "baton.log");
  const line = (msg: string, more: object = {}): string =>
    `${JSON.stringify({ level: "info", time: new Date(world.now).toISOString(), by: "gateway", pid: 7, msg, ...more })}\n`;
  const write = (...lines: string[]): void => appendFileSync(file(), lines.join(""));
  const logs = (query = "") => get<WireLogs>(`/api/owner/logs${query}`);
  const texts = ({ lines }: WireLogs) => lines.map(({ text }) => text);

  test("is followed: each look gives what came since the last one", async () => {
    expect(await logs()).toEqual({ lines: [], next: "" });
    write(line("one"), line("two"));
    const first = await logs();
    expect(texts(first)).toEqual(["one", "two"]);
    const nothing = await logs(`?after=${first.next}`);
    expect(nothing).toEqual({ lines: [], next: first.next });
    write(line("three"), line("four").slice(0, 20));
    const second = await logs(`?after=${first.next}`);
    expect(texts(second)).toEqual(["three"]); // The rest of the fourth is still to come.
    write(line("four").slice(20));
    expect(texts(await logs(`?after=${second.next}`))).toEqual(["four"]);
    expect(texts(await logs(`?after=${first.next}`))).toEqual(["three", "four"]);
  });

  test("is followed into the next file, and from its end if that place is gone", async () => {
    write(line("one"));
    const { next } = await logs();
    write(line("two"));
    renameSync(file(), join(world.folder, "logs", "baton-20260110T120000000Z-1.log"));
    write(line("three"));
    const found = await logs(`?after=${next}`);
    expect(texts(found)).toEqual(["two", "three"]);
    rmSync(file());
    write(...Array.from({ length: 1_500 }, (_, n) => line(`line ${n} ${"x".repeat(1_000)}`)), line("last"));
    expect(texts(await logs(`?after=${found.next.split(".")[0]}9.5`)).at(-1)).toBe("last"); // No file has this number.
  });

  test("is filtered by level, also while it is followed", async () => {
    const all = () => [line("mild"), line("odd", { level: "warn" }), line("bad", { level: "error" })];
    write(...all());
    for (const [query, seen] of [
      ["", ["mild", "odd", "bad"]],
      ["?level=info", ["mild", "odd", "bad"]],
      ["?level=warn", ["odd", "bad"]],
      ["?level=error", ["bad"]],
    ] as const)
      expect([query, texts(await logs(query))]).toEqual([query, seen]);
    const { next } = await logs("?level=error");
    write(...all());
    expect(texts(await logs(`?level=error&after=${next}`))).toEqual(["bad"]);
    expect(texts(await logs(`?level=warn&after=${next}`))).toEqual(["odd", "bad"]);
  });

  test("shows the last 200 lines, cleaned, without secrets, and what is no line is left out", async () => {
    write(line("odd", { level: "warn" }), ...Array.from({ length: 250 }, (_, n) => line(`line ${n}`)));
    expect(texts(await logs("?level=warn"))).toEqual(["odd"]);
    const { lines } = await logs();
    expect([lines.length, lines[0]?.text, lines.at(-1)?.text]).toEqual([200, "line 50", "line 249"]);
    const { next } = await logs();
    write("no line at all\n", '{"level":"warn"}\n');
    write(line(`a\u001b[31m ${SECRET} b`, { level: "error", cause: `because of ${SECRET}`, by: SECRET }));
    expect(await logs(`?after=${next}`)).toMatchObject({
      lines: [{ at: world.now, level: "error", by: "***[7]", text: "a *** b", cause: "because of ***" }],
    });
  });

  test.each(["after=x", "after=1", "after=1.", "after=-1.5", "level=debug", "after=1.5.6"])(
    "%s is refused, with what is wrong",
    async (query) => {
      const answer = await world.call({ path: `/api/owner/logs?${query}` }, { cookie: operator });
      expect([answer.status, codeOf(answer)]).toEqual([400, "bad_request"]);
    },
  );
});

describe("the settings", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "baton-settings-"));
    mkdirSync(join(home, "work"));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const canary = (where: string): string => `canary${where}0123456789`;
  const fileWith = (name: string): { readonly file: string } => {
    const file = join(home, name);
    writeFileSync(file, canary(name), { mode: 0o600 });
    return { file };
  };
  async function shown(config: object, variables: Readonly<Record<string, string>>) {
    writeFileSync(join(home, "config.yaml"), JSON.stringify(config, null, 1), { mode: 0o600 });
    const loaded = await loadConfig(readEnvironment({ BATON_HOME: home, ...variables }), join(home, "work"));
    await begin({ settings: () => settingsOf(loaded), redact: (text) => text });
    const { items } = await get<{ items: WireSetting[] }>("/api/owner/settings");
    return { items, at: (key: string) => items.find((item) => item.key === key) };
  }

  test("are shown with where they come from and what they mean", async () => {
    const { at } = await shown(
      { timezone: "Europe/Berlin", agent: { model: "model-a" }, web: { port: 8_000 } },
      { BATON_WEB_PORT: "9000" },
    );
    const from = (line: number) => `${join(home, "config.yaml")}:${line}`;
    expect(at("timezone")).toMatchObject({ value: "Europe/Berlin", origin: from(2) });
    expect(at("agent.model")).toMatchObject({ value: "model-a", origin: from(4) });
    expect(at("web.port")).toEqual({
      key: "web.port",
      value: "9000",
      origin: "BATON_WEB_PORT",
      description: "The port at which the page listens.",
    });
    expect(at("web.host")).toMatchObject({ value: "127.0.0.1", origin: "default" });
    expect(at("agent.apiKey")).toMatchObject({ value: "", origin: "default" });
    expect(at("busy.default")?.description).not.toBe("");
  });

  test("show no secret, wherever it stands: only that it is set", async () => {
    const names = ["agentkey", "fallbackkey", "slack", "transcribe", "speak", "header"];
    const { items, at } = await shown(
      {
        agent: {
          ...{ provider: "openai", model: "model-a", apiKey: fileWith("agentkey") },
          fallback: { provider: "openai", model: "model-b", apiKey: fileWith("fallbackkey") },
        },
        platforms: { slack: { botToken: fileWith("slack") } },
        voice: {
          transcribe: { baseUrl: "http://127.0.0.1:1/v1", apiKey: fileWith("transcribe") },
          speak: { baseUrl: "http://127.0.0.1:1/v1", apiKey: fileWith("speak") },
        },
        mcp: {
          servers: {
            notes: {
              command: "notes",
              args: [`--token=${canary("argument")}`, "--api-key", canary("nextargument"), "--verbose"],
              env: { NOTES_STORE: `postgres://me:${canary("mcppassword")}@notes.example/notes` },
            },
            far: {
              url: "https://mcp.example/sse",
              headers: { Authorization: fileWith("header") },
            },
          },
        },
      },
      {
        TELEGRAM_BOT_TOKEN: canary("telegram"),
        BATON_STORE: `postgres://me:${canary("store")}@db.example/baton`,
        BATON_PROXY: `http://me:${canary("proxy")}@proxy.example:3128`,
      },
    );
    const text = JSON.stringify(items);
    const all = [...names, "argument", "nextargument", "mcppassword", "telegram", "store", "proxy"];
    expect(all.filter((name) => text.includes(canary(name)))).toEqual([]);
    expect(text).not.toContain("canary");
    const set = [
      "agent.apiKey",
      "agent.fallback.apiKey",
      "platforms.slack.botToken",
      "platforms.telegram.token",
      "voice.transcribe.apiKey",
      "voice.speak.apiKey",
    ];
    for (const key of set) expect([key, at(key)?.value]).toEqual([key, "(set)"]);
    expect(at("platforms.telegram.token")?.origin).toBe("TELEGRAM_BOT_TOKEN");
    expect(at("store")).toMatchObject({
      value: expect.stringMatching(/^postgres:\/\/me:\*\*\*@db\.example\/baton$/),
      origin: "BATON_STORE",
    });
    expect(at("proxy")?.value).toMatch(/^http:\/\/me:\*\*\*@proxy\.example:3128/);
    expect(at("mcp.servers.notes.args")?.value).toContain("--verbose");
  });

  test("show no known secret that stands in the open, nor in where a value is from", async () => {
    await begin({
      settings: () => [
        { key: "agent.name", value: `the ${SECRET}`, from: `/home/${SECRET}/config.yaml:1` },
        { key: "people.allow", value: { telegram: ["1"] }, from: "default" },
      ],
    });
    expect(await get("/api/owner/settings")).toMatchObject({
      items: [
        { key: "agent.name", value: "the ***", origin: "/home/***/config.yaml:1" },
        { value: '{"telegram":["1"]}' },
      ],
    });
  });
});
