/** An adapter in memory: what people write is scripted, what is sent to them is kept to be looked at. */
import type {
  Adapter,
  Capabilities,
  InboundMessage,
  Letter,
  Line,
  Receive,
  Received,
  Speaker,
} from "../adapter/adapter.js";
import { SendError } from "../adapter/adapter.js";
import { bytesOf } from "../adapter/local-file.js";
import type { Surface } from "../gateway/surface.js";
import { type Platform, platforms } from "../session/platform.js";
import type { Address, SessionSource } from "../session/source.js";
import { KeptAdapter, type KeptSetting } from "./kept-adapter.js";
import { ScriptedPlatform } from "./scripted-platform.js";

/** What a platform may be able to do beyond sending and receiving. */
export type ScriptedAbility =
  | "edit"
  | "remove"
  | "drafts"
  | "status"
  | "find"
  | "idempotent"
  | "typing"
  | "marks"
  | "threads"
  | "threads once"
  | "redelivers"
  | "files"
  | "buttons";

export interface ScriptedOptions {
  readonly platform?: Platform;
  readonly account?: string;
  /** Called before each send; what it throws, the send throws. */
  readonly onSend?: (message: Letter) => void | Promise<void>;
  /** The platform can edit. */
  readonly edits?: boolean;
  /** Called before each edit; what it throws, the edit throws. */
  readonly onEdit?: (message: Letter) => void | Promise<void>;
  /** Called before each draft; what it throws, the draft throws. */
  readonly onDraft?: (message: Letter) => void | Promise<void>;
  /** Gives out files by their references. */
  readonly fetch?: NonNullable<Speaker["fetch"]>;
  readonly maxText?: number;
  /** Several processes may have the account at once. */
  readonly shared?: boolean;
  readonly can?: readonly ScriptedAbility[];
  /** The platform that another adapter was connected to; one of its own unless told. */
  readonly on?: ScriptedPlatform;
}

/** One call that changed a message. */
export interface ScriptedEdit {
  readonly messageId: string;
  readonly text: string;
}

export class ScriptedAdapter implements Adapter, Speaker, Surface {
  readonly platform: Platform;
  readonly account: string;
  readonly capabilities: Capabilities;
  readonly edit?: NonNullable<Speaker["edit"]>;
  readonly remove?: NonNullable<Speaker["remove"]>;
  readonly draft?: NonNullable<Speaker["draft"]>;
  readonly status?: NonNullable<Speaker["status"]>;
  readonly find?: NonNullable<Speaker["find"]>;
  readonly typing?: NonNullable<Speaker["typing"]>;
  readonly react?: NonNullable<Speaker["react"]>;
  readonly createThread?: NonNullable<Speaker["createThread"]>;
  readonly fetch?: NonNullable<Speaker["fetch"]>;
  /** The other side. */
  readonly there: ScriptedPlatform;
  readonly sent: Letter[] = [];
  readonly edits: ScriptedEdit[] = [];
  /** Every draft that was shown, and every word about what the bot does, oldest first. */
  readonly drafted: string[] = [];
  readonly said: string[] = [];
  readonly #onSend: (message: Letter) => void | Promise<void>;
  readonly #kept = new KeptAdapter(this);
  #line: Line | null = null;
  #messages = 0;
  #waiting: (() => void)[] = [];

  constructor(options: ScriptedOptions = {}) {
    const { edits = false, maxText = 4_096, shared = false } = options;
    const { onEdit = () => {}, onDraft = () => {} } = options;
    const can = new Set<ScriptedAbility>([...(options.can ?? []), ...(edits ? ["edit" as const] : [])]);
    this.platform = options.platform ?? platforms()[1] ?? "";
    this.account = options.account ?? "bot";
    this.there = options.on ?? new ScriptedPlatform();
    this.#onSend = options.onSend ?? (() => {});
    this.capabilities = {
      maxText,
      unit: "utf16",
      edit: can.has("edit"),
      threads: can.has("threads") || can.has("threads once"),
      ...(can.has("threads once") ? { threadsOnce: true } : {}),
      shared,
      ...(can.has("redelivers") ? { redelivers: true } : {}),
      ...(can.has("idempotent") ? { idempotent: true } : {}),
      ...(can.has("files") ? { maxFile: 1024 * 1024, maxCaption: 100, maxAlbum: 3, voice: true } : {}),
      ...(can.has("drafts") ? { drafts: { lastMs: 30_000, paceMs: 1_000 } } : {}),
      ...(can.has("buttons") ? { buttons: 3 } : {}),
    };
    if (options.fetch) this.fetch = options.fetch;
    if (can.has("edit")) this.edit = (message, messageId) => this.#edit(message, messageId, onEdit);
    if (can.has("remove")) this.remove = async (_address, messageId) => this.#remove(messageId);
    if (can.has("drafts")) this.draft = (message) => this.#draft(message, onDraft);
    if (can.has("status")) this.status = (address, words) => this.#status(address, words);
    if (can.has("find")) this.find = async (message) => this.there.find(message) ?? "not there";
    if (can.has("typing")) this.typing = async () => this.there.type();
    if (can.has("marks")) this.react = async (_address, messageId, mark) => this.there.mark(messageId, mark);
    if (this.capabilities.threads)
      this.createThread = async (parent, _title, _person, once) => {
        this.#mustBeConnected();
        return { ...parent, threadId: this.there.thread(parent, can.has("threads once") ? once : null) };
      };
  }

  /** What each message shows by now, in the order in which they were sent. */
  get shown(): ReadonlyMap<string, string> {
    return new Map([...this.there.messages].map(([id, { text }]) => [id, text]));
  }

  /** It can stand for a surface of the gateway. */
  get speaker(): Speaker | null {
    return this.#line ? this : null;
  }

  /** Connects it without a gateway. */
  connect(receive?: Receive, setting?: KeptSetting): Promise<void> {
    return this.#kept.connect(receive, setting);
  }

  disconnect(): Promise<void> {
    return this.#kept.disconnect();
  }

  async serve(line: Line): Promise<void> {
    this.#line = line;
    try {
      await this.there.serve(line, this);
    } finally {
      if (this.#line === line) this.#line = null;
    }
  }

  async send(message: Letter): Promise<{ messageId: string }> {
    this.#mustBeConnected();
    for (const file of message.files ?? []) await bytesOf(file, this.capabilities.maxFile ?? 0);
    await this.#onSend(message);
    const messageId = this.there.send(message, this.capabilities.idempotent ?? false);
    this.sent.push(message);
    this.#changed();
    return { messageId };
  }

  async place(address: Address): Promise<SessionSource | null> {
    this.#mustBeConnected();
    return this.there.place(address);
  }

  /** Somebody writes. */
  write(
    from: Partial<SessionSource> & { userId: string },
    text: string,
    more: Partial<InboundMessage> = {},
  ): Promise<Received> {
    if (!this.#line) throw new Error("The adapter is not connected.");
    const source: SessionSource = { platform: this.platform, chatId: from.userId, chatType: "dm", ...from };
    this.#messages += 1;
    this.there.hear(source);
    return this.#line.receive({ kind: "message", source, messageId: `m${this.#messages}`, text, ...more });
  }

  /** The texts sent to a chat, in order. */
  textsTo(chatId: string): string[] {
    return this.sent.filter(({ address }) => address.chatId === chatId).map(({ text }) => text);
  }

  /** Waits until that is true of what was sent, or edited since. */
  async until(holds: (sent: readonly Letter[]) => boolean): Promise<void> {
    while (!holds(this.sent)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  async #edit(
    message: Letter,
    messageId: string,
    onEdit: NonNullable<ScriptedOptions["onEdit"]>,
  ): Promise<void> {
    this.#mustBeConnected();
    await onEdit(message);
    this.there.edit(messageId, message.text);
    this.edits.push({ messageId, text: message.text });
    this.#changed();
  }

  #remove(messageId: string): void {
    this.#mustBeConnected();
    this.there.remove(messageId);
    this.#changed();
  }

  async #draft(message: Letter, onDraft: NonNullable<ScriptedOptions["onDraft"]>): Promise<boolean> {
    this.#mustBeConnected();
    await onDraft(message);
    const isShown = this.there.draft(message);
    if (isShown) this.drafted.push(message.text);
    this.#changed();
    return isShown;
  }

  async #status(address: Address, words: string): Promise<boolean> {
    this.#mustBeConnected();
    const isSaid = this.there.say(address, words);
    if (isSaid) this.said.push(words);
    this.#changed();
    return isSaid;
  }

  #changed(): void {
    for (const look of this.#waiting.splice(0)) look();
  }

  #mustBeConnected(): void {
    if (!this.#line) throw new SendError("retryable", "The adapter is not connected.");
  }
}
