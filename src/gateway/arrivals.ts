/**
 * Messages between the inbox and their lane. A message with files is accepted before they are downloaded, so that the
 * chat does not wait for them: a command after it acts at once. It joins its lane when its files are there or time is
 * up, and later messages of that lane join after it. If its conversation moves meanwhile, it joins the new lane. If the
 * process ends in between, the next one fetches them; if nobody can, the message says what is missing.
 */
import type { InboundMessage, RemoteFile } from "../adapter/adapter.js";
import { pause } from "../adapter/http-call.js";
import { LOCAL } from "../session/platform.js";
import type { SessionKey } from "../session/session-key.js";
import { backoff, type Pauses } from "../util/backoff.js";
import type { OnProblem } from "../util/problem.js";
import type { Allowance } from "./allowance.js";
import type { Who } from "./authorize.js";
import { type AwaitedSetting, filesLeft } from "./awaited-files.js";
import { belongs } from "./burst.js";
import { type BusyModes, momentOf } from "./busy.js";
import type { Entered } from "./entrance.js";
import type { FileTexts, ReadFiles } from "./file-texts.js";
import { MAX_BYTES, type Media } from "./media.js";
import type { Requests } from "./requests.js";
import type { Account, Inbox, InboxItem, Taken } from "./store.js";
import { isUnheard, tellUnheard, type UnheardSetting } from "./unheard.js";

export interface ArrivalsSetting extends UnheardSetting, AwaitedSetting {
  readonly inbox: Inbox;
  /** Null if files are not accepted. */
  readonly media: Media | null;
  /** Null if files are only kept. */
  readonly texts: FileTexts | null;
  readonly busy: BusyModes;
  readonly allowance: Allowance;
  readonly requests: Pick<Requests, "authorOf">;
  readonly runner: {
    /** Puts a message into its lane. */
    join(item: InboxItem, who: Who): Promise<unknown>;
    /** The same for one that another process left. */
    queue(item: InboxItem): void;
  };
  readonly onProblem: OnProblem;
}

/** The files of a message, read. */
interface Fetched extends Taken, Pick<ReadFiles, "unheard" | "cut"> {}

/** A message that waits for files, its own or those of an earlier one. */
interface WaitingMessage {
  /** Its latest form: after a move, as it is in the new lane. */
  item: InboxItem;
  /** Null if it only waits for an earlier message. It gives null if its files stay as they are. */
  readonly fetch: (() => Promise<Fetched | null>) | null;
  /** Puts it into its lane. */
  readonly join: (item: InboxItem) => Promise<unknown>;
  /** Aborted if nobody waits for its files any more. */
  readonly end: AbortSignal;
  giveUp(): void;
  /** With its files, on its way into its lane. */
  joining?: InboxItem;
  over: Promise<void>;
}

const PAUSES: Pauses = { firstMs: 250, longestMs: 30_000 };
const STOPPED = "Baton stopped before it was fetched";

export class Arrivals {
  readonly #setting: ArrivalsSetting;
  #isOver = false;
  /** Messages that are being received, or have not joined yet. */
  readonly #open = new Set<string>();
  readonly #waiting = new Set<WaitingMessage>();

  constructor(setting: ArrivalsSetting) {
    this.#setting = setting;
  }

  /** True if it joins its lane by itself. */
  has(item: InboxItem): boolean {
    if (this.#find(item)) return true;
    return !item.made && this.#open.has(nameOf(item, item));
  }

  /** For a message that was just moved to another lane; true if it joins that by itself, with its files. */
  follow(item: InboxItem): boolean {
    const waiting = this.#find(item);
    if (!waiting || (waiting.joining && waiting.joining.id < item.id)) return false;
    waiting.item = item;
    return true;
  }

  /** The same message, whether it was moved or not. */
  #find({ id, made, messageId }: InboxItem): WaitingMessage | undefined {
    const was = made === "moved" ? Number(messageId) : id;
    return [...this.#waiting].find(({ item }) => item.id === id || item.id === was);
  }

  /** Receives a message; a new one joins its lane, at once unless it waits for files. */
  async receive(account: Account, message: InboundMessage, enter: () => Promise<Entered>): Promise<Entered> {
    const name = nameOf(account, message);
    const isFirst = !this.#open.has(name); // The same message again, while its files are downloaded, ends nothing.
    this.#open.add(name);
    const entered = enter();
    const joined = entered.then((what) => this.#arrive(what));
    const over = (): void => void (isFirst && this.#open.delete(name));
    joined.then(({ later }) => later ?? undefined).then(over, over);
    await joined;
    return entered;
  }

  /** For a message that another process left; true if it joins its lane by itself, perhaps with files to fetch before. */
  takeOn(item: InboxItem): boolean {
    if (this.has(item)) return true;
    const { media, runner } = this.#setting;
    const { awaited } = item;
    if (!media || (!awaited && !this.#isAwaited(item.key))) return false;
    const work = awaited ? (end: AbortSignal) => this.#fetchLeft(media, item, end) : null;
    this.#wait(item, work, async (whole) => runner.queue(whole));
    return true;
  }

  /** Settles when the messages that belong to this one have joined; null if none is on its way. */
  expected(item: InboxItem): Promise<void> | null {
    const momentMs = momentOf(this.#setting.busy);
    let last = item;
    const more: WaitingMessage[] = [];
    for (const waiting of this.#waiting) {
      if (!belongs(last, waiting.item, momentMs)) continue;
      more.push(waiting);
      last = waiting.item;
    }
    return more.length === 0 ? null : Promise.all(more.map(({ over }) => over)).then(() => {});
  }

  /** Waits until all have joined, or all of one lane. */
  async idle(key?: SessionKey): Promise<void> {
    const waiting = [...this.#waiting].filter(({ item }) => key === undefined || item.key === key);
    await Promise.all(waiting.map(({ over }) => over));
  }

  /** Waits no longer, for files or the store: what is missing stays missing, and the next process continues. */
  giveUp(): void {
    this.#isOver = true;
    for (const waiting of this.#waiting) waiting.giveUp();
  }

  /**
   * Drops what waits in a lane for this process: nobody fetches the files of that any more. Other files come. What could not
   * be dropped is answered.
   */
  async drop(key: SessionKey, what: "everything" | "written"): Promise<readonly InboxItem[]> {
    const { inbox, holder, clock, onProblem } = this.#setting;
    const dropped: InboxItem[] = [];
    for (const item of await inbox.waitingIn(key)) {
      if (what === "written" && item.made !== undefined) continue;
      try {
        if (await inbox.skip(item.id, holder, [], clock())) dropped.push(item);
      } catch (error) {
        onProblem(`Could not cancel a message that waits: ${(error as Error).message}`, { cause: error });
      }
    }
    for (const item of dropped) this.#find(item)?.giveUp();
    return dropped;
  }

  /** `later`: settles when it joins its lane, if not at once. */
  async #arrive(entered: Entered): Promise<{ readonly later?: Promise<void> }> {
    const { media, runner } = this.#setting;
    if (entered.kind !== "new" || entered.item.kind !== "message") return {};
    const { item, who, files } = entered;
    if (!media || (files.length === 0 && !this.#isAwaited(item.key))) {
      await runner.join(item, who);
      return {};
    }
    const work = files.length === 0 ? null : (end: AbortSignal) => this.#fetch(media, files, who, end);
    return { later: this.#wait(item, work, (whole) => runner.join(whole, who)) };
  }

  #wait(
    item: InboxItem,
    work: ((end: AbortSignal) => Promise<Fetched | null>) | null,
    join: WaitingMessage["join"],
  ): Promise<void> {
    const ending = new AbortController();
    const giveUp = (): void => ending.abort();
    if (this.#isOver) giveUp();
    const end = ending.signal;
    const fetch = work && this.#fetcher(() => work(end));
    const waiting: WaitingMessage = { item, fetch, join, end, giveUp, over: Promise.resolve() };
    this.#waiting.add(waiting);
    waiting.over = this.#untilJoined(waiting).finally(() => this.#waiting.delete(waiting));
    return waiting.over;
  }

  /** Waits until every earlier message of its lane has joined, even if it changes lanes meanwhile. */
  async #turnOf(waiting: WaitingMessage): Promise<void> {
    for (const other of this.#waiting) {
      if (other === waiting) return;
      if (other.item.key === waiting.item.key) {
        await other.over;
        return this.#turnOf(waiting);
      }
    }
  }

  #isAwaited(key: SessionKey): boolean {
    return [...this.#waiting].some(({ item }) => item.key === key);
  }

  /** Starts at once, whatever its lane waits for. If the store made it fail, it starts again when it is needed. */
  #fetcher<Result>(work: () => Promise<Result>): () => Promise<Result> {
    const fetch = (): Promise<Result> => {
      const taking = work();
      taking.catch(() => {}); // The caller gets the error.
      return taking;
    };
    let taking = fetch();
    return () =>
      taking.catch((error: Error) => {
        taking = fetch();
        throw error;
      });
  }

  /** The time for its files starts when the files of the person's earlier messages are there. */
  async #fetch(media: Media, files: readonly RemoteFile[], who: Who, end: AbortSignal): Promise<Fetched> {
    const room = await this.#setting.allowance.media(who, files.length * MAX_BYTES);
    const patience = media.patience();
    const stop = (): void => patience.end(STOPPED);
    end.addEventListener("abort", stop);
    if (end.aborted) stop();
    let used = 0;
    try {
      const taken = await media.take(files, { room, patience });
      used = taken.attachments.reduce((sum, { size = 0 }) => sum + size, 0);
      return { ...taken, ...(await this.#read(taken, end)) };
    } finally {
      end.removeEventListener("abort", stop);
      await room.settle(used).catch(() => {}); // The store failed: the reserved bytes count until midnight.
    }
  }

  /** What another process did not fetch. Its sender may have lost their access since. */
  async #fetchLeft(media: Media, item: InboxItem, end: AbortSignal): Promise<Fetched | null> {
    const author = await this.#setting.requests.authorOf(item);
    const files = author.allowed ? await filesLeft(this.#setting, item, end) : null;
    return author.allowed && files ? this.#fetch(media, files, author, end) : null;
  }

  async #read({ attachments }: Taken, end: AbortSignal): Promise<ReadFiles> {
    const { texts } = this.#setting;
    return (await texts?.in(attachments, end)) ?? { attachments, unheard: null, cut: [] };
  }

  /** Tries until it has joined, or nobody waits any more: it was cancelled, or the next process continues. */
  async #untilJoined(waiting: WaitingMessage): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#complete(waiting);
      } catch (error) {
        const { message } = error as Error;
        this.#setting.onProblem(`Could not save the files of a message: ${message}`, { cause: error });
        if (waiting.end.aborted) return;
        await pause(backoff(attempt + 1, PAUSES), waiting.end);
      }
    }
  }

  async #complete(waiting: WaitingMessage): Promise<void> {
    const { inbox, media, holder } = this.#setting;
    const fetched = (await waiting.fetch?.()) ?? null;
    const { attachments = [], unheard = null, missing, cut = [] } = fetched ?? {};
    await this.#turnOf(waiting);
    const lacks = missing ?? waiting.item.missing ?? [];
    const isLeft = waiting.end.aborted && waiting.item.awaited && lacks.length > 0;
    if (isLeft) return await media?.forget(attachments); // The next process fetches all of them.
    // What was not fetched here stays as the store has it: the item may be older than that.
    const complete = await inbox.complete(waiting.item.id, holder, fetched);
    if (!complete) return await media?.forget(attachments); // It has been answered without them.
    // A message that was moved after its files were saved has them, too.
    waiting.joining = waiting.item.id > complete.id ? waiting.item : complete;
    if (fetched && waiting.item.platform === LOCAL) this.#tellHere(lacks, cut);
    if (unheard !== null && isUnheard(waiting.joining))
      await tellUnheard(this.#setting, waiting.joining, unheard);
    else await waiting.join(waiting.joining);
  }

  /** The person at this machine learns at once what the model does not get. In a chat, the agent says so. */
  #tellHere(missing: readonly string[], cut: readonly string[]): void {
    for (const file of missing) this.#setting.onProblem(`Not sent to the model: ${file}.`);
    for (const sentence of cut) this.#setting.onProblem(sentence);
  }
}

function nameOf(
  { platform, account }: Account,
  { source, messageId }: Pick<InboxItem, "source" | "messageId">,
): string {
  return JSON.stringify([platform, account, source.chatId, messageId]);
}
