/** Puts something of everything that the page shows into the world of the access oracle, each with a word of its own. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chatOfIdentity } from "../../src/adapter/web/web-source.js";
import { STATE } from "../../src/gateway/connection.js";
import type { NewDelivery } from "../../src/gateway/delivery.js";
import type { Job } from "../../src/schedule/job.js";
import { type DeliveryId, newProcessId, newTurnId } from "../../src/session/ids.js";
import { addressOf, formatAddress } from "../../src/session/source.js";
import { type Account, type Kept, marksIn, type Spot } from "./access-books.js";
import { type AccessWorld, HERE, saying } from "./access-world.js";
import type { PageProcess } from "./page-processes.js";
import type { PageWords } from "./page-words.js";

const LOG_LINES = 20;
/** Of the one who asks for access. */
export const ASKING = "telegram:stranger";
const ASKS_FOR_MS = 100 * 86_400_000;
/** The posts that everybody has in their chat in the page, by their threads. */
const POSTS = [null, null, "thread-0001"];
export const POST_COUNT = POSTS.length;

export class PageThings {
  readonly files: { readonly kept: Kept; readonly seq: number }[] = [];
  readonly processes: PageProcess[] = [];
  /** Lanes in which something goes on that nothing else must disturb. */
  readonly busy = new Set<Spot["lane"]>();
  readonly #access: AccessWorld;
  readonly #words: PageWords;
  readonly #folder: string;

  constructor(access: AccessWorld, words: PageWords, folder: string) {
    this.#access = access;
    this.#words = words;
    this.#folder = folder;
  }

  /** `seats`: everybody's chat in the page. */
  async fill(seats: readonly Spot[]): Promise<void> {
    const { books, sessions, store, spots, chance } = this.#bound();
    for (const kept of books.sessions)
      if (kept.title === null)
        await sessions.setTitle(kept.id, `Plan ${this.#words.inSession(kept, "title")}`);
    for (const kept of books.sessions) if (chance(0.3)) await this.#file(kept);
    for (const { account } of seats) await this.#posts(account);
    for (const job of await store.jobs.list(null)) await this.#job(job);
    for (const kept of books.sessions) if (chance(0.4)) this.#process(kept, seats);
    const present = books.sessions.filter(({ lane }) => lane.current !== null);
    for (const [n, kept] of present.entries()) {
      if (n % 7 === 0) await this.#handoff(kept);
      if (n % 7 === 1) await this.#turn(kept);
      if (n % 3 === 2) await this.#letters(kept);
    }
    for (const spot of spots) if (chance(0.5)) await this.#waits(spot);
    await this.#ofTheGateway();
  }

  #bound() {
    const { books, sessions, store, spots } = this.#access;
    return { books, sessions, store, spots, chance: (share: number) => this.#access.chance(share) };
  }

  /** A message with a file, the file's name and its content. */
  async #file(kept: Kept): Promise<void> {
    const { books, sessions, now } = this.#access;
    const mark = books.mark();
    books.say(kept, { mark, by: "user", at: now });
    const said = books.said.at(-1);
    const mayRead = (account: Account) => this.#words.maySee(account, kept) && said?.superseded === false;
    const file = this.#newFile(this.#words.word("file", mayRead));
    const name = this.#words.word("name of a file", mayRead);
    const attachments = [{ file, mediaType: "text/plain", name, size: 10 }];
    await sessions.append(kept.id, { role: "user", content: saying(mark), attachments });
    this.files.push({ kept, seq: kept.nextSeq - 1 });
  }

  #newFile(content: string): string {
    const file = randomBytes(16).toString("hex");
    writeFileSync(join(this.#folder, "media", file), content);
    return file;
  }

  /** What Baton said in the page, with files: to that account alone. */
  async #posts(account: Account): Promise<void> {
    const { store, now } = this.#access;
    const chat = chatOfIdentity(this.#access.identity(account));
    const own = (kind: string) => this.#words.word(kind, (other) => other === account);
    for (const thread of POSTS) {
      const file = { file: this.#newFile(own("file of a post")), mediaType: "text/plain", size: 10 };
      const files = [{ ...file, name: own("name of a post's file") }];
      const buttons = [{ label: own("button"), command: "/help" }];
      const said = { deliveryId: randomBytes(8).toString("hex"), thread, text: own("post") };
      await store.posts.add(chat, { ...said, purpose: "notice", buttons, files, transcript: null }, now);
    }
  }

  /** What its person wrote, and what came of it. */
  async #job({ id, prompt }: Job): Promise<void> {
    const { books, db, now } = this.#access;
    const job = books.jobs.find((each) => each.id === id);
    if (!job) throw new Error("Nobody knows of this job.");
    const isTheirs = (other: Account) => books.isSame(job.account, other) && other.role !== "guest";
    for (const mark of marksIn(prompt ?? "")) this.#words.know(mark, "job", isTheirs);
    for (const [n, state] of ["done", "failed"].entries()) {
      const [said, error] = [this.#words.word("result", isTheirs), this.#words.word("failure", isTheirs)];
      await db.run(
        "INSERT INTO job_runs (job_id, scheduled_for, state, said, error, made_at) VALUES (?, ?, ?, ?, ?, ?)",
        ...[id, now - n, state, said, error, now - n],
      );
    }
  }

  /** Somebody who may see that conversation had it started. */
  #process(kept: Kept, seats: readonly Spot[]): void {
    const seers = seats.filter(({ account }) => !account.only && this.#words.maySee(account, kept));
    if (seers.length === 0) return;
    const { account: starter, source: by } = this.#access.pick(seers);
    const isTheirs = (account: Account) =>
      this.#access.books.isSame(account, starter) && account.role !== "guest";
    const said = this.#words.word(
      "process",
      (account) => isTheirs(account) && this.#words.maySee(account, kept),
    );
    this.processes.push({ id: newProcessId(), starter, by, kept, said });
  }

  async #handoff(kept: Kept): Promise<void> {
    const { sessions, db } = this.#access;
    if ((await sessions.get(kept.id))?.endedAt !== null) return; // A branch with which nobody has gone on.
    const { id } = await sessions.requestHandoff(kept.id, "nowhere");
    await db.run("UPDATE handoffs SET error = ? WHERE id = ?", this.#words.inSession(kept, "handoff"), id);
    this.busy.add(kept.lane);
  }

  /** A turn that runs. */
  async #turn(kept: Kept): Promise<void> {
    const { spots, sessions, db, now } = this.#access;
    const spot = spots.find(({ lane }) => lane === kept.lane);
    if (!spot || this.busy.has(kept.lane)) return;
    const inboxId = await this.#waits(spot);
    const { key } = sessions.laneOf(spot.source);
    const address = formatAddress(addressOf(spot.source));
    await db.run("UPDATE inbox SET state = 'running' WHERE id = ?", inboxId);
    await db.run(
      `INSERT INTO turns (id, inbox_id, session_id, key, address, state, owner, lease_until, fence, attempt, started_at)
       VALUES (?, ?, ?, ?, ?, 'running', 'test', ?, 1, 1, ?)`,
      ...[newTurnId(), inboxId, kept.id, key, address, now + 1e9, now],
    );
    this.busy.add(kept.lane);
  }

  /** Something that somebody wrote and that nobody has answered. */
  async #waits({ account, source }: Spot): Promise<number> {
    const { store, sessions, now } = this.#access;
    const text = saying(this.#words.of(account, "what waits"));
    const messageId = randomBytes(16).toString("base64url");
    const { key } = sessions.laneOf(source);
    const of = { platform: source.platform, account: "bot", kind: "message", key, source } as const;
    const item = await store.inbox.accept({ ...of, messageId, text }, "test", now);
    if (!item) throw new Error("It was not accepted.");
    return item.id;
  }

  /** Not sent yet, failed and in doubt. Only owners see them, and not all of the words. */
  async #letters(kept: Kept): Promise<void> {
    const { spots, store, db, now } = this.#access;
    const spot = spots.find(({ lane }) => lane === kept.lane);
    if (!spot) return;
    for (const state of ["pending", "failed", "unknown"]) {
      const deliveryId = randomBytes(8).toString("hex") as DeliveryId;
      const where = { account: "bot", holder: "", address: addressOf(spot.source) };
      const letter = {
        deliveryId,
        ...where,
        purpose: "notice",
        shown: false,
        ...this.#letter(kept, spot),
      } as const;
      await store.outbox.add([letter], now);
      await db.run("UPDATE outbox SET state = ? WHERE delivery_id = ?", state, deliveryId);
    }
  }

  /**
   * Of the conversation, or of none: then it is for whoever has the lane, and all of a chat are nobody by name. In a chat in
   * which each has a conversation of their own, all would have read it.
   */
  #letter(kept: Kept, { kind }: Spot): Pick<NewDelivery, "sessionId" | "text"> {
    const { of } = kept.lane;
    if (kind === "own" || this.#access.chance(0.7))
      return { sessionId: kept.id, text: this.#words.inSession(kept, "letter") };
    const text = "account" in of ? this.#words.of(of.account, "notice") : this.#words.forOperator("notice");
    return { sessionId: null, text };
  }

  /** What those see who look after it. */
  async #ofTheGateway(): Promise<void> {
    const { store, now, people } = this.#access;
    const word = (kind: string) => this.#words.forOwners(kind);
    const time = new Date(now).toISOString();
    const line = () => JSON.stringify({ time, level: "warn", by: "gateway", pid: 1, msg: word("log") });
    const log = Array.from({ length: LOG_LINES }, () => `${line()}\n`).join("");
    writeFileSync(join(this.#folder, "logs", "baton.log"), log);
    await store.work.begin({ what: word("work"), unit: "sessions", total: null }, "test", now);
    const state = { state: { kind: "idle" }, lastError: word("platform") };
    await store.accounts.write({ platform: HERE, account: "bot" }, STATE, JSON.stringify(state));
    const asks = { identity: ASKING, platform: HERE, called: word("who asks"), codeHash: "x" };
    if ((await people.store.ask({ ...asks, expiresAt: now + ASKS_FOR_MS }, now)) !== "asked")
      throw new Error("Nobody asks.");
  }
}
