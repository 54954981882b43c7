/** Discord's REST API, as much of it as we use. One try a call: who calls knows whether it may be made again. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  DefaultRestOptions,
  RateLimitError,
  type RawFile,
  REST,
  type RESTOptions,
  type ResponseLike,
  Routes,
} from "discord.js";
import { timerMs } from "../../util/timer-ms.js";
import { type LetterButton, type Mark, SendError } from "../adapter.js";
import { pressData } from "../buttons.js";
import { HttpRefusal, refusePage } from "../http-call.js";
import type { DiscordSettings } from "./config.js";
import { isMessageGone, sendError, statusOf } from "./failure.js";

const BASE_URL = "https://discord.com/api";
const TIMEOUT_MS = 15_000;
/** Where Discord asks to wait and does not say how long. */
const UNTOLD_WAIT_MS = 1_000;
const NO_MENTIONS = { parse: [] };
const SUPPRESS_EMBEDS = 1 << 2;
const EPHEMERAL = 1 << 6;
const DEFERRED = 5;
const DEFERRED_UPDATE = 6;
const ACTION_ROW = 1;
const BUTTON = 2;
const GREY = 2;
const PUBLIC_THREAD = 11;
const A_WEEK_IN_MINUTES = 10_080;
const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "⚠️" };

export interface NewMessage {
  readonly content: string;
  readonly nonce?: string;
  readonly replyTo?: string;
  readonly files?: readonly RawFile[];
  readonly buttons?: readonly LetterButton[];
  /** Whom it may ping: nobody unless told. */
  readonly pings?: string;
}

export class Api {
  readonly rest: REST;
  readonly #token: string;

  constructor(settings: DiscordSettings, token: string) {
    this.#token = token;
    this.rest = new REST({
      api: settings.baseUrl ?? BASE_URL,
      version: "10",
      retries: 0,
      timeout: settings.timeoutMs ?? TIMEOUT_MS,
      // Nothing waits in here: the outbox does, and survives it.
      rejectOnRateLimit: () => true,
      makeRequest: callDiscord,
    }).setToken(token);
  }

  me(): Promise<unknown> {
    return this.rest.get(Routes.user());
  }

  /** What it does not say is null. */
  async application(): Promise<{ readonly id: string | null; readonly flags: number | null }> {
    const told = await this.rest.get(Routes.oauth2CurrentApplication());
    const { id, flags } = (told ?? {}) as { id?: unknown; flags?: unknown };
    return { id: typeof id === "string" ? id : null, flags: typeof flags === "number" ? flags : null };
  }

  async post(
    channelId: string,
    { content, nonce, replyTo, files = [], buttons, pings }: NewMessage,
  ): Promise<string> {
    const body = {
      content,
      flags: SUPPRESS_EMBEDS,
      allowed_mentions: pings ? { users: [pings] } : NO_MENTIONS,
      ...(nonce ? { nonce, enforce_nonce: true } : {}),
      ...(replyTo ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
      ...(buttons ? { components: [rowOf(buttons)] } : {}),
    };
    const route = Routes.channelMessages(channelId);
    const sent = await this.#send(false, () => this.rest.post(route, { body, files: [...files] }));
    return idOf(sent);
  }

  async edit(channelId: string, messageId: string, content: string): Promise<void> {
    const body = { content, flags: SUPPRESS_EMBEDS, allowed_mentions: NO_MENTIONS, components: [] };
    await this.#send(true, () => this.rest.patch(Routes.channelMessage(channelId, messageId), { body }));
  }

  /** One that is gone already is no failure. */
  async remove(channelId: string, messageId: string): Promise<void> {
    const route = Routes.channelMessage(channelId, messageId);
    await this.#send(true, () => this.rest.delete(route)).catch((error: unknown) => {
      if (!isMessageGone(error)) throw error;
    });
  }

  async removeButtons(channelId: string, messageId: string): Promise<void> {
    const body = { components: [] };
    await this.#send(true, () => this.rest.patch(Routes.channelMessage(channelId, messageId), { body }));
  }

  async typing(channelId: string): Promise<void> {
    await this.#send(true, () => this.rest.post(Routes.channelTyping(channelId)));
  }

  async react(channelId: string, messageId: string, mark: Mark): Promise<void> {
    const route = Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(MARKS[mark]));
    await this.#send(true, () => this.rest.put(route));
  }

  /** A thread of its own, or of a message. */
  async thread(channelId: string, name: string, messageId?: string): Promise<string> {
    const kind = messageId === undefined ? { type: PUBLIC_THREAD } : {};
    const body = { name, auto_archive_duration: A_WEEK_IN_MINUTES, ...kind };
    return idOf(
      await this.#send(false, () => this.rest.post(Routes.threads(channelId, messageId), { body })),
    );
  }

  async openThread(threadId: string): Promise<void> {
    const body = { archived: false };
    await this.#send(true, () => this.rest.patch(Routes.channel(threadId), { body }));
  }

  async addToThread(threadId: string, userId: string): Promise<void> {
    await this.#send(true, () => this.rest.put(Routes.threadMembers(threadId, userId)));
  }

  async removeThread(threadId: string): Promise<void> {
    await this.#send(true, () => this.rest.delete(Routes.channel(threadId)));
  }

  async setCommands(application: string, body: readonly object[]): Promise<void> {
    await this.rest.put(Routes.applicationCommands(application), { body });
  }

  /** Says that an answer will come, to the asking person alone. */
  async defer(interactionId: string, token: string): Promise<void> {
    const body = { type: DEFERRED, data: { flags: EPHEMERAL } };
    await this.rest.post(Routes.interactionCallback(interactionId, token), { body, auth: false });
  }

  /** Says that a press arrived. The message stays as it is. */
  async acceptPress(interactionId: string, token: string): Promise<void> {
    const body = { type: DEFERRED_UPDATE };
    await this.rest.post(Routes.interactionCallback(interactionId, token), { body, auth: false });
  }

  /** Takes back what was said in place of an answer. */
  async undefer(application: string, token: string): Promise<void> {
    await this.rest.delete(Routes.webhookMessage(application, token), { auth: false });
  }

  /** Null where there is none, or none for us. */
  async channel(channelId: string): Promise<unknown> {
    return this.#read(() => this.rest.get(Routes.channel(channelId)));
  }

  /** Null where there is none, or none for us. */
  async message(channelId: string, messageId: string): Promise<unknown> {
    return this.#read(() => this.rest.get(Routes.channelMessage(channelId, messageId)));
  }

  /** The first of the messages after that one, oldest first; null where we may not read them. */
  async messagesAfter(channelId: string, after: string, limit: number): Promise<readonly unknown[] | null> {
    const query = new URLSearchParams({ after, limit: String(limit) });
    const found = await this.#read(() => this.rest.get(Routes.channelMessages(channelId), { query }));
    return Array.isArray(found) ? found.toReversed() : null;
  }

  /** Waits where Discord asks to; fails with a `SendError` where it has trouble. */
  async #read(call: () => Promise<unknown>): Promise<unknown> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const status = statusOf(error);
        this.#mendToken(status);
        const isTheirs = !(error instanceof HttpRefusal);
        if (isTheirs && (status === 403 || status === 404)) return null;
        if (!(error instanceof RateLimitError)) throw sendError(error, true);
        await sleep(timerMs(error.retryAfter || UNTOLD_WAIT_MS), undefined, { ref: false });
      }
    }
  }

  async #send(isRepeatable: boolean, call: () => Promise<unknown>): Promise<unknown> {
    try {
      return await call();
    } catch (error) {
      this.#mendToken(statusOf(error));
      throw sendError(error, isRepeatable);
    }
  }

  /** The library forgets a token that was refused once, and then speaks of no token at all. */
  #mendToken(status: number | null): void {
    if (status === 401) this.rest.setToken(this.#token);
  }
}

/** The library would take a page for an answer. What it knows by its status alone is left to it. */
const callDiscord: RESTOptions["makeRequest"] = async (url, init) => {
  const response = await DefaultRestOptions.makeRequest(url, init);
  const { status, statusText, headers } = response;
  if (status === 429 || status >= 500) return response;
  const text = await response.text();
  refusePage(response, text);
  return new Response(text || null, { status, statusText, headers: [...headers] }) as ResponseLike;
};

function rowOf(buttons: readonly LetterButton[]): object {
  const components = buttons.map((button) => ({
    type: BUTTON,
    style: GREY,
    label: button.label,
    custom_id: pressData(button),
  }));
  return { type: ACTION_ROW, components };
}

function idOf(json: unknown): string {
  const { id } = (json ?? {}) as { id?: unknown };
  if (typeof id !== "string") throw new SendError("unknown", "Discord answered without an id.");
  return id;
}
