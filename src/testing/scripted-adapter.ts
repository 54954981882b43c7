/** An adapter in memory: what people write is scripted, what is sent to them is kept to be looked at. */
import type {
  Adapter,
  Capabilities,
  InboundMessage,
  OutboundMessage,
  Receive,
  Received,
} from "../adapter/adapter.js";
import { type Platform, platforms } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";

export interface ScriptedOptions {
  readonly platform?: Platform;
  readonly account?: string;
  /** Called before each send; what it throws, the send throws. */
  readonly onSend?: (message: OutboundMessage) => void | Promise<void>;
}

export class ScriptedAdapter implements Adapter {
  readonly platform: Platform;
  readonly account: string;
  readonly capabilities: Capabilities = { maxText: 4_096, unit: "utf16", edit: false, threads: false };
  readonly sent: OutboundMessage[] = [];
  readonly #onSend: (message: OutboundMessage) => void | Promise<void>;
  #receive: Receive | undefined;
  #messages = 0;
  #waiting: (() => void)[] = [];

  constructor(options: ScriptedOptions = {}) {
    this.platform = options.platform ?? platforms()[1] ?? "";
    this.account = options.account ?? "bot";
    this.#onSend = options.onSend ?? (() => {});
  }

  async connect(receive: Receive): Promise<void> {
    this.#receive = receive;
  }

  async send(message: OutboundMessage): Promise<{ messageId: string }> {
    await this.#onSend(message);
    this.sent.push(message);
    for (const look of this.#waiting) look();
    return { messageId: `sent-${this.sent.length}` };
  }

  async disconnect(): Promise<void> {
    this.#receive = undefined;
  }

  /** Somebody writes. */
  write(
    from: Partial<SessionSource> & { userId: string },
    text: string,
    more: Partial<InboundMessage> = {},
  ): Promise<Received> {
    if (!this.#receive) throw new Error("The adapter is not connected.");
    const source: SessionSource = { platform: this.platform, chatId: from.userId, chatType: "dm", ...from };
    this.#messages += 1;
    return this.#receive({ kind: "message", source, messageId: `m${this.#messages}`, text, ...more });
  }

  /** The texts sent to a chat, in order. */
  textsTo(chatId: string): string[] {
    return this.sent.filter(({ address }) => address.chatId === chatId).map(({ text }) => text);
  }

  /** Waits until that is true of what was sent. */
  async until(holds: (sent: readonly OutboundMessage[]) => boolean): Promise<void> {
    while (!holds(this.sent)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}
