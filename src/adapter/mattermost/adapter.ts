/**
 * Mattermost: events over a WebSocket, everything else over the API. The server says nothing twice and is told nothing, so
 * what the line brought is held until it was received.
 */

import { createHash } from "node:crypto";
import { parsedUrl } from "../../util/parsed-url.js";
import { type Adapter, type Capabilities, ConnectError, type Line, type RemoteFile } from "../adapter.js";
import { Intake } from "../intake.js";
import { speakerWith } from "../speaker.js";
import { field } from "../untrusted.js";
import { connectError, MattermostApi } from "./api.js";
import { Beginnings } from "./beginnings.js";
import type { MattermostSettings } from "./config.js";
import { formatText } from "./format.js";
import { LIMITS } from "./limits.js";
import { channelIn, type MattermostChannel, parseEvent } from "./parse.js";
import type { MattermostFile } from "./said.js";
import { serveSocket } from "./socket.js";
import { MattermostSpeaker } from "./speaker.js";

/** So many messages wait to be received; a line that brings more is given up, and brings the others no more. */
const MOST_WAITING = 1_000;
/** Of so many channels it is remembered what they are: an edit does not say it. */
const MOST_CHANNELS = 1_000;

export class MattermostAdapter implements Adapter {
  readonly platform = "mattermost";
  readonly account: string;
  readonly capabilities: Capabilities = { ...LIMITS, lengthOf: (text) => formatText(text).length };
  readonly #settings: MattermostSettings;
  readonly #channels = new Map<string, MattermostChannel>();

  constructor(settings: MattermostSettings) {
    this.#settings = settings;
    const secret = createHash("sha256").update(settings.token()).digest("hex").slice(0, 16);
    this.account = `${parsedUrl(settings.url)?.host ?? ""}#${secret}`;
  }

  async serve({ receive, knows, reactions, up, end }: Line): Promise<void> {
    const api = new MattermostApi(this.#settings);
    const self = await api.me(end).catch((error: unknown) => {
      throw connectError(error);
    });
    const intake = new Intake();
    const over = new AbortController();
    end.addEventListener("abort", () => {
      over.abort();
      void intake.stop();
    });
    const file = ({ id, name, mediaType, voice }: MattermostFile): RemoteFile => ({
      ...(name ? { name } : {}),
      mediaType,
      ...(voice ? { voice } : {}),
      ref: id,
      read: (maxBytes, stop) => api.download(id, maxBytes, stop),
    });
    const beginnings = new Beginnings({ api, self, knows, file, end });
    const known = (id: string): MattermostChannel | undefined => this.#channels.get(id);
    const event = (told: unknown): void => {
      this.#remember(told);
      const message = parseEvent(told, { self, known, file });
      if (!message || (message.kind === "reaction" && !reactions)) return;
      intake.add(message.source.chatId, async () => {
        const quoted = await beginnings.quoted(message);
        await receive(quoted);
        beginnings.keep(quoted);
      });
      if (intake.open > MOST_WAITING) over.abort();
    };
    const speaker = speakerWith(new MattermostSpeaker(api, self, end), {
      fetch: ({ ref }, maxBytes, stop) => api.download(ref, maxBytes, stop),
    });
    const hello = (): void => up(speaker);
    try {
      await serveSocket(this.#settings, { hello, event }, over.signal);
      if (!end.aborted) throw new ConnectError("retryable", "Too many messages wait to be saved.");
    } finally {
      await intake.fewerThan(1);
      await intake.stop();
    }
  }

  #remember(event: unknown): void {
    const channel = channelIn(event);
    const id = field(event, "broadcast", "channel_id");
    if (!channel || typeof id !== "string") return;
    const [oldest] = this.#channels.keys();
    if (this.#channels.size >= MOST_CHANNELS && oldest !== undefined) this.#channels.delete(oldest);
    this.#channels.set(id, channel);
  }
}
