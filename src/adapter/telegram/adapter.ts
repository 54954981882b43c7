/**
 * Telegram, by the Bot API. Messages are read by long polling and kept by whoever receives them before Telegram is told;
 * what is sent has no key by which Telegram would know it again, so a call without an answer is `unknown`.
 */
import type { Api } from "grammy";
import { withoutSlashes } from "../../util/text.js";
import { type Adapter, type Capabilities, ConnectError, type InboundMessage, type Line } from "../adapter.js";
import { speakerWith } from "../speaker.js";
import { clientOf } from "./client.js";
import { BOT_API, botOf, type TelegramSettings } from "./config.js";
import { connectError, isConflict, sentenceOf } from "./failure.js";
import { fetchFile } from "./files.js";
import { shownLength } from "./format.js";
import { LIMITS } from "./limits.js";
import { offerMenu } from "./menu.js";
import { ChatMoves } from "./moves.js";
import type { Clients } from "./outgoing.js";
import { parseMove, parseUpdate, pressIn, updatesAsked } from "./parse.js";
import { readUpdates } from "./poller.js";
import { TelegramSpeaker } from "./speaker.js";
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
  }

  #client(timeoutSeconds: number): Api {
    return clientOf(this.#token, this.#root, timeoutSeconds);
  }

  async serve({ receive, memory, commands, reactions, up, end }: Line): Promise<void> {
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
    const reader = this.#client(POLL_SECONDS);
    const reading = readUpdates({
      ask: (offset, timeout) =>
        reader.getUpdates(
          { ...(offset === undefined ? {} : { offset }), timeout, allowed_updates: updatesAsked(reactions) },
          end as Parameters<Api["getUpdates"]>[1],
        ),
      read: (update) => {
        const move = parseMove(update);
        const message = parseUpdate(update, bot);
        const press = pressIn(update);
        if (!move && !message && !press) return null;
        return {
          chat: move?.to ?? message?.source.chatId ?? "", // What is written in the new chat waits for the move.
          take: async () => {
            if (move) await moves.add(move.from, move.to);
            const received = message && (await receive(moves.inbound(message)));
            if (press) await this.#answer(press, received === "accepted" ? message : null, end);
          },
        };
      },
      firstWaitSeconds: this.#isContested ? QUIET_SECONDS : 0,
      onAnswer: () => {
        this.#isContested = false;
        up(
          speakerWith(new TelegramSpeaker({ clients: this.#clients, moves, bot }), {
            fetch: ({ ref }, maxBytes, stop) => this.#read(ref, maxBytes, stop),
          }),
        );
      },
      end,
    });
    await reading.catch((error: unknown) => {
      this.#isContested = isConflict(error);
      throw connectError(error);
    });
  }

  /**
   * Ends the waiting that Telegram shows on a button. In a chat of two the buttons go once they were used; in a group
   * somebody may have pressed who has no say.
   */
  async #answer(
    { id, on }: NonNullable<ReturnType<typeof pressIn>>,
    used: InboundMessage | null,
    end: AbortSignal,
  ): Promise<void> {
    const signal = end as Parameters<Api["getMe"]>[0];
    await this.#api.answerCallbackQuery(id, {}, signal).catch(() => {}); // It counts, whatever the button shows.
    if (used?.source.chatType === "dm" && on !== undefined)
      await this.#api.editMessageReplyMarkup(used.source.chatId, on, {}, signal).catch(() => {});
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
