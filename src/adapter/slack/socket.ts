/** One connection to Slack: a WebSocket over which envelopes come and are acknowledged. The library opens no other. */
import { SocketModeClient } from "@slack/socket-mode";
import { timerMs } from "../../util/timer-ms.js";
import { ConnectError } from "../adapter.js";
import { ended } from "../ended.js";
import { proxyWays } from "../proxy.js";
import { field, wordsIn } from "../untrusted.js";
import type { SlackSettings } from "./config.js";
import { clientOptions, SILENT, socketError, timeoutOf } from "./web.js";

export interface Envelope {
  /** `events_api`, `slash_commands` and others. */
  readonly type: string;
  readonly body: unknown;
  /** Tells Slack that it arrived, by socket or in answer to its post; a slash command can be answered with it, to its sender only. */
  ack(answer?: { readonly text: string }): Promise<void>;
}

/** How long Slack may take to close its side. */
const CLOSING_MS = 1_000;

/** One connection: `onHello` once Slack has said hello. Fails with a `ConnectError` that says why it ended. */
export async function serveSocket(
  settings: SlackSettings,
  onEnvelope: (envelope: Envelope) => void,
  onHello: () => void,
  end: AbortSignal,
): Promise<void> {
  const socket = new Socket(settings, onEnvelope);
  try {
    await socket.hello().catch((error: unknown) => {
      throw socketError(error);
    });
    onHello();
    await Promise.race([socket.ended, ended(end)]);
  } finally {
    await socket.end();
  }
  // Slack renews its lines every few hours and says so.
  const wanted = socket.wasRecalled ? { retryAfterMs: 0 } : {};
  throw new ConnectError("retryable", "The line to Slack was cut.", wanted);
}

/** One connection, from its opening to its end. */
class Socket extends SocketModeClient {
  readonly ended: Promise<void>;
  readonly #helloMs: number;
  /** Slack said that it would close this one. */
  wasRecalled = false;
  #isOver = false;

  constructor(settings: SlackSettings, onEnvelope: (envelope: Envelope) => void) {
    const ways = proxyWays();
    super({
      appToken: settings.appToken?.() ?? "",
      autoReconnectEnabled: false,
      logger: SILENT,
      clientOptions: clientOptions(settings),
      ...(ways && { dispatcher: ways.dispatcher }),
    });
    this.#helloMs = timeoutOf(settings);
    this.ended = new Promise((resolve) => {
      this.once("disconnected", () => resolve());
    });
    this.on("slack_event", onEnvelope);
  }

  async hello(): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const error = new ConnectError("retryable", "Slack opened a line and said nothing.");
      alarm = setTimeout(() => reject(error), timerMs(this.#helloMs));
    });
    const started = this.start().then(
      // It may open after somebody lost patience with it.
      () => (this.#isOver ? this.end() : undefined),
      (error: unknown) => {
        throw error ?? new ConnectError("retryable", "Slack closed the line before it said hello.");
      },
    );
    try {
      await Promise.race([started, tooLong]);
    } finally {
      clearTimeout(alarm);
    }
  }

  /** Closes it, politely at first. */
  async end(): Promise<void> {
    this.#isOver = true;
    if (!this.websocket) return;
    let alarm: NodeJS.Timeout | undefined;
    const closed = this.disconnect();
    const patience = new Promise<void>((resolve) => {
      alarm = setTimeout(resolve, CLOSING_MS);
    });
    await Promise.race([closed, patience]);
    clearTimeout(alarm);
    await this.disconnect(); // A second time: whatever is left is torn down.
  }

  /** The library throws at what is no envelope, or has no event, where nobody would catch it. */
  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    if (isBinary || typeof data !== "string") return;
    const message = parsed(data);
    const type = wordsIn(message, "type");
    if (type === "") return;
    if (type === "disconnect") this.wasRecalled = true;
    if (type === "events_api" && wordsIn(field(message, "payload"), "event", "type") === "") return;
    await super.onWebSocketMessage(data, isBinary);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
