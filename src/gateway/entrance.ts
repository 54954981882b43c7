/**
 * The way in for every message: is it meant for us, does its sender have access, and only then is it stored; its files
 * are downloaded after that. A message that is refused leaves no trace. One to others in a group is remembered for a
 * while, and stored only as a note in a message to us that follows it.
 */
import type { InboundMessage, Received, RemoteFile } from "../adapter/adapter.js";
import { StoreError } from "../session/errors.js";
import { apart, withNotes } from "../session/said-before.js";
import { buildSessionKey } from "../session/session-key.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import type { Allowance } from "./allowance.js";
import type { Apologies } from "./apology.js";
import type { Who } from "./authorize.js";
import { notHereYet } from "./awaited-files.js";
import type { Commands } from "./commands/commands.js";
import { Doorstep } from "./doorstep.js";
import { FollowedThreads } from "./followed-threads.js";
import { type GroupRules, isAddressedIn } from "./group-rules.js";
import { inboundText } from "./inbound-text.js";
import { Overheard } from "./overheard.js";
import type { People, Seen } from "./people.js";
import { Reactions, type ReactionsSetting } from "./reactions.js";
import { SpokenAnswers, type SpokenAnswersSetting } from "./spoken-answers.js";
import type { Inbox, InboxItem } from "./store.js";
import type { Surface } from "./surface.js";

export interface EntranceSetting extends ReactionsSetting, SpokenAnswersSetting {
  readonly outbox: ReactionsSetting["outbox"] & SpokenAnswersSetting["outbox"];
  readonly apologies: Apologies;
  readonly people: People;
  readonly allowance: Allowance;
  readonly inbox: Inbox;
  readonly takesFiles: boolean;
  readonly commands: Pick<Commands, "isCommand" | "asksAgent">;
  readonly groups: GroupRules;
  readonly holder: string;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

const NO_LOOK_UP = "Could not look up the sender of a message";

export type Entered =
  /** `files` came with it, and are not in the item. */
  | {
      readonly kind: "new";
      readonly item: InboxItem;
      readonly who: Who;
      readonly files: readonly RemoteFile[];
    }
  /** A message that waits was edited, or deleted. */
  | { readonly kind: "amended" | "withdrawn"; readonly item: InboxItem }
  | { readonly kind: "nothing"; readonly received: Received };

export class Entrance {
  readonly #setting: EntranceSetting;
  readonly #doorstep: Doorstep;
  readonly #overheard: Overheard;
  readonly #threads: FollowedThreads;
  readonly #reactions: Reactions;
  readonly #answers: SpokenAnswers;

  constructor(setting: EntranceSetting) {
    this.#setting = setting;
    this.#doorstep = new Doorstep(setting);
    this.#overheard = new Overheard(setting);
    this.#threads = new FollowedThreads(setting.clock);
    this.#reactions = new Reactions(setting);
    this.#answers = new SpokenAnswers(setting);
  }

  async receive(surface: Surface, message: InboundMessage): Promise<Entered> {
    if (message.kind === "reaction") return this.#react(surface, message);
    if (!this.#isForUs(surface, message)) return this.#overhear(surface, message);
    if (message.kind === "deletion") return this.#withdraw(surface, message);
    return this.#admit(surface, message);
  }

  /** One that means nothing costs nothing, and one of a stranger only the look-up that refuses it. */
  async #react(surface: Surface, reaction: InboundMessage): Promise<Entered> {
    const { people } = this.#setting;
    if (!this.#reactions.has(reaction)) return nothing("ignored");
    const { access } = people.remembered(reaction.source) ?? (await this.#lookUp(surface, reaction));
    if (!access.allowed) return nothing("refused");
    const meant = await this.#reactions
      .meant(surface, reaction)
      .catch((error: Error) =>
        this.#fail("Could not look up the message of a reaction", error, null, reaction),
      );
    return meant ? this.#admit(surface, meant) : nothing("ignored");
  }

  async #admit(surface: Surface, message: InboundMessage): Promise<Entered> {
    const { people, commands, allowance, apologies } = this.#setting;
    const { kind: given } = message;
    const isPress = given === "button" && commands.isCommand(message.text);
    const isKept = given === "message" || given === "command" || given === "reaction" || isPress;
    // Only stored messages are bound to the version: anything else asks the store.
    const seen = (isKept && people.remembered(message.source)) || (await this.#lookUp(surface, message));
    const { access } = seen;
    if (!access.allowed) return this.#refuse(surface, message);
    const { damage } = apologies;
    if (damage) return this.#fail("Could not answer a message", damage, surface, message);
    if (message.kind === "edit") return this.#amend(surface, message);
    if (!isKept) return nothing("accepted"); // A button of nobody's: the sender has access, and there is nothing to answer.
    const meant = await this.#meant(surface, message, access);
    const kind = isOrder(meant, commands) ? "command" : "message";
    const counted = commands.asksAgent(meant.text) ? "message" : kind;
    const tooMany = allowance.message(access, counted);
    if (tooMany) {
      if (tooMany.told !== null) this.#doorstep.say(surface, message, tooMany.told);
      return nothing("refused");
    }
    try {
      return await this.#keep(surface, meant, kind, seen);
    } catch (error) {
      allowance.takeBack(access, counted);
      throw error;
    }
  }

  /** A word that answers an open question is the command for that. */
  async #meant(surface: Surface, message: InboundMessage, who: Who): Promise<InboundMessage> {
    const command = await this.#answers
      .commandIn(surface, message, who)
      .catch((error: Error) => this.#fail("Could not look up a question", error, surface, message));
    return command === null ? message : { ...message, kind: "command", text: command };
  }

  /** Waits until the replies to strangers are sent. */
  idle(): Promise<void> {
    return this.#doorstep.idle();
  }

  /** Stores nothing, because the store does not answer. */
  turnAway(surface: Surface, message: InboundMessage): never {
    const isForUs = this.#isForUs(surface, message);
    const error = new StoreError("store_unreachable", "The store does not answer.");
    return this.#fail(
      "Could not save a message",
      error,
      isForUs ? this.#ifKnown(surface, message) : null,
      message,
    );
  }

  #isForUs(surface: Surface, message: InboundMessage): boolean {
    const { groups } = this.#setting;
    if (isAddressedIn(groups, message)) return true;
    return groups.threads === "follow" && this.#threads.isFollowed(surface, message);
  }

  async #overhear(surface: Surface, message: InboundMessage): Promise<Entered> {
    await this.#overheard
      .hear(surface, message)
      .catch((error: Error) => this.#fail(NO_LOOK_UP, error, null, message));
    return nothing("ignored");
  }

  #lookUp(surface: Surface, message: InboundMessage): Promise<Seen> {
    return this.#setting.people
      .lookUp(message.source)
      .catch((error: Error) => this.#fail(NO_LOOK_UP, error, this.#ifKnown(surface, message), message));
  }

  /** Only people who have access get a reply. If the store can't be asked, those who were let in lately are known. */
  #ifKnown(surface: Surface, { source }: InboundMessage): Surface | null {
    const { people } = this.#setting;
    return people.isAnswered(source) || people.remembered(source) !== null ? surface : null;
  }

  async #refuse(surface: Surface, message: InboundMessage): Promise<Entered> {
    await this.#doorstep.receive(surface, message);
    return nothing("refused");
  }

  async #amend(surface: Surface, message: InboundMessage): Promise<Entered> {
    const item = await this.#setting.inbox
      .amend(surface, message, (was) => withNotes(apart(was).before, inboundText(message)))
      .catch((error: Error) => this.#fail("Could not save a message", error, surface, message));
    return item ? { kind: "amended", item } : nothing("accepted"); // It has been answered: that stays as it is.
  }

  /** Platforms do not say who deleted it. All that this can do is to leave a message unanswered that is gone. */
  async #withdraw(surface: Surface, message: InboundMessage): Promise<Entered> {
    this.#overheard.forget(surface, message);
    const item = await this.#setting.inbox.withdraw(surface, message);
    return item ? { kind: "withdrawn", item } : nothing("ignored");
  }

  async #keep(
    surface: Surface,
    message: InboundMessage,
    kind: InboxItem["kind"],
    seen: Seen,
  ): Promise<Entered> {
    const { apologies } = this.#setting;
    try {
      const entered = await this.#accept(surface, message, kind, seen);
      apologies.over();
      return entered;
    } catch (error) {
      return this.#fail("Could not save a message", error as Error, surface, message);
    }
  }

  /** Looks up the sender again as often as people are changed in between. */
  async #accept(
    surface: Surface,
    message: InboundMessage,
    kind: InboxItem["kind"],
    first: Seen,
  ): Promise<Entered> {
    const { people, inbox, scopes, takesFiles, holder, clock } = this.#setting;
    const { platform, account } = surface;
    const { source, messageId } = message;
    const files = kind === "message" && takesFiles ? filesOf(message) : [];
    const isWritten = kind === "message" && message.kind !== "reaction";
    const text = isWritten ? await this.#textOf(surface, message) : message.text;
    const key = buildSessionKey(source, scopes);
    const made = message.kind === "reaction" ? { made: "reaction" as const } : {};
    const missing = notHereYet(surface, files);
    const bound = message.session === undefined ? {} : { boundTo: message.session };
    const item = { platform, account, kind, key, source, messageId, ...made, text, ...missing, ...bound };
    for (let seen = first; ; seen = await people.lookUp(source)) {
      const { access, peopleVersion } = seen;
      if (!access.allowed) return this.#refuse(surface, message);
      const kept = await inbox.acceptFrom(peopleVersion, item, holder, clock());
      if (kept === "duplicate") return nothing("duplicate");
      if (kept === "outdated") continue;
      if (isWritten) {
        this.#overheard.empty(surface, message);
        this.#threads.follow(surface, message);
      }
      const { album } = message;
      return { kind: "new", item: album === undefined ? kept : { ...kept, album }, who: access, files };
    }
  }

  /** With what others said before it. */
  async #textOf(surface: Surface, message: InboundMessage): Promise<string> {
    const before = await this.#overheard.before(surface, message);
    return withNotes(before === "" ? [] : [before], inboundText(message));
  }

  /**
   * The platform does not learn that the message arrived, so it sends it again; `told` is where the sender gets the
   * apology.
   */
  #fail(what: string, error: Error, told: Surface | null, message: InboundMessage): never {
    this.#setting.onProblem(`${what}: ${error.message}`, { cause: error });
    if (told) void this.#setting.apologies.say(told, message);
    throw error;
  }
}

function nothing(received: Received): Entered {
  return { kind: "nothing", received };
}

/** Its own files, and those of the message that it answers: people mean them by "this". */
function filesOf({ files = [], replyTo }: InboundMessage): readonly RemoteFile[] {
  const answered = (replyTo?.files ?? []).map((file) => ({
    ...file,
    answered: true as const,
    read: file.read.bind(file),
  }));
  return [...files, ...answered];
}

/** A forwarded text is not the sender's own, so it is never a command. */
function isOrder(
  { text, forwarded, isText }: InboundMessage,
  commands: Pick<Commands, "isCommand">,
): boolean {
  return !forwarded && !isText && commands.isCommand(text);
}
