/** Outgoing connections through a proxy: each client library as the adapters open it, to names that only the proxy knows. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { Api as DiscordApi } from "../../src/adapter/discord/api.js";
import { connectError as discordError } from "../../src/adapter/discord/failure.js";
import { serveSocket as serveFeishu } from "../../src/adapter/feishu/socket.js";
import { jsonFrom, wasNeverSent } from "../../src/adapter/http-call.js";
import { MattermostApi, connectError as mattermostError } from "../../src/adapter/mattermost/api.js";
import { serveSocket as serveMattermost } from "../../src/adapter/mattermost/socket.js";
import { useProxies } from "../../src/adapter/proxy.js";
import { serveSocket as serveSlack } from "../../src/adapter/slack/socket.js";
import { connectError as slackError, webClient } from "../../src/adapter/slack/web.js";
import { clientOf } from "../../src/adapter/telegram/client.js";
import { connectError as telegramError } from "../../src/adapter/telegram/failure.js";
import { Credentials } from "../../src/adapter/whatsapp/baileys/credentials.js";
import { openWire } from "../../src/adapter/whatsapp/baileys/wire.js";
import { makeHome } from "../support/baton.js";
import { ConnectProxy } from "../support/connect-proxy.js";

let proxy: ConnectProxy;
const server = createServer(answer);
const sockets = new WebSocketServer({ server });
const end = new AbortController();

beforeAll(async () => {
  proxy = await ConnectProxy.open();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await useProxies({ https: proxy.url, http: proxy.url, direct: ["direct.test"] });
});
beforeEach(() => {
  proxy.asked.length = 0;
  proxy.refusal = null;
});
afterAll(() => {
  end.abort();
  for (const client of sockets.clients) client.terminate();
  server.closeAllConnections();
  server.close();
  proxy.close();
});

const port = () => (server.address() as AddressInfo).port;
const at = (name: string, scheme = "http") => `${scheme}://${name}:${port()}`;
const limits = { timeoutMs: 10_000, maxBytes: 10_000, end: end.signal };

/** One answer for every platform. */
function answer({ url = "" }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  const result = { id: 1, is_bot: true };
  const more = url.includes("connections.open") ? { url: at("socket.slack.test", "ws") } : {};
  response.end(JSON.stringify({ ok: true, id: "1", result, ...more }));
}

it("leads every fetch: WhatsApp's Cloud API, Matrix, Mattermost, Feishu and files", async () => {
  expect(await jsonFrom(at("graph.test"), {}, limits)).toMatchObject({ ok: true });
  expect(proxy.asked).toEqual([`graph.test:${port()}`]);
});

it("leads grammY, discord.js's REST client and Slack's Web API", async () => {
  await clientOf("1:token", at("telegram.test"), 10).getMe();
  await new DiscordApi({ token: () => "token", baseUrl: at("discord.test") }, "token").me();
  await webClient(slack()).auth.test();
  expect(proxy.asked).toEqual(
    ["telegram.test", "discord.test", "slack.test"].map((name) => `${name}:${port()}`),
  );
});

it("leads the WebSocket of Slack", async () => {
  sockets.once("connection", (socket) => socket.send(JSON.stringify({ type: "hello" })));
  const stop = new AbortController();
  const served = serveSlack(
    slack(),
    () => {},
    () => stop.abort(),
    stop.signal,
  );
  await expect(served).rejects.toThrow("The line to Slack was cut.");
  expect(proxy.asked).toContain(`socket.slack.test:${port()}`);
});

it("leads the WebSocket of Mattermost", async () => {
  sockets.once("connection", (socket) => socket.send(JSON.stringify({ event: "hello" })));
  const stop = new AbortController();
  const events = { hello: () => stop.abort(), event: () => {} };
  await serveMattermost({ url: at("mattermost.test"), token: () => "token" }, events, stop.signal);
  expect(proxy.asked).toEqual([`mattermost.test:${port()}`]);
});

it("leads the long connection of Feishu", async () => {
  const stop = new AbortController();
  const events = { open: () => stop.abort(), event: () => {} };
  const endpoint = { url: at("feishu.test", "ws"), service: 1, pingMs: 120_000 };
  await serveFeishu(endpoint, events, stop.signal, 10_000);
  expect(proxy.asked).toEqual([`feishu.test:${port()}`]);
});

it("leads the WebSocket of WhatsApp with a personal number", async () => {
  const connected = once(sockets, "connection");
  const folder = makeHome();
  const settings = { number: "+15550100", folder, baseUrl: at("web.whatsapp.test") };
  const wire = openWire(settings, new Credentials(folder), { messages: () => {} }, false);
  await connected;
  wire.close();
  expect(proxy.asked).toEqual([`web.whatsapp.test:${port()}`]);
});

it("reaches this machine directly", async () => {
  expect(await jsonFrom(at("127.0.0.1"), {}, limits)).toMatchObject({ ok: true });
  expect(proxy.asked).toEqual([]);
});

const CURE =
  "It is set by `proxy` in config.yaml, BATON_PROXY or HTTPS_PROXY; name hosts to reach without it in NO_PROXY.";

/** What each library says of a call that fails, in the sentence of its platform. No tunnel to these names is open yet. */
async function sentences(): Promise<string[]> {
  const end = new AbortController().signal;
  const mattermost = { url: at("other.mattermost.test"), token: () => "token" };
  const said = async (call: Promise<unknown>, sentenceOf: (error: unknown) => { message: string }) =>
    call.then(
      () => "It worked.",
      (error: unknown) => {
        expect(wasNeverSent(error) || wasNeverSent((error as { error?: unknown }).error)).toBe(true);
        return sentenceOf(error).message;
      },
    );
  return Promise.all([
    said(clientOf("1:token", at("other.telegram.test"), 10).getMe(), telegramError),
    said(
      new DiscordApi({ token: () => "token", baseUrl: at("other.discord.test") }, "token").me(),
      discordError,
    ),
    said(new MattermostApi(mattermost).me(end), mattermostError),
    said(webClient(slack("other.slack.test")).auth.test(), slackError),
    said(serveMattermost(mattermost, { hello: () => {}, event: () => {} }, end), mattermostError),
  ]);
}
const NAMES = ["Telegram", "Discord", "Mattermost", "Slack", "Mattermost"];

it.each([
  ["407 Proxy Authentication Required", "wants a user name and a password."],
  ["403 Forbidden", "refused the connection (HTTP 403)."],
  ["502 Bad Gateway", "could not make the connection (HTTP 502)."],
])("names a proxy that answers %s, on every platform, and nothing was sent", async (refusal, what) => {
  proxy.refusal = refusal;
  const host = new URL(proxy.url).host;
  expect(await sentences()).toEqual(
    NAMES.map((name) => `${name} cannot be reached: the proxy ${host} ${what} ${CURE}`),
  );
});

it("names a proxy that is not there, and nothing was sent", async () => {
  const gone = await ConnectProxy.open();
  const { host } = new URL(gone.url);
  await gone.close();
  await useProxies({ https: `http://me:secret@${host}`, http: `http://me:secret@${host}`, direct: [] });
  expect(await sentences()).toEqual(
    NAMES.map(
      (name) =>
        `${name} cannot be reached: the proxy ${host} does not answer. Check that it is running. ${CURE}`,
    ),
  );
});

function slack(name = "slack.test") {
  return { botToken: () => "xoxb-1", appToken: () => "xapp-1", baseUrl: `${at(name)}/api/` };
}
