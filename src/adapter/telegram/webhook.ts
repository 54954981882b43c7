/**
 * Telegram's posts to a webhook of ours, in place of asking for updates. Telegram posts the updates of a chat one after
 * the other, those of different chats side by side, and each again until it hears "200". The secret that its posts carry
 * follows from the bot's token: nobody has to set one, and the next process that has the bot knows it too. At the end the
 * webhook stays set: Telegram keeps what comes until somebody listens again.
 */

import type { Api } from "grammy";
import { parsedUrl } from "../../util/parsed-url.js";
import { cleanLine, shorten } from "../../util/text.js";
import { ConnectError } from "../adapter.js";
import { pause } from "../http-call.js";
import { Intake } from "../intake.js";
import { jsonOf } from "../untrusted.js";
import { headerIn, isSame, LOOPBACK, serveWebhook, signatureOf } from "../webhook.js";
import type { TelegramWebhook } from "./config.js";
import { connectError, isRefusal, sentenceOf } from "./failure.js";
import type { updatesAsked } from "./parse.js";
import type { ReadUpdate } from "./updates.js";

const PORT = 8_646;
/** So many posts Telegram may make at once. */
const MOST_POSTS = 40;
/** How often Telegram is asked whether its posts arrive. */
const LOOK_MS = 5 * 60_000;
/** A name that could not be resolved may be known soon. */
const TRY_AGAIN_MS = 60_000;
const MAX_WORDS = 300;

interface WebhookHearing {
  readonly api: Api;
  readonly token: string;
  /** The kinds of update that are posted. */
  readonly updates: ReturnType<typeof updatesAsked>;
  readonly read: (update: unknown) => ReadUpdate | null;
  readonly problem: (sentence: string) => void;
  readonly end: AbortSignal;
  /** It listens, and Telegram knows where. */
  readonly onListening: (port: number) => void;
}

/** What Telegram tells of a webhook. */
type WebhookInfo = Awaited<ReturnType<Api["getWebhookInfo"]>>;

export async function serveUpdates(
  { url, host = LOOPBACK, port = PORT, lookMs = LOOK_MS }: TelegramWebhook,
  { api, token, updates, read, problem, end, onListening }: WebhookHearing,
): Promise<void> {
  const intake = new Intake();
  const secret = secretOf(token);
  const webhook = {
    ...{ host, port, path: pathOf(url), end, portVariable: "TELEGRAM_WEBHOOK_PORT" },
    proof: (headers: Parameters<typeof headerIn>[0]) =>
      isSame(headerIn(headers, "x-telegram-bot-api-secret-token"), secret) ? () => true : null,
    onPost: async (body: Buffer) => {
      const found = read(jsonOf(body.toString("utf8")));
      if (!found) return undefined;
      await intake.once(found.chat, async () => {
        end.throwIfAborted(); // It waited for others of its chat, and comes again.
        await found.take();
      });
      return undefined;
    },
  };
  await serveWebhook(webhook, async (listening) => {
    const before = await infoOf(api, end);
    await setWebhook({ api, updates, end }, url, secret);
    if (isAt(before, url) && before.pending_update_count > 0 && before.last_error_message)
      problem(failedPosts(before));
    onListening(listening);
    await watch(api, url, { seen: before.last_error_date ?? 0, lookMs, problem, end });
  });
}

/** Sixty-four hex digits; Telegram takes up to 256 characters of these and others. */
export function secretOf(token: string): string {
  return signatureOf(token, "webhook") ?? "";
}

/** Where it listens: the path that Telegram is told, as a proxy passes it on. */
export function pathOf(url: string): string {
  return new URL(url).pathname;
}

async function setWebhook(
  { api, updates, end }: Pick<WebhookHearing, "api" | "updates" | "end">,
  url: string,
  secret: string,
): Promise<void> {
  const setting = {
    secret_token: secret,
    allowed_updates: updates,
    max_connections: MOST_POSTS,
    drop_pending_updates: false,
  };
  await api.setWebhook(url, setting, end as Parameters<Api["setWebhook"]>[2]).catch((error: unknown) => {
    throw isRefusal(error, /webhook/i) ? wrongAddress(error) : connectError(error);
  });
}

function wrongAddress(error: unknown): ConnectError {
  const sentence = `${sentenceOf(error)} Set TELEGRAM_WEBHOOK_URL to an https address that Telegram can reach.`;
  return new ConnectError("permanent", sentence, { retryAfterMs: TRY_AGAIN_MS });
}

export async function infoOf(api: Api, end: AbortSignal): Promise<WebhookInfo> {
  return api.getWebhookInfo(end as Parameters<Api["getWebhookInfo"]>[0]).catch((error: unknown) => {
    throw connectError(error);
  });
}

/** Until the end, or until another program has the posts sent elsewhere. Each failure of Telegram's is told once. */
async function watch(
  api: Api,
  url: string,
  watched: { seen: number; readonly lookMs: number } & Pick<WebhookHearing, "problem" | "end">,
): Promise<void> {
  const { lookMs, problem, end } = watched;
  for (let { seen } = watched; ; ) {
    await pause(lookMs, end);
    if (end.aborted) return;
    const info = await infoOf(api, end).catch((error: ConnectError) => {
      if (error.outcome === "permanent") throw error;
      return null; // What is posted comes all the same.
    });
    if (!info || end.aborted) continue;
    if (!isAt(info, url))
      throw new ConnectError(
        "retryable",
        "Another program changed the webhook of this bot: stop it, or make another bot.",
      );
    const { last_error_date: at = 0, last_error_message: words } = info;
    if (at > seen && words) problem(failedPosts(info));
    seen = Math.max(at, seen);
  }
}

/** Whether Telegram posts there; it may spell the address in its own way. */
export function isAt(info: WebhookInfo, url: string): boolean {
  const [one, other] = [parsedUrl(info.url ?? ""), new URL(url)];
  if (!one) return false;
  return one.host === other.host && one.pathname === other.pathname && one.search === other.search;
}

/** What Telegram says of posts that failed, in a sentence. */
export function failedPosts({ last_error_message = "", pending_update_count: count }: WebhookInfo): string {
  const words = shorten(cleanLine(last_error_message), MAX_WORDS);
  const waiting = count > 0 ? ` ${count} ${count === 1 ? "update waits" : "updates wait"}.` : "";
  return `Telegram could not deliver to the webhook: ${words}.${waiting} Check the proxy in front of it.`;
}
