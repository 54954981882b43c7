/**
 * The terminal as a platform: one chat, whose person sits at this machine. Lines become messages, and those that begin
 * with a slash commands; answers stream where they are made. Needs a terminal on both sides; `script.ts` is for pipes.
 */
import { readFile } from "node:fs/promises";
import { LOCAL } from "../../session/platform.js";
import type { SessionSource } from "../../session/source.js";
import {
  type Adapter,
  ConnectError,
  type Letter,
  type Line,
  type LiveReply,
  type Speaker,
} from "../adapter.js";
import { ended } from "../ended.js";
import { Chat, type ChatOptions, reasonOf } from "./chat.js";
import {
  inbound,
  pathOf,
  TERMINAL_ACCOUNT,
  TERMINAL_CAPABILITIES,
  terminalSource,
} from "./terminal-source.js";

/** Known to the terminal alone: elsewhere one just goes. */
const QUIT = { name: "quit", description: "leave; the conversation stays as it is" };

export interface TerminalAdapterOptions extends Omit<ChatOptions, "clock"> {
  /** Another chat than the usual `cli`. */
  readonly chatId?: string;
  readonly clock?: ChatOptions["clock"];
}

export class TerminalAdapter implements Adapter, Speaker {
  readonly platform = LOCAL;
  readonly account = TERMINAL_ACCOUNT;
  readonly capabilities = TERMINAL_CAPABILITIES;
  readonly #options: TerminalAdapterOptions;
  readonly #source: SessionSource;
  readonly #chat: Chat;
  #line: Line | null = null;
  /** Lines are handed over one after the other. */
  #handedOver: Promise<unknown> = Promise.resolve();

  constructor(options: TerminalAdapterOptions) {
    this.#options = options;
    this.#source = terminalSource(options.chatId);
    const complete: ChatOptions["complete"] = (line) => [...options.complete(line), QUIT];
    this.#chat = new Chat({ clock: Date.now, ...options, complete }, (text) => this.#submit(text));
  }

  async serve(line: Line): Promise<void> {
    if (!this.#options.input.isTTY || !this.#options.output.isTTY) {
      const cure = "A chat needs a terminal on both sides: give the text with --message, or by a pipe.";
      throw new ConnectError("permanent", cure);
    }
    this.#line = line;
    try {
      await this.#chat.open();
      line.up(this);
      await ended(line.end);
    } finally {
      await this.#chat.close();
    }
  }

  async send({ text, files = [], deliveryId }: Letter): Promise<{ readonly messageId: string }> {
    if (text !== "" || files.length === 0) this.#chat.print(text);
    for (const file of files) {
      const isPicture = file.mediaType.startsWith("image/") && this.#options.pictures !== undefined;
      const bytes = isPicture ? await readFile(file.path).catch(() => null) : null; // Else its path says enough.
      this.#chat.file(pathOf(file), bytes, file.mediaType);
    }
    return { messageId: deliveryId };
  }

  live(): LiveReply {
    return this.#chat.reply();
  }

  /** The status has changed. */
  refresh(): void {
    this.#chat.redraw();
  }

  /** The screen is the chat's; nobody else may write to it. */
  get isOpen(): boolean {
    return this.#chat.isOpen;
  }

  /** Says something that nobody asked for. */
  say(text: string): void {
    if (this.#chat.isOpen) this.#chat.print(text);
  }

  /** Something went wrong behind the chat. */
  problem(text: string): void {
    this.#chat.problem(text);
  }

  #submit(text: string): Promise<boolean> {
    if (/^\/quit\s*$/i.test(text)) {
      this.#chat.leave();
      return Promise.resolve(false);
    }
    const handedOver = this.#handedOver.then(() => this.#handOver(text));
    this.#handedOver = handedOver;
    return handedOver;
  }

  /** A message will be answered; a command was, when it has been received. */
  async #handOver(text: string): Promise<boolean> {
    const message = inbound(text, this.#source);
    try {
      const received = await this.#line?.receive(message);
      if (received === "refused") this.#chat.problem("Refused: you may not write here.");
      return received === "accepted" && message.kind === "message";
    } catch (error) {
      this.#chat.problem(`Not accepted: ${reasonOf(error)} (The up arrow brings the line back.)`);
      return false;
    }
  }
}
