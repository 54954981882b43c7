/** Telegram by a webhook, against the server that plays it: who is believed, what is repeated, and who has the bot. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { telegramFixture, WEBHOOK_URL } from "../../../test/support/telegram-fixture.js";
import { TelegramServer } from "../../../test/support/telegram-server.js";
import { registerFurtherBot } from "../../session/further-bot.js";
import { KeptAdapter, type LineNews } from "../../testing/kept-adapter.js";
import type { InboundMessage, Received } from "../adapter.js";
import { manifestOf } from "../manifest.js";
import "../platforms.js";
import { renamedAdapter } from "../renamed-adapter.js";
import { TelegramAdapter } from "./adapter.js";
import type { TelegramWebhook } from "./config.js";
import { updatesAsked } from "./parse.js";
import { secretOf } from "./webhook.js";

const ANN = { chatId: "100001" };
const TEAM = { chatId: "-1001234567890", isForum: true };

let server: TelegramServer;
let adapter: KeptAdapter;
let received: string[];
let told: LineNews[];
let problems: string[];

beforeEach(async () => {
  const fixture = await telegramFixture({ webhook: true });
  server = fixture.server;
  adapter = new KeptAdapter(fixture.adapter);
  received = [];
  told = [];
  problems = [];
});
afterEach(async () => {
  await adapter.disconnect();
  await server.close();
});

const connect = (receive: (message: InboundMessage) => Promise<Received> = async () => "accepted") =>
  adapter.connect(
    async (message) => {
      received.push(message.text);
      return receive(message);
    },
    { tell: (news) => void told.push(news), problem: (sentence) => void problems.push(sentence) },
  );
/** The next adapter of the same bot: by this webhook, or by asking. */
const open = (webhook?: Partial<TelegramWebhook>): TelegramAdapter =>
  new TelegramAdapter({
    ...{ token: () => server.token, baseUrl: server.url, timeoutMs: 4_000 },
    ...(webhook && { webhook: { url: WEBHOOK_URL, port: 0, ...webhook } }),
  });
const use = async (next: TelegramAdapter): Promise<void> => {
  await adapter.disconnect();
  adapter = new KeptAdapter(next);
  server.isRead = () => true;
  server.posts.reach = (url) => `http://127.0.0.1:${next.port}${new URL(url).pathname}`;
};
const until = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { interval: 5, timeout: 20_000 });
const callsOf = (method: string) => server.calls.filter((call) => call.method === method);
const update = (id: number, text: string) => ({
  update_id: id,
  message: {
    message_id: id,
    date: 1_750_000_000,
    chat: { id: 100001, type: "private", first_name: "Ann" },
    from: { id: 100001, is_bot: false, first_name: "Ann" },
    text,
  },
});

/** A promise that a test settles. */
function held(): { readonly promise: Promise<void>; readonly settle: () => void } {
  let settle: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

describe("at Telegram", () => {
  it("sets the webhook with a secret that follows from the token, and drops nothing", async () => {
    await connect();
    expect(callsOf("setWebhook").map(({ given }) => given)).toEqual([
      {
        url: WEBHOOK_URL,
        secret_token: expect.stringMatching(/^[0-9a-f]{64}$/),
        allowed_updates: updatesAsked(false),
        max_connections: 40,
        drop_pending_updates: false,
      },
    ]);
    expect(secretOf("1:a")).not.toBe(secretOf("1:b"));
    expect(problems).toEqual([]);
  });

  it("leaves it set at the end: what comes then waits for the next process", async () => {
    await connect();
    await server.deliver({ ...ANN, text: "one" });
    await adapter.disconnect();
    await server.deliver({ ...ANN, text: "two" });
    await server.deliver({ ...ANN, text: "three" });
    expect(callsOf("deleteWebhook")).toEqual([]);
    await use(open({}));
    await connect();
    await until(() => received.length === 3);
    expect(received).toEqual(["one", "two", "three"]);
  });

  it("says how posts failed while nobody listened, if some wait", async () => {
    await connect();
    await adapter.disconnect();
    await server.deliver({ ...ANN, text: "one" });
    await connect();
    expect(problems).toEqual([
      "Telegram could not deliver to the webhook: Connection refused. 1 update waits. Check the proxy in front of it.",
    ]);
  });

  it("says of an address that Telegram does not take which setting to change, and tries again later", async () => {
    for (const url of ["http://bot.example/telegram", "https://bot.example:8646/telegram"]) {
      await use(open({ url }));
      await expect(connect()).rejects.toMatchObject({
        outcome: "permanent",
        retryAfterMs: 60_000,
        message: expect.stringMatching(/^Telegram refused: .*webhook.* Set TELEGRAM_WEBHOOK_URL/i),
      });
    }
  });

  it("asks now and then whether its posts arrive, and says each failure once", async () => {
    await use(open({ lookMs: 1 }));
    await connect();
    const looks = () => callsOf("getWebhookInfo").length;
    server.posts.fail(2_000_000_000, "Wrong response from the webhook: 502 Bad Gateway");
    await until(() => problems.length > 0);
    const before = looks();
    await until(() => looks() > before + 2);
    server.posts.fail(2_000_000_060, "SSL error");
    await until(() => problems.length > 1);
    expect(problems).toEqual([
      "Telegram could not deliver to the webhook: Wrong response from the webhook: 502 Bad Gateway. Check the proxy in front of it.",
      "Telegram could not deliver to the webhook: SSL error. Check the proxy in front of it.",
    ]);
  });

  it("notices that another program has the posts sent elsewhere", async () => {
    await use(open({ lookMs: 1 }));
    await connect();
    server.posts.answer("setWebhook", { url: "https://elsewhere.example/telegram" });
    await until(() => told.length > 0);
    expect(told[0]).toEqual({
      lost: "Another program changed the webhook of this bot: stop it, or make another bot.",
    });
  });

  it("goes on while Telegram cannot be asked, and ends if the token is revoked", async () => {
    await use(open({ lookMs: 1 }));
    await connect();
    await server.faults.play("unreachable");
    const fetched = vi.spyOn(globalThis, "fetch");
    await until(() => fetched.mock.calls.length > 2); // Nothing else is asked of Telegram.
    fetched.mockRestore();
    expect(await server.posts.forge(update(900, "in between"), secretOf(server.token))).toBe(200);
    await server.faults.play("reachable");
    server.trouble("revoked token");
    await until(() => told.length > 0);
    expect(told).toEqual([{ failed: expect.stringMatching(/^Telegram does not know this bot token/) }]);
    expect(received).toEqual(["in between"]);
  });
});

describe("a post", () => {
  it("without the secret, with a wrong one or another bot's, is refused before it is read", async () => {
    await connect();
    const { token } = server;
    const wrong = ["", "x", token, secretOf(`${token}x`), secretOf(token).slice(1), `${secretOf(token)}0`];
    for (const secret of [undefined, ...wrong])
      expect(await server.posts.forge(update(901, "forged"), secret)).toBe(401);
    expect(await server.posts.forge(update(902, "real"), secretOf(token))).toBe(200);
    expect(received).toEqual(["real"]);
  });

  it("is not taken on another path", async () => {
    await connect();
    const { reach } = server.posts;
    server.posts.reach = (url) => reach(url)?.replace("/hooks/telegram", "/telegram") ?? null;
    expect(await server.posts.forge(update(903, "elsewhere"), secretOf(server.token))).toBe(404);
    expect(received).toEqual([]);
  });

  it("that is no update, or asks for nothing, is taken without a word", async () => {
    await connect();
    for (const odd of [{}, [], { update_id: 1 }, { update_id: 1, message: 7 }])
      expect(await server.posts.forge(odd as never, secretOf(server.token))).toBe(200);
    expect(received).toEqual([]);
  });

  it("waits for those of its chat before it, and for no other chat", async () => {
    const first = held();
    await connect(async ({ text }) => {
      if (text === "one") await first.promise;
      return "accepted";
    });
    const secret = secretOf(server.token);
    const one = server.posts.forge(update(904, "one"), secret);
    await until(() => received.includes("one"));
    const two = server.posts.forge(update(905, "two"), secret);
    await server.deliver({ ...TEAM, text: "@crabline_bot elsewhere" });
    expect(received).toHaveLength(2); // "two" came before "elsewhere", and waits.
    first.settle();
    expect(await Promise.all([one, two])).toEqual([200, 200]);
    expect(received.filter((text) => !text.includes("elsewhere"))).toEqual(["one", "two"]);
  });

  it("that still waits when the line ends is not received, and comes again", async () => {
    const first = held();
    await connect(async () => {
      await first.promise;
      return "accepted";
    });
    const secret = secretOf(server.token);
    const one = server.posts.forge(update(906, "one"), secret);
    await until(() => received.length === 1);
    const two = server.posts.forge(update(907, "two"), secret);
    await server.posts.forge({}, secret); // It came after "two".
    const gone = adapter.disconnect();
    first.settle();
    await gone;
    expect(await one).toBe(200);
    expect(await two).not.toBe(200);
    expect(received).toEqual(["one"]);
  });
});

describe("beside long polling", () => {
  it("hands over to it: the webhook is removed, and nothing is dropped", async () => {
    await connect();
    await adapter.disconnect();
    await server.deliver({ ...ANN, text: "for nobody" });
    await use(open());
    await connect();
    await until(() => received.length > 0);
    expect(received).toEqual(["for nobody"]);
    expect(callsOf("deleteWebhook").map(({ given }) => given)).toEqual([{ drop_pending_updates: false }]);
    expect(problems).toEqual([
      "A webhook was set for this bot (bot.example). Baton removed it, because it asks Telegram for messages itself.",
    ]);
  });

  it("takes over from it, with what it had not confirmed", async () => {
    await use(open());
    await connect();
    await server.deliver({ ...ANN, text: "asked for" });
    await adapter.disconnect();
    await server.inject({ ...ANN, text: "meanwhile" });
    await use(open({}));
    await connect();
    await until(() => received.length > 1);
    expect(received).toEqual(["asked for", "meanwhile"]);
  });

  it("is not fought over: a webhook that another program sets while we read stays, and we say so", async () => {
    await use(open());
    await connect();
    await server.reading();
    const setWebhook = `${server.url}/bot${server.token}/setWebhook`;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ url: "https://elsewhere.example/" });
    await fetch(setWebhook, { method: "POST", headers, body });
    await until(() => told.length > 0);
    expect(told[0]).toEqual({ lost: expect.stringMatching(/^A webhook is set for this bot/) });
    const lines = callsOf("getMe").length;
    await until(() => callsOf("getMe").length > lines + 1); // One that came after it is over.
    expect(callsOf("deleteWebhook")).toEqual([]);
    expect(told).toHaveLength(1);
  });
});

it("serves two bots on two ports, and neither takes the other's posts", async () => {
  const others = await TelegramServer.start({ bot: 515151 });
  registerFurtherBot("telegram-second", "telegram");
  const inner = new TelegramAdapter({
    ...{ token: () => others.token, baseUrl: others.url },
    webhook: { url: "https://bot.example/hooks/second", port: 0 },
  });
  const second = new KeptAdapter(renamedAdapter(inner, "telegram-second", (sentence) => sentence));
  const heard: string[] = [];
  await connect();
  await second.connect(async ({ source, text }) => {
    heard.push(`${source.platform}: ${text}`);
    return "accepted";
  });
  others.posts.reach = (url) => `http://127.0.0.1:${inner.port}${new URL(url).pathname}`;
  await others.deliver({ ...ANN, text: "to the second" });
  await server.deliver({ ...ANN, text: "to the first" });
  expect(await others.posts.forge(update(908, "crossed"), secretOf(server.token))).toBe(401);
  expect(await server.posts.forge(update(909, "crossed"), secretOf(others.token))).toBe(401);
  expect(heard).toEqual(["telegram-second: to the second"]);
  expect(received).toEqual(["to the first"]);
  await second.disconnect();
  await others.close();
});

it("of a further bot names its own setting if the port is taken", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await until(() => other.listening);
  const { port } = other.address() as AddressInfo;
  registerFurtherBot("telegram-hook", "telegram");
  const settings = { token: () => server.token, baseUrl: server.url, webhookUrl: WEBHOOK_URL };
  const opened = await manifestOf("telegram-hook")?.open({ ...settings, host: "127.0.0.1", port }, "");
  if (!opened) throw new Error("It was not opened.");
  adapter = new KeptAdapter(opened);
  await expect(connect()).rejects.toMatchObject({
    outcome: "retryable",
    message: expect.stringMatching(
      /EADDRINUSE.*another program or bot.*Set BATON_PLATFORMS_TELEGRAM_HOOK_PORT\.$/,
    ),
  });
  expect(callsOf("setWebhook")).toEqual([]);
  other.close();
});
