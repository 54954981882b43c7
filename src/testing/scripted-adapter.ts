/** An adapter in memory: what people write is scripted, what is sent to them is kept to be looked at. */
import {
  type Adapter,
  type Capabilities,
  type InboundMessage,
  type OutboundMessage,
  type Receive,
  type Received,
  SendError,
} from "../adapter/adapter.js";
import { type Platform, platforms } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";

export interface ScriptedOptions {
  readonly platform?: Platform;
  readonly account?: string;
  /** Called before each send; what it throws, the send throws. */
  readonly onSend?: (message: OutboundMessage) => void | Promise<void>;
  /** The platform can edit. */
  readonly edits?: boolean;
  /** Called before each edit; what it throws, the edit throws. */
  readonly onEdit?: (message: OutboundMessage) => void | Promise<void>;
  readonly maxText?: number;
  /** Several processes may have the account at once. */
  readonly shared?: boolean;
}

/** One call that changed a message. */
export interface ScriptedEdit {
  readonly messageId: string;
  readonly text: string;
}

export class ScriptedAdapter implements Adapter {
  readonly platform: Platform;
  readonly account: string;
  readonly capabilities: Capabilities;
  readonly edit?: NonNullable<Adapter["edit"]>;
  readonly sent: OutboundMessage[] = [];
  readonly edits: ScriptedEdit[] = [];
  /** What each message shows by now, in the order in which they were sent. */
  readonly shown = new Map<string, string>();
  readonly #onSend: (message: OutboundMessage) => void | Promise<void>;
  #receive: Receive | undefined;
  #messages = 0;
  #waiting: (() => void)[] = [];

  constructor(options: ScriptedOptions = {}) {
    this.platform = options.platform ?? platforms()[1] ?? "";
    this.account = options.account ?? "bot";
    this.#onSend = options.onSend ?? (() => {});
    const { edits = false, maxText = 4_096, shared = false, onEdit = () => {} } = options;
    this.capabilities = { maxText, unit: "utf16", edit: edits, threads: false, shared };
    if (edits) this.edit = (message, messageId) => this.#edit(message, messageId, onEdit);
  }

  async connect(receive: Receive): Promise<void> {
    this.#receive = receive;
  }

  async send(message: OutboundMessage): Promise<{ messageId: string }> {
    this.#mustBeConnected();
    await this.#onSend(message);
    this.sent.push(message);
    const messageId = `sent-${this.sent.length}`;
    this.shown.set(messageId, message.text);
    for (const look of this.#waiting.splice(0)) look();
    return { messageId };
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

  /** Waits until that is true of what was sent, or edited since. */
  async until(holds: (sent: readonly OutboundMessage[]) => boolean): Promise<void> {
    while (!holds(this.sent)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  async #edit(
    message: OutboundMessage,
    messageId: string,
    onEdit: NonNullable<ScriptedOptions["onEdit"]>,
  ): Promise<void> {
    this.#mustBeConnected();
    await onEdit(message);
    if (!this.shown.has(messageId)) throw new SendError("permanent", `There is no message ${messageId}.`);
    this.edits.push({ messageId, text: message.text });
    this.shown.set(messageId, message.text);
    for (const look of this.#waiting.splice(0)) look();
  }

  #mustBeConnected(): void {
    if (!this.#receive) throw new SendError("retryable", "The adapter is not connected.");
  }
}
