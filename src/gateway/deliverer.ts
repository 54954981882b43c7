/**
 * Sends what is in the outbox: one message at a time within a chat, in order; chats side by side. It writes `sending`
 * before the call and the outcome after it, and sends nothing more to that chat in between. A message that may or may
 * not have arrived is `unknown`, and is never blindly sent again.
 */

import { type FoundMessage, type Letter, type LocalFile, SendError } from "../adapter/adapter.js";
import { pause } from "../adapter/http-call.js";
import type { DeliveryId } from "../session/ids.js";
import { formatAddress } from "../session/source.js";
import type { Attachment } from "../session/transcript.js";
import { backoff, type Pauses } from "../util/backoff.js";
import type { Clock } from "../util/clock.js";
import { hasLeft } from "../util/holder.js";
import { Looks } from "../util/looks.js";
import type { OnProblem, ProblemDetails } from "../util/problem.js";
import { cleanLine } from "../util/text.js";
import { type Beginning, type BegunMessage, post } from "./beginning.js";
import { doubtOf } from "./doubt.js";
import { isMissed } from "./failed-answer.js";
import { letterOf } from "./letter-of.js";
import { found, type LookUpSetting, lookedUp } from "./look-up.js";
import { Outage } from "./outage.js";
import { failedOutcome, type SendOutcome, type SendTries } from "./send-outcome.js";
import type { Delivery, Outbox } from "./store.js";
import { type Surface, speakerOf } from "./surface.js";

const PAGE = 200;
/** Between two attempts to write an outcome: soon, then less often. */
const PAUSES: Pauses = { firstMs: 50, longestMs: 5_000 };
/** A connection that just broke would likely break again, and take the sentence about it along. */
const AFTER_UNKNOWN_MS = 1_000;

export class Deliverer {
  readonly #surface: Surface;
  readonly #outbox: Outbox;
  readonly #holder: string;
  readonly #clock: Clock;
  readonly #steady: Clock;
  readonly #onProblem: OnProblem;
  readonly #isReady: () => boolean;
  readonly #findFile: (file: Attachment) => Promise<LocalFile | null>;
  readonly #giveUpAfterMs: number;
  readonly #pause: typeof pause;
  readonly #onFailed: (delivery: Delivery) => void;
  readonly #outage = new Outage();
  readonly #chats = new Map<string, Promise<void>>();
  /** What is being sent here, by outbox number. */
  readonly #inHand = new Set<number>();
  /** The beginnings of replies that this process already shows, by delivery id. */
  readonly #beginnings = new Map<string, Beginning>();
  /** The outbox may say `sending` for something that this process does not know it is sending. */
  #isUnsure = false;
  readonly #looks = new Looks(
    () => this.#look(),
    () => !this.isStopped && this.#isReady(),
  );
  readonly #stopping = new AbortController();

  constructor(options: {
    surface: Surface;
    outbox: Outbox;
    holder: string;
    clock: Clock;
    /** For waits: nobody can set it. */
    steady: Clock;
    onProblem: OnProblem;
    /** False while the platform can't be reached: then nothing is tried. */
    isReady: () => boolean;
    /** Null if the file no longer exists. */
    findFile: (file: Attachment) => Promise<LocalFile | null>;
    /** How long a message waits for a platform that can't be reached. */
    giveUpAfterMs: number;
    /** It could not be sent and will not be. Must not throw. */
    onFailed: (delivery: Delivery) => void;
    pause?: typeof pause;
  }) {
    this.#surface = options.surface;
    this.#outbox = options.outbox;
    this.#holder = options.holder;
    this.#clock = options.clock;
    this.#steady = options.steady;
    this.#onProblem = options.onProblem;
    this.#isReady = options.isReady;
    this.#findFile = options.findFile;
    this.#giveUpAfterMs = options.giveUpAfterMs;
    this.#onFailed = options.onFailed;
    this.#pause = options.pause ?? pause;
  }

  /**
   * Looks at what another process was sending when it ended: the platform may know whether it arrived. Until it says so,
   * nothing else goes to that chat. What this process was about to send without knowing it did not reach the platform.
   */
  async recover(): Promise<void> {
    if (!this.#isReady() || !this.#surface.speaker) return; // It is called again when the platform is reached.
    await this.#putBack();
    const left = (await this.#outbox.interrupted(this.#surface)).filter((delivery) =>
      this.#hasLeft(delivery),
    );
    this.#inEachChat(left, (deliveries) => this.#reconcileAll(deliveries));
  }

  async #putBack(): Promise<void> {
    const before = new Set(this.#inHand);
    for (const delivery of await this.#outbox.interrupted(this.#surface)) {
      const isInHand = before.has(delivery.id) || this.#inHand.has(delivery.id);
      if (delivery.holder === this.#holder && !isInHand)
        await this.#outbox.retry(delivery, 0, "the store did not confirm that sending began", this.#steady());
    }
  }

  #hasLeft({ holder }: Pick<Delivery, "holder">): boolean {
    return hasLeft(holder, this.#holder, this.#surface.capabilities.shared !== true);
  }

  async #reconcileAll(deliveries: readonly Delivery[]): Promise<boolean> {
    for (const delivery of deliveries) await this.#reconcile(delivery);
    return !this.isStopped;
  }

  async #reconcile(delivery: Delivery): Promise<void> {
    const { capabilities } = this.#surface;
    const there = capabilities.idempotent ? "not there" : await this.#find(delivery);
    const ended = "the process ended while it was being sent";
    if (this.isStopped) return; // The next process asks again.
    if (there === null) {
      const doubt = doubtOf(delivery, this.#holder);
      await this.#outbox.doubt(delivery, ended, doubt, this.#clock());
      this.#report(delivery, { kind: "unknown", error: ended });
    } else if (there === "not there") await this.#outbox.retry(delivery, 0, ended, this.#steady());
    else await this.#outbox.sent(delivery, there.messageId, this.#clock());
  }

  async #find(delivery: Delivery): Promise<FoundMessage> {
    const letter = await this.#outbound(delivery).catch(() => null); // A file of it is gone.
    return letter && found(this.#surface, letter, this.#lookUp(delivery));
  }

  #lookUp(delivery: Delivery): LookUpSetting {
    return {
      tried: () => this.#tried(delivery),
      pause: (ms) => this.#pause(ms, this.#stopping.signal),
      isStopped: () => this.isStopped,
    };
  }

  /** There is a new line to the platform, so it is not down. */
  reached(): void {
    this.#outage.answered();
  }

  /** The reply with that id, once it is in the outbox, completes a message that shows its beginning. */
  goOnWith(deliveryId: DeliveryId, beginning: Beginning): void {
    this.#beginnings.set(deliveryId, beginning);
  }

  /** These were removed from the outbox. */
  dropped(deliveryIds: readonly DeliveryId[]): void {
    for (const deliveryId of deliveryIds) this.#settle(deliveryId);
  }

  /** Something may be waiting. However often this is called while the outbox is being read, it is read once more. */
  wake(): Promise<void> {
    return this.#looks.wake();
  }

  async #look(): Promise<void> {
    if (this.#isUnsure) await this.#makeSure();
    if (this.#isHeldUp()) return;
    const mine = await this.#mine();
    const tried = this.#outage.isDown ? mine.slice(0, 1) : mine;
    this.#inEachChat(tried, (deliveries) => this.#sendAll(deliveries));
  }

  /** One after another in each chat. A chat that is being served looks again when it is done. */
  #inEachChat(all: readonly Delivery[], work: (deliveries: readonly Delivery[]) => Promise<boolean>): void {
    for (const chat of new Set(all.map(chatOf)))
      if (!this.#chats.has(chat)) {
        const deliveries = all.filter((delivery) => chatOf(delivery) === chat);
        this.#chats.set(chat, this.#serve(chat, work(deliveries)));
      }
  }

  /** True while the platform is down and it is not time to try it, or something is being tried. */
  #isHeldUp(): boolean {
    const waitMs = this.#outage.waitMs(this.#steady());
    if (waitMs > 0) this.#later(waitMs);
    return waitMs > 0 || (this.#outage.isDown && this.#chats.size > 0);
  }

  /**
   * Puts back what the outbox says this process is sending although it is not, so that nothing overtakes it. What other
   * processes send is left alone: they may have the account by now.
   */
  async #makeSure(): Promise<void> {
    this.#isUnsure = false;
    try {
      await this.#putBack();
    } catch (error) {
      this.#isUnsure = true;
      throw error;
    }
  }

  /** What this process must send, or what a process that ended had to. */
  async #mine(): Promise<Delivery[]> {
    const now = this.#steady();
    const due = await this.#outbox.nextDue(this.#surface, now);
    if (due !== null) this.#later(due - now);
    // A script would show the result of a job to nobody.
    const which = this.#surface.capabilities.isUnattended ? "no job results" : "all";
    const pending = await this.#outbox.pending(this.#surface, PAGE, now, which);
    return pending.filter(({ holder }) => holder === this.#holder || this.#hasLeft({ holder }));
  }

  /** `work` says whether it may continue at once. */
  async #serve(chat: string, work: Promise<boolean>): Promise<void> {
    let goOn = false;
    try {
      goOn = await work;
    } catch (error) {
      this.#onProblem(`Can't continue with the outbox: ${(error as Error).message}`, { cause: error });
      this.#later(1_000);
    }
    this.#chats.delete(chat);
    if (goOn) await this.#wakeAgain();
  }

  /** Waits until nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#chats.size > 0) await Promise.all(this.#chats.values());
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looks.stop();
    await this.idle();
  }

  /** True if it may continue at once. */
  async #sendAll(deliveries: readonly Delivery[]): Promise<boolean> {
    for (const delivery of deliveries) {
      if (this.isStopped || !this.#isReady()) return false;
      const waitMs = this.#outage.waitMs(this.#steady());
      if (waitMs > 0) return this.#later(waitMs);
      const begun = (await this.#beginnings.get(delivery.deliveryId)?.message) ?? null;
      this.#inHand.add(delivery.id);
      try {
        if (!(await this.#begin(delivery))) return this.#later(PAUSES.firstMs);
        const again = await this.#send(delivery, begun);
        if (!again) return false;
      } finally {
        this.#inHand.delete(delivery.id);
      }
    }
    return true;
  }

  /** False if it was dropped, belongs to another process, or was begun without our knowledge: the next look finds out. */
  async #begin({ id }: Delivery): Promise<boolean> {
    let isBegun = false;
    try {
      isBegun = await this.#outbox.sending(id, this.#holder);
      return isBegun;
    } finally {
      if (!isBegun) this.#isUnsure = true;
    }
  }

  async #send(delivery: Delivery, begun: BegunMessage | null): Promise<boolean> {
    const outcome = await this.#call(delivery, begun);
    const at = this.#steady();
    await this.#keep(delivery, () => this.#write(delivery, outcome, at));
    if (outcome.kind === "later") return this.#later(at + outcome.waitMs - this.#steady());
    this.#settle(delivery.deliveryId);
    if (outcome.kind === "failed") this.#onFailed(delivery);
    if (outcome.kind !== "sent") this.#report(delivery, outcome);
    return outcome.kind === "unknown" ? this.#later(AFTER_UNKNOWN_MS) : true;
  }

  #report(delivery: Delivery, { kind, error }: { kind: "failed" | "unknown"; error: string }): void {
    const what = kind === "failed" ? "was not sent" : "may not have arrived (unknown)";
    this.#onProblem(`A message to ${formatAddress(delivery.address)} ${what}: ${error}`, about(delivery));
  }

  async #call(delivery: Delivery, begun: BegunMessage | null): Promise<SendOutcome> {
    let letter: Letter | null = null;
    try {
      letter = await this.#outbound(delivery);
      const { messageId } = await post(await speakerOf(this.#surface), letter, begun);
      this.#outage.answered();
      return { kind: "sent", messageId };
    } catch (error) {
      const outcome = failedOutcome(error, this.#tried(delivery));
      this.#notice(delivery, outcome, error);
      if (outcome.kind !== "unknown" || !letter) return outcome;
      return lookedUp(this.#surface, letter, outcome.error, this.#lookUp(delivery));
    }
  }

  /** A platform that asks for a pause, or refuses a message, is there. */
  #notice(delivery: Delivery, { kind }: SendOutcome, error: unknown): void {
    const isAnswer = error instanceof SendError && error.retryAfterMs !== undefined;
    if (kind === "failed" || isAnswer) this.#outage.answered();
    else this.#outage.failed(chatOf(delivery), this.#steady());
  }

  #tried({ attempts, createdAt }: Delivery): SendTries {
    return { attempts, ageMs: this.#clock() - createdAt, giveUpAfterMs: this.#giveUpAfterMs };
  }

  #write(delivery: Delivery, outcome: SendOutcome, at: number): Promise<void> {
    const which = { ...delivery, holder: this.#holder };
    switch (outcome.kind) {
      case "sent":
        return this.#outbox.sent(which, outcome.messageId, this.#clock());
      case "later":
        return this.#outbox.retry(which, outcome.waitMs, outcome.error, at);
      case "failed":
        return this.#outbox.fail(which, outcome.error, isMissed(delivery), this.#clock());
      case "unknown":
        return this.#outbox.doubt(which, outcome.error, doubtOf(delivery, this.#holder), this.#clock());
      default:
        return outcome satisfies never;
    }
  }

  /**
   * Tries until it is written, and once more when this process stops. Only this process knows the outcome of a send, so
   * a store that fails for a while must not turn it into a lost or doubtful message.
   */
  async #keep(delivery: Delivery, write: () => Promise<void>): Promise<void> {
    for (let failures = 0; ; failures++) {
      const isLast = this.isStopped;
      try {
        return await write();
      } catch (error) {
        if (isLast) throw error;
        if (failures === 0)
          this.#onProblem(
            `Can't save whether a message was sent. Baton keeps trying: ${(error as Error).message}`,
            { cause: error, ...about(delivery) },
          );
        await pause(backoff(failures + 1, PAUSES), this.#stopping.signal);
      }
    }
  }

  async #outbound(delivery: Delivery): Promise<Letter> {
    const files = delivery.files && (await Promise.all(delivery.files.map((file) => this.#fileOf(file))));
    return letterOf(delivery, files ?? null);
  }

  async #fileOf(file: Attachment): Promise<LocalFile> {
    const name = cleanLine(file.name ?? file.file);
    if (this.#surface.capabilities.maxFile === undefined)
      throw new SendError("permanent", `The file ${name} was not sent: this platform takes no files.`);
    const found = await this.#findFile(file);
    if (!found) throw new SendError("permanent", `The file ${name} no longer exists.`);
    return found;
  }

  #settle(deliveryId: DeliveryId): void {
    this.#beginnings.get(deliveryId)?.settle();
    this.#beginnings.delete(deliveryId);
  }

  async #wakeAgain(): Promise<void> {
    await this.wake().catch(() => this.#later(1_000));
  }

  /** Looks again after a while. */
  #later(ms: number): false {
    this.#looks.wakeAfter(ms);
    return false;
  }
}

/** The fields of the log that lead to this delivery. */
function about({ deliveryId, sessionId }: Delivery): ProblemDetails {
  return { delivery: deliveryId, ...(sessionId === null ? {} : { session: sessionId }) };
}

function chatOf({ address }: Delivery): string {
  return formatAddress({ platform: address.platform, chatId: address.chatId });
}
