/**
 * The terminal as a platform: one chat, whose person sits at this machine. Lines become messages, and those that begin
 * with a slash commands; answers stream where they are made. Needs a terminal on both sides; `script.ts` is for pipes.
 */
import { readFile } from "node:fs/promises";
import type { SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { localSource, type SessionSource } from "../../session/source.js";
import type { StoredMessage } from "../../session/transcript.js";
import {
  type Adapter,
  ConnectError,
  type InboundMessage,
  type Letter,
  type Line,
  type Speaker,
} from "../adapter.js";
import { ended } from "../ended.js";
import type { LiveReply } from "../live-reply.js";
import { attachedFile } from "./attached-file.js";
import { Chat, type ChatOptions } from "./chat.js";
import type { ChatView } from "./chat-view.js";
import { FileNames } from "./file-names.js";
import { laterThanKeys } from "./keys-read.js";
import { reasonOf } from "./line.js";
import { namedFiles } from "./named-files.js";
import { keysHelp, OWN_COMMANDS, ownCommand, ownCommands } from "./own-commands.js";
import { PlainChat } from "./plain-chat.js";
import {
  inbound,
  pathOf,
  pressed,
  TERMINAL_CAPABILITIES,
  takenFor,
  terminalAccount,
} from "./terminal-source.js";

export interface TerminalAdapterOptions extends Omit<ChatOptions, "clock" | "later" | "files"> {
  /** Where the person is: `@path` in a message means the files there and below. Without it, it means nothing. */
  readonly folder?: string;
  /** Awaited before each line that the person types: it is known then where that goes. */
  readonly settled?: () => Promise<void>;
  /** The session that the terminal shows; what is typed is for that one. */
  readonly session?: () => SessionId | null;
  /** Settles when nothing waits or runs for this terminal; does not reject. */
  readonly answered: () => Promise<void>;
  readonly clock?: ChatOptions["clock"];
  /** Plain lines instead of a screen that is drawn. */
  readonly plain?: boolean;
}

export class TerminalAdapter implements Adapter, Speaker {
  readonly platform = LOCAL;
  readonly capabilities = { ...TERMINAL_CAPABILITIES, keys: true, ownCommands: OWN_COMMANDS };
  readonly #options: TerminalAdapterOptions;
  readonly #chat: ChatView;
  #source = localSource();
  #line: Line | null = null;
  /** What is typed is handed over one after the other. */
  #handedOver: Promise<unknown> = Promise.resolve();

  constructor(options: TerminalAdapterOptions) {
    this.#options = options;
    const complete: ChatOptions["complete"] = (line) => [...options.complete(line), ...ownCommands(line)];
    const { folder, clock = Date.now } = options;
    const names = folder ? new FileNames({ folder, clock, onArrived: () => this.arrived() }) : null;
    const files: ChatOptions["files"] = (begun) => names?.complete(begun) ?? [];
    const View = options.plain ? PlainChat : Chat;
    this.#chat = new View(
      { ...options, clock, later: laterThanKeys, complete, files },
      { submit: (text) => this.#submit(text), press: (command) => this.#press(command) },
    );
  }

  get account(): string {
    return terminalAccount(this.#source);
  }

  /** The next line is served in this lane: that of a plain `baton` unless told. The chat goes on as it is on the screen. */
  moveTo(source: SessionSource): void {
    this.#source = source;
  }

  /** The chat stays open when the line ends. */
  async serve(line: Line): Promise<void> {
    if (!this.#options.input.isTTY || !this.#options.output.isTTY) {
      const cure = "A chat needs a terminal on both sides: give the text with --message, or by a pipe.";
      throw new ConnectError("permanent", cure);
    }
    this.#line = line;
    await this.#chat.open();
    line.up(this);
    await ended(line.end);
  }

  /** The terminal is as it was. */
  close(): Promise<void> {
    return this.#chat.close();
  }

  /** Waits until everything that was typed so far is handed over. */
  async handedOver(): Promise<void> {
    await this.#handedOver;
  }

  async send({ text, files = [], deliveryId }: Letter): Promise<{ readonly messageId: string }> {
    if (text !== "" || files.length === 0) this.#chat.print(text, deliveryId);
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

  /** There may be more to complete a line with. */
  arrived(): void {
    this.#chat.arrived();
  }

  /** The screen is the chat's; nobody else may write to it. */
  get isOpen(): boolean {
    return this.#chat.isOpen;
  }

  /** Tells something in plain text, beside the conversation. */
  note(text: string): void {
    if (this.#chat.isOpen) this.#chat.note(text);
  }

  /** Says something that nobody asked for. */
  say(text: string): void {
    if (this.#chat.isOpen) this.#chat.print(text);
  }

  /** What another terminal or a script says in the session that this one shows. */
  others(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      const { role, content } = message;
      if (role === "user" && !message.note) this.#chat.overhear(content);
      if (role === "assistant" && content.trim() !== "") this.#chat.print(content);
    }
  }

  /** Another terminal or a script waits for an answer in that session, or no longer does. */
  othersAtWork(isAtWork: boolean): void {
    if (this.#chat.isOpen) this.#chat.othersAtWork(isAtWork);
  }

  /** As if the person had typed it, before what they typed since. */
  async type(text: string): Promise<void> {
    if (await this.#take(text)) this.#chat.awaits(this.#options.answered());
  }

  /** Something went wrong behind the chat. */
  problem(text: string): void {
    this.#chat.problem(text);
  }

  /** The terminal was opened: what was left for it may wait or run. */
  resumed(): void {
    this.#chat.awaits(this.#options.answered());
  }

  async #submit(text: string): Promise<void> {
    const taken = this.#handedOver.then(async () => {
      await this.#options.settled?.();
      return this.#take(text);
    });
    this.#handedOver = taken;
    if (await taken) await this.#options.answered();
  }

  /** True if an answer is to come. */
  async #take(text: string): Promise<boolean> {
    const own = ownCommand(text);
    if (own === "leave") this.#chat.leave();
    if (own === "keys") this.#chat.print(keysHelp(this.#options.plain === true));
    return own === null && this.#handOver(text);
  }

  /** True of a message, which will be answered; a command was, when it has been received. */
  async #handOver(text: string): Promise<boolean> {
    const { folder, session } = this.#options;
    const as = takenFor(text, new Set(this.#line?.commands.map(({ name }) => name)));
    const named = folder && as !== "command" ? await namedFiles(text, folder) : [];
    const files = named.map(({ path }) => attachedFile(path));
    const message = inbound(text, as, this.#source, files, session?.() ?? null);
    if (named.length > 0) this.#chat.note(`Attached: ${named.map(({ name }) => name).join(", ")}`);
    return (
      (await this.#receive(message, "(The up arrow brings the line back.)")) && message.kind === "message"
    );
  }

  #press(command: string): Promise<boolean> {
    return this.#receive(pressed(command, this.#source), "(The question still waits.)");
  }

  /** False if it was not accepted; the person was told why, and what to do. */
  async #receive(message: InboundMessage, cure: string): Promise<boolean> {
    try {
      const received = await this.#line?.receive(message);
      if (received === "refused") this.#chat.problem("Refused: you may not write here.");
      return received === "accepted";
    } catch (error) {
      this.#chat.problem(`Not accepted: ${reasonOf(error)} ${cure}`);
      return false;
    }
  }
}
