/**
 * What other processes say in a session while this one shows it, another terminal or a script, and whether one of them
 * answers there now.
 */
import type { SessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import type { StoredMessage } from "../../session/transcript.js";
import { Looks } from "../../util/looks.js";
import type { OnProblem } from "../../util/problem.js";
import type { Fact } from "../facts.js";

export interface OthersWordsSetting {
  readonly sessions: Pick<Sessions, "pages" | "recent">;
  /** In order, each once. */
  readonly onWords: (messages: readonly StoredMessage[]) => void;
  /** Whether the turn of this session runs in another process. */
  readonly isAtWork: (sessionId: SessionId) => Promise<boolean>;
  /** It has begun, after the words that it answers were told; or it is over, after its answer was. */
  readonly onAtWork: (isAtWork: boolean) => void;
  readonly onProblem: OnProblem;
}

/** How soon it is noticed that a process has ended in the middle of an answer: that is no commit. */
const AGAIN_MS = 5_000;

type OwnMessages = Extract<Fact, { kind: "messages" }>;

export class OthersWords {
  readonly #setting: OthersWordsSetting;
  readonly #looks = new Looks(
    () => this.#look(),
    () => !this.#isStopped,
  );
  #sessionId: SessionId | null = null;
  /** The last message that is known. */
  #through = Number.POSITIVE_INFINITY;
  /** What this process added, and has not come to yet. */
  #own: OwnMessages[] = [];
  #isAtWork = false;
  #isStopped = false;

  constructor(setting: OthersWordsSetting) {
    this.#setting = setting;
  }

  /** From now on it is this session. What it has already is known, unless it began while there was none. */
  async follow(sessionId: SessionId | null, isFresh = false): Promise<void> {
    if (sessionId === this.#sessionId) return;
    const began = this.#own.filter((own) => isFresh && own.sessionId === sessionId);
    this.#sessionId = sessionId;
    this.#own = began;
    this.#through = Number.POSITIVE_INFINITY;
    this.#tell(false);
    if (sessionId === null) return;
    if (isFresh) {
      this.#through = 0;
      return this.#looks.wake();
    }
    const { seqs } = await this.#setting.sessions.recent(sessionId, { maxMessages: 1 });
    if (this.#sessionId !== sessionId) return;
    this.#through = seqs.at(-1) ?? 0;
    await this.#looks.wake(); // Somebody may be at work there.
  }

  /** Something was committed. */
  hear(fact: Fact): void {
    if (fact.kind === "messages") this.#added(fact);
    const isHere = "sessionId" in fact && fact.sessionId === this.#sessionId;
    // If another process was at work, this one may have taken that over.
    const isNews = isHere && (fact.kind === "elsewhere" || this.#isAtWork);
    if (fact.kind !== "unknown" && !isNews) return;
    this.#looks.wake().catch((cause: Error) => {
      this.#setting.onProblem(`Can't read what other terminals say: ${cause.message}`, { cause });
      this.#looks.wakeAfter(1_000);
    });
  }

  #added(own: OwnMessages): void {
    if (this.#sessionId !== null && own.sessionId !== this.#sessionId) return;
    if (own.first === this.#through + 1) this.#through = own.last;
    else this.#own.push(own);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looks.stop();
  }

  async #look(): Promise<void> {
    const sessionId = this.#sessionId;
    if (sessionId === null || this.#through === Number.POSITIVE_INFINITY) return;
    const heard: StoredMessage[] = [];
    for await (const page of this.#setting.sessions.pages(sessionId, { afterSeq: this.#through })) {
      await new Promise(setImmediate); // What this process committed has been told by now.
      if (this.#sessionId !== sessionId) return;
      heard.push(...page.filter(({ seq }) => seq > this.#through && !this.#isOwn(seq)));
      this.#through = Math.max(this.#through, page.at(-1)?.seq ?? 0);
    }
    this.#own = this.#own.filter(({ last }) => last > this.#through);
    if (heard.length > 0) this.#setting.onWords(heard);
    const isAtWork = await this.#setting.isAtWork(sessionId);
    if (this.#sessionId !== sessionId) return;
    this.#tell(isAtWork);
    if (isAtWork) this.#looks.wakeAfter(AGAIN_MS);
  }

  #tell(isAtWork: boolean): void {
    if (isAtWork === this.#isAtWork) return;
    this.#isAtWork = isAtWork;
    this.#setting.onAtWork(isAtWork);
  }

  #isOwn(seq: number): boolean {
    return this.#own.some(({ first, last }) => first <= seq && seq <= last);
  }
}
