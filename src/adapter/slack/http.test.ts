/** Slack by posts: the whole contract, and who is believed. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Reachable, slackFixture, slackHttpSettings } from "../../../test/support/slack-fixture.js";
import { SlackServer } from "../../../test/support/slack-server.js";
import { registerFurtherBot } from "../../session/further-bot.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter } from "../../testing/kept-adapter.js";
import type { InboundMessage, Received } from "../adapter.js";
import { manifestOf } from "../manifest.js";
import "../platforms.js";
import type { SlackAdapter } from "./adapter.js";
import type { SlackSettings } from "./config.js";
import { signedBy } from "./http.js";

adapterContract("slack by posts", () => slackFixture({ http: true }));

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";

let server: SlackServer;
let adapter: KeptAdapter;
let received: InboundMessage[];
let problems: string[];

beforeEach(async () => {
  server = await SlackServer.start({ http: true });
  adapter = new KeptAdapter(new Reachable(server));
  received = [];
  problems = [];
});
afterEach(async () => {
  await adapter.disconnect();
  await server.close();
});

const connect = (receive: (message: InboundMessage) => Promise<Received> = async () => "accepted") =>
  adapter.connect(
    async (message) => {
      received.push(message);
      return receive(message);
    },
    {
      commands: [{ name: "new", description: "" }],
      problem: (sentence) => void problems.push(sentence),
    },
  );
const texts = (): string[] => received.map(({ text }) => text);
const until = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { interval: 5, timeout: 20_000 });
const event = (text: string) =>
  JSON.stringify({
    type: "event_callback",
    event: {
      type: "message",
      channel: "D000000001",
      channel_type: "im",
      user: server.idOf("ann"),
      ts: "1750000000.000100",
      text,
    },
  });

describe("a post", () => {
  it("is signed as in Slack's own example", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    const proof = signedBy(
      () => "8f742231b10e8888abcd99yyyzzz85a5",
      () => 1_531_420_618_000,
    );
    expect(proof(headers)?.(Buffer.from(body))).toBe(true);
    expect(proof(headers)?.(Buffer.from(`${body}&more=1`))).toBe(false);
    expect(proof({ ...headers, "x-slack-request-timestamp": "1531420619" })?.(Buffer.from(body))).toBe(false);
  });

  it("is refused without a signature, with another secret's, and with one for another body", async () => {
    await connect();
    const body = event("forged");
    const headers = (signature: string) => ({ headers: { "x-slack-signature": signature } });
    for (const signature of ["", "v0=", "v1=1234", `v0=${"0".repeat(64)}`])
      expect((await server.post(body, JSON_TYPE, headers(signature))).status).toBe(401);
    expect((await server.post(body, JSON_TYPE, { secret: "another" })).status).toBe(401);
    expect((await server.post(body, JSON_TYPE, { secret: "" })).status).toBe(401);
    expect(received).toEqual([]);
    expect((await server.post(body, JSON_TYPE)).status).toBe(200);
    expect(texts()).toEqual(["forged"]);
  });

  it("is refused if it was made more than five minutes ago, or after now: nobody can replay an old one", async () => {
    const now = 1_750_000_000;
    adapter = new KeptAdapter(new Reachable(server, { now: () => now * 1_000 }));
    await connect();
    for (const at of [now - 301, now + 301, 0, 999_999_999_999])
      expect((await server.post(event("old"), JSON_TYPE, { at })).status).toBe(401);
    for (const at of [now - 300, now + 300])
      expect((await server.post(event("in time"), JSON_TYPE, { at })).status).toBe(200);
    expect(texts()).toEqual(["in time", "in time"]);
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(1); // The inbox has it once.
  });

  it("is not taken if the secret is not set, now or later", async () => {
    adapter = new KeptAdapter(new Reachable(server, { signingSecret: () => "" }));
    await expect(connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: "Slack's posts cannot be checked: set SLACK_SIGNING_SECRET.",
    });
    let secret = server.signingSecret;
    adapter = new KeptAdapter(new Reachable(server, { signingSecret: () => secret }));
    await connect();
    secret = "";
    expect((await server.post(event("empty"), JSON_TYPE, { secret: "" })).status).toBe(401);
    expect(received).toEqual([]);
  });

  it("is not taken on another path", async () => {
    await connect();
    server.requestUrl = server.requestUrl?.replace("/slack", "/slack/events") ?? null;
    expect((await server.post(event("elsewhere"), JSON_TYPE)).status).toBe(404);
    expect(received).toEqual([]);
  });

  it("with a challenge gets it back, only if it is signed", async () => {
    await connect();
    const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aBm", token: "old" });
    const { status, body: said } = await server.post(body, JSON_TYPE);
    expect([status, JSON.parse(said)]).toEqual([200, { challenge: "3eZbrw1aBm" }]);
    expect(await server.post(body, JSON_TYPE, { secret: "another" })).toEqual({ status: 401, body: "" });
  });

  it("that is odd, or asks for nothing, is taken without a word", async () => {
    await connect();
    for (const body of ["", "no json", "[]", "null", "{}", '{"type":"event_callback"}', '{"type":7}'])
      expect(await server.post(body, JSON_TYPE)).toEqual({ status: 200, body: "" });
    for (const body of ["", "ssl_check=1&token=x", "payload=no", "payload=%7B%7D", "command=", "__proto__=1"])
      expect(await server.post(body, FORM)).toEqual({ status: 200, body: "" });
    expect(received).toEqual([]);
  });

  it("that says that there were too many is a line in the log", async () => {
    await connect();
    const body = JSON.stringify({ type: "app_rate_limited", minute_rate_limited: 1_750_000_000 });
    expect((await server.post(body, JSON_TYPE)).status).toBe(200);
    expect(problems).toEqual(["Slack sends no more events for now: there were too many."]);
  });

  it("whose event could not be kept gets 500, and is taken when Slack repeats it", async () => {
    let isFull = true;
    await connect(async () => {
      if (isFull) throw new Error("The disk is full.");
      return "accepted";
    });
    await server.write({ text: "hello" });
    isFull = false;
    await server.retry();
    expect(server.posted).toEqual([
      { status: 500, retry: 0 },
      { status: 200, retry: 1 },
    ]);
    expect(texts()).toEqual(["hello", "hello"]);
    expect(received[1]?.messageId).toBe(received[0]?.messageId);
  });

  it("that still waits when the line ends is not received, and comes again", async () => {
    let keep: () => void = () => {};
    const kept = new Promise<void>((resolve) => {
      keep = resolve;
    });
    await connect(async () => {
      await kept;
      return "accepted";
    });
    const one = server.post(event("one"), JSON_TYPE);
    await until(() => received.length === 1);
    const two = server.post(event("two"), JSON_TYPE);
    await server.post("{}", JSON_TYPE); // It came after "two".
    const gone = adapter.disconnect();
    keep();
    await gone;
    expect((await one).status).toBe(200);
    expect((await two).status).not.toBe(200);
    expect(texts()).toEqual(["one"]);
  });
});

describe("a slash command", () => {
  it("is received, and answered with nothing", async () => {
    await connect();
    const { messageId, answer } = await server.command("/new", "a title");
    expect(received).toMatchObject([{ kind: "command", text: "/new a title", messageId }]);
    expect(answer).toEqual({});
  });

  it("where the bot is not is answered to its sender only", async () => {
    await connect();
    const elsewhere = await server.privateChannel("secrets", ["bob"]);
    server.answers = ({ method }, body) =>
      method === "conversations.info" ? JSON.stringify({ ok: false, error: "channel_not_found" }) : body;
    const { answer } = await server.command("/new", "", { channel: elsewhere });
    expect(answer).toEqual({
      response_type: "ephemeral",
      text: "I am not in this conversation, so I cannot answer here. Invite me, or write to me directly.",
    });
    expect(received).toEqual([]);
  });

  it("that could not be kept fails for its sender: Slack never repeats it", async () => {
    await connect(async () => {
      throw new Error("The disk is full.");
    });
    await server.command("/new", "");
    await server.retry();
    expect(server.posted).toEqual([{ status: 500, retry: 0 }]);
  });
});

describe("is opened", () => {
  const settings = { host: "127.0.0.1", port: 1, botToken: () => "xoxb-a" };
  const given = { appToken: () => "xapp-a", signingSecret: () => "secret" };
  const manifest = () => manifestOf("slack");
  const needs = (more: object) => manifest()?.needs?.({ ...settings, ...more });

  it("by what is set: posts with a signing secret alone, otherwise a socket, unless the mode says so", () => {
    const { appToken, signingSecret } = given;
    expect(needs({})).toEqual(["botToken", "appToken"]);
    expect(needs({ appToken })).toEqual(["botToken", "appToken"]);
    expect(needs({ signingSecret })).toEqual(["botToken", "signingSecret"]);
    expect(needs(given)).toEqual(["botToken", "appToken"]);
    expect(needs({ ...given, mode: "http" })).toEqual(["botToken", "signingSecret"]);
    expect(needs({ signingSecret, mode: "socket" })).toEqual(["botToken", "appToken"]);
  });

  it("as the mode says, though both are set", async () => {
    const open = async (mode: "http" | "socket") => {
      const { botToken, signingSecret } = slackHttpSettings(server) as Required<SlackSettings>;
      const both = { botToken, signingSecret, appToken: () => server.appToken, baseUrl: server.url };
      const opened = await manifest()?.open({ ...both, mode, host: "127.0.0.1", port: 0 } as never, "");
      adapter = new KeptAdapter(opened as SlackAdapter);
      await connect();
      await adapter.disconnect();
    };
    await open("http");
    expect(server.opened).toBe(0);
    await open("socket");
    expect(server.opened).toBe(1);
  });

  it("as a further bot, and names its own setting if the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await until(() => other.listening);
    const { port } = other.address() as AddressInfo;
    registerFurtherBot("slack-hook", "slack");
    const { botToken, signingSecret } = slackHttpSettings(server);
    const bot = { botToken, signingSecret, baseUrl: server.url, host: "127.0.0.1", port };
    const opened = await manifestOf("slack-hook")?.open(bot, "");
    if (!opened) throw new Error("It was not opened.");
    adapter = new KeptAdapter(opened);
    await expect(connect()).rejects.toMatchObject({
      outcome: "retryable",
      message: expect.stringMatching(/EADDRINUSE.*Set BATON_PLATFORMS_SLACK_HOOK_PORT\.$/),
    });
    other.close();
  });
});
