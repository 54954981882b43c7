/**
 * Telegram, by the Bot API. Messages are read by long polling, or Telegram posts them to a webhook; they are kept by
 * whoever receives them before Telegram is told. What is sent has no key by which Telegram would know it again, so a
 * call without an answer is `unknown`.
 */

import type { Api } from "grammy";
import { parsedUrl } from "../../util/parsed-url.js";
import { withoutSlashes } from "../../util/text.js";
import { type Adapter, type Capabilities, ConnectError, type Line } from "../adapter.js";
import { speakerWith } from "../speaker.js";
import { clientOf } from "./client.js";
import { BOT_API, botOf, type TelegramSettings, type TelegramWebhook } from "./config.js";
import { connectError, isConflict, sentenceOf } from "./failure.js";
import { fetchFile } from "./files.js";
import { shownLength } from "./format.js";
import { LIMITS } from "./limits.js";
import { offerMenu } from "./menu.js";
import { ChatMoves } from "./moves.js";
import type { Clients } from "./outgoing.js";
import { updatesAsked } from "./parse.js";
import { readUpdates } from "./poller.js";
import { TelegramSpeaker } from "./speaker.js";
import { type ReadUpdate, readUpdate } from "./updates.js";
import { infoOf, serveUpdates } from "./webhook.js";
import { WRONG_TOKEN } from "./wrong-token.js";

/** How long an answer is waited for. */
const CALL_SECONDS = 30;
const POLL_SECONDS = 60;
const UPLOAD_SECONDS = 300;
/** If another program reads too, only a wait that it does not break shows that it is gone. */
const QUIET_SECONDS = 10;

export class TelegramAdapter implements Adapter {
  readonly platform = "telegram";
  readonly account: string;
  readonly capabilities: Capabilities = { ...LIMITS, lengthOf: shownLength };
  readonly #root: string;
  readonly #token: string;
  readonly #clients: Clients;
  readonly #api: Api;
  readonly #webhook: TelegramWebhook | undefined;
  #port = 0;
  /** Another program read the updates when the last line ended. */
  #isContested = false;

  /** Calls nobody yet: whether the token is right shows when it connects. */
  constructor(settings: TelegramSettings) {
    this.#token = settings.token().trim();
    const account = botOf(this.#token);
    if (account === null) throw new ConnectError("permanent", WRONG_TOKEN);
    this.account = account;
    this.#root = withoutSlashes(settings.baseUrl ?? BOT_API);
    const { timeoutMs = CALL_SECONDS * 1_000 } = settings;
    this.#clients = { calls: this.#client(timeoutMs / 1_000), uploads: this.#client(UPLOAD_SECONDS) };
    this.#api = this.#clients.calls;
    this.#webhook = settings.webhook;
  }

  /** Where the webhook listens, once it does. */
  get port(): number {
    return this.#port;
  }

  #client(timeoutSeconds: number): Api {
    return clientOf(this.#token, this.#root, timeoutSeconds);
  }

  async serve(line: Line): Promise<void> {
    const { receive, memory, commands, reactions, problem, up, end } = line;
    const me = await this.#api.getMe().catch((error: unknown) => {
      throw connectError(error);
    });
    const moves = new ChatMoves(memory);
    await moves.load();
    await offerMenu(this.#api, commands, memory);
    const bot = {
      id: String(me.id),
      hasTopics: me.has_topics_enabled === true,
      username: me.username ?? "",
      commands: new Set(commands.map(({ name }) => name.toLowerCase())),
      read: (fileId: string, maxBytes: number, stop: AbortSignal) => this.#read(fileId, maxBytes, stop),
    };
    const hearing = { api: this.#api, bot, moves, receive, end };
    const read = (update: unknown) => readUpdate(update, hearing);
    const onUp = (): void =>
      up(
        speakerWith(new TelegramSpeaker({ clients: this.#clients, moves, bot }), {
          fetch: ({ ref }, maxBytes, stop) => this.#read(ref, maxBytes, stop),
        }),
      );
    if (!this.#webhook) return this.#poll(line, read, onUp);
    await serveUpdates(this.#webhook, {
      ...{ api: this.#api, token: this.#token, updates: updatesAsked(reactions), read, problem, end },
      onListening: (port) => {
        this.#port = port;
        onUp();
      },
    });
  }

  async #poll(
    { reactions, problem, end }: Line,
    read: (update: unknown) => ReadUpdate | null,
    onUp: () => void,
  ): Promise<void> {
    await this.#removeWebhook(problem, end);
    const reader = this.#client(POLL_SECONDS);
    const reading = readUpdates({
      ask: (offset, timeout) =>
        reader.getUpdates(
          { ...(offset === undefined ? {} : { offset }), timeout, allowed_updates: updatesAsked(reactions) },
          end as Parameters<Api["getUpdates"]>[1],
        ),
      read,
      firstWaitSeconds: this.#isContested ? QUIET_SECONDS : 0,
      onAnswer: () => {
        this.#isContested = false;
        onUp();
      },
      end,
    });
    await reading.catch((error: unknown) => {
      this.#isContested = isConflict(error);
      throw connectError(error);
    });
  }

  /**
   * While a webhook is set, Telegram gives nobody updates. One that was set before is removed, with what waits for it kept.
   * One that was set while we read is another program's: `getUpdates` says so.
   */
  async #removeWebhook(problem: Line["problem"], end: AbortSignal): Promise<void> {
    if (this.#isContested) return;
    const { url } = await infoOf(this.#api, end);
    if (!url) return;
    const keeping = { drop_pending_updates: false };
    await this.#api
      .deleteWebhook(keeping, end as Parameters<Api["deleteWebhook"]>[1])
      .catch((error: unknown) => {
        throw connectError(error);
      });
    const host = parsedUrl(url)?.host ?? "another server";
    problem(
      `A webhook was set for this bot (${host}). Baton removed it, because it asks Telegram for messages itself.`,
    );
  }

  async #read(fileId: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const { file_path: path } = await this.#api
      .getFile(fileId, end as Parameters<Api["getFile"]>[1])
      .catch((error: unknown) => {
        throw new Error(sentenceOf(error));
      });
    if (!path) throw new Error("Telegram does not say where it is");
    return fetchFile(this.#root, this.#token, path, maxBytes, end);
  }
}
