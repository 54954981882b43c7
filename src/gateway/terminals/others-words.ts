/** What other processes say in a session while this one shows it: another terminal, or a script. */
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
  readonly onProblem: OnProblem;
}

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
    if (sessionId === null) return;
    if (isFresh) {
      this.#through = 0;
      return this.#looks.wake();
    }
    const { seqs } = await this.#setting.sessions.recent(sessionId, { maxMessages: 1 });
    if (this.#sessionId === sessionId) this.#through = seqs.at(-1) ?? 0;
  }

  /** Something was committed. */
  hear(fact: Fact): void {
    if (fact.kind === "messages") this.#added(fact);
    const isElsewhere = fact.kind === "elsewhere" && fact.sessionId === this.#sessionId;
    if (fact.kind !== "unknown" && !isElsewhere) return;
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
  }

  #isOwn(seq: number): boolean {
    return this.#own.some(({ first, last }) => first <= seq && seq <= last);
  }
}
