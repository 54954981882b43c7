/**
 * The way in, for every kind of entry: was it meant for us, may its sender, and only then is it kept, with its files.
 * What is refused or not meant for us leaves no trace.
 */
import type { Adapter, InboundMessage, Received } from "../adapter/adapter.js";
import { identityOf } from "../session/access.js";
import { buildSessionKey, type SessionScopes } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { Attachment } from "../session/transcript.js";
import type { Clock } from "../util/clock.js";
import type { Allowance } from "./allowance.js";
import type { Apologies } from "./apology.js";
import type { Who } from "./authorize.js";
import { Doorstep } from "./doorstep.js";
import { amendedText, inboundText } from "./inbound-text.js";
import { MAX_BYTES, type Media, type Taken } from "./media.js";
import type { People } from "./people.js";
import type { Inbox, InboxItem } from "./store.js";

export interface EntranceSetting {
  readonly apologies: Apologies;
  readonly people: People;
  readonly allowance: Allowance;
  readonly inbox: Inbox;
  /** Null where files are not taken. */
  readonly media: Media | null;
  readonly scopes: SessionScopes;
  readonly isCommand: (text: string) => boolean;
  /** What is said to others in this group is answered too. */
  readonly answersAll: (source: SessionSource) => boolean;
  readonly owner: string;
  readonly clock: Clock;
  readonly onProblem: (problem: string) => void;
}

export type Entered =
  | { readonly kind: "new"; readonly item: InboxItem; readonly who: Who }
  /** A message that waits was changed. */
  | { readonly kind: "amended"; readonly item: InboxItem }
  | { readonly kind: "nothing"; readonly received: Received };

const MOST_REMEMBERED = 10_000;

const NO_FILES: Taken = { attachments: [], problems: [] };

export class Entrance {
  readonly #setting: EntranceSetting;
  readonly #doorstep: Doorstep;
  /** Who was let in since this process began, the latest last: they are known when the store cannot be asked. */
  readonly #letIn = new Set<string>();

  constructor(setting: EntranceSetting) {
    this.#setting = setting;
    this.#doorstep = new Doorstep(setting);
  }

  async receive(adapter: Adapter, message: InboundMessage): Promise<Entered> {
    const { people, inbox, answersAll, isCommand } = this.#setting;
    if (message.isAddressed === false && !answersAll(message.source)) return nothing("ignored");
    const access = await people.access(message.source).catch((error: Error) => {
      // Nobody is told anything who would not be answered.
      const isKnown = people.isAnswered(message.source) || this.#letIn.has(identityOf(message.source) ?? "");
      const told = isKnown ? adapter : null;
      return this.#fail("Who wrote cannot be looked up", error, told, message);
    });
    if (!access.allowed) {
      await this.#doorstep.receive(adapter, message);
      return nothing("refused");
    }
    this.#remember(identityOf(message.source) ?? "");
    const { damage } = this.#setting.apologies;
    if (damage) return this.#fail("A message could not be answered", damage, adapter, message);
    if (message.kind === "edit") {
      const item = await inbox
        .amend(adapter, message, (was) => amendedText(message, was))
        .catch((error: Error) => this.#fail("A message could not be kept", error, adapter, message));
      return item ? { kind: "amended", item } : nothing("accepted"); // It was answered already: that stays as it is.
    }
    if (message.kind !== "message" && message.kind !== "command") return nothing("accepted"); // Known, and nothing to answer yet.
    const kind = isCommand(message.text) ? "command" : "message";
    const tooMany = this.#setting.allowance.message(access, kind);
    if (tooMany) {
      if (tooMany.told !== null) this.#doorstep.say(adapter, message, tooMany.told);
      return nothing("refused");
    }
    const item = await this.#keep(adapter, message, kind, access);
    return item ? { kind: "new", item, who: access } : nothing("duplicate");
  }

  /** Waits until what is being said at the door is out. */
  idle(): Promise<void> {
    return this.#doorstep.idle();
  }

  async #keep(
    adapter: Adapter,
    message: InboundMessage,
    kind: InboxItem["kind"],
    who: Who,
  ): Promise<InboxItem | null> {
    const { inbox, media, scopes, owner, clock } = this.#setting;
    const { source, messageId } = message;
    const { platform, account } = adapter;
    const key = buildSessionKey(source, scopes);
    let taken = NO_FILES;
    try {
      if (media) taken = await this.#take(media, message, who);
      const text = kind === "command" ? message.text : inboundText(message, taken);
      const attached: { attachments?: readonly Attachment[] } =
        taken.attachments.length > 0 ? { attachments: taken.attachments } : {};
      const item = await inbox.accept(
        { platform, account, kind, key, source, messageId, text, ...attached },
        owner,
        clock(),
      );
      this.#setting.apologies.over();
      if (!item) await media?.forget(taken.attachments).catch(() => {}); // A sweep finds what is left of it.
      return item;
    } catch (error) {
      await media?.forget(taken.attachments).catch(() => {}); // The message comes again, and its files with it.
      return this.#fail("A message could not be kept", error as Error, adapter, message);
    }
  }

  /** Fetches the files of a message, as far as their sender's limit of the day leaves room. */
  async #take(media: Media, { files = [] }: InboundMessage, who: Who): Promise<Taken> {
    if (files.length === 0) return NO_FILES;
    const room = await this.#setting.allowance.media(who, files.length * MAX_BYTES);
    let used = 0;
    try {
      const taken = await media.take(files, room);
      used = taken.attachments.reduce((sum, { size = 0 }) => sum + size, 0);
      return taken;
    } finally {
      await room.settle(used);
    }
  }

  #remember(identity: string): void {
    this.#letIn.delete(identity);
    this.#letIn.add(identity);
    const [oldest] = this.#letIn;
    if (this.#letIn.size > MOST_REMEMBERED && oldest !== undefined) this.#letIn.delete(oldest);
  }

  /** The platform is not told that it arrived, so it comes again; whoever wrote is told, through `told`. */
  #fail(what: string, error: Error, told: Adapter | null, message: InboundMessage): never {
    this.#setting.onProblem(`${what}: ${error.message}`);
    if (told) void this.#setting.apologies.say(told, message);
    throw error;
  }
}

function nothing(received: Received): Entered {
  return { kind: "nothing", received };
}
