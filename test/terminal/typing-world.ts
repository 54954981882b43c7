/**
 * Two terminals, scripts and a gateway with two chats on one store, as the oracle sees them: real processes, a model and
 * Telegram on loopback. What changes which conversation is where happens one after the other; lines are typed meanwhile.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { GatewayStore } from "../../src/gateway/store.js";
import { OWNER } from "../../src/index.js";
import { openStore } from "../../src/open-sessions.js";
import type { SessionId } from "../../src/session/ids.js";
import type { Sessions } from "../../src/session/sessions.js";
import { localSource } from "../../src/session/source.js";
import { makeHome } from "../support/baton.js";
import { ModelServer, type Reply, type SeenRequest } from "../support/model-server.js";
import { TelegramServer } from "../support/telegram-server.js";
import type { TypingChat } from "./typing-chat.js";
import {
  answerMark,
  answersIn,
  answerText,
  type Books,
  faults,
  type LineEnd,
  linesIn,
  lineText,
  type TypedLine,
} from "./typing-oracle.js";
import type { TypingTerminal } from "./typing-terminal.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const PATIENCE_MS = 120_000;
const LOOK_MS = 25;
export const CHAT_IDS = ["100001", "100002"] as const;

/** A conversation, as the people know it. */
export interface Conversation {
  readonly id: number;
  /** Known once a line of it was answered. */
  sessionId: SessionId | null;
}

export class TypingWorld {
  readonly terminals: TypingTerminal[] = [];
  readonly chats: TypingChat[] = [];
  readonly conversations: Conversation[] = [];
  readonly lines: TypedLine[] = [];
  readonly telegram: TelegramServer;
  readonly #screens: Books["screens"][number][] = [];
  readonly #requests: number[][] = [];
  readonly #hung = new Set<number>();
  readonly #found: string[] = [];
  readonly #counted = new Map<string, number>();
  readonly #model: ModelServer;
  readonly #home: string;
  readonly #sessions: Sessions;
  readonly #store: Pick<GatewayStore, "turns">;
  #gateway: ChildProcess | undefined;
  /** What begins in the lane of a plain `baton` while it is empty. */
  #next: Conversation | null = null;
  readonly #log: string[] = [];
  readonly #openedAt = performance.now();
  #moved: Promise<unknown> = Promise.resolve();
  readonly #unmoved = new Set<Promise<unknown>>();

  static async open(): Promise<TypingWorld> {
    const [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start()]);
    const home = makeHome();
    const config = {
      agent: { provider: "openai", baseUrl: model.url, model: "model-a", workdir: join(home, "..", "work") },
      memory: { titles: "words" },
      busy: { default: "queue", momentSeconds: 0 },
      people: { owners: { telegram: CHAT_IDS } },
      platforms: { telegram: { baseUrl: telegram.url } },
    };
    writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
    const world = new TypingWorld(telegram, model, home, await openStore({ url: join(home, "baton.db") }));
    for (const id of CHAT_IDS) // One person, who sees all their conversations everywhere.
      await once(world.spawn(["people", "link", `telegram:${id}`, "local:terminal"]), "close");
    world.#gateway = world.spawn(["gateway"]);
    world.#gateway.stdout?.resume(); // It writes on as long as somebody reads.
    world.#gateway.stderr?.resume();
    await telegram.until(() => telegram.menu.length > 0); // It is connected.
    return world;
  }

  private constructor(
    telegram: TelegramServer,
    model: ModelServer,
    home: string,
    { sessions, store }: Awaited<ReturnType<typeof openStore>>,
  ) {
    this.telegram = telegram;
    this.#model = model;
    this.#home = home;
    this.#sessions = sessions;
    this.#store = store;
    model.script = (request) => this.#answer(request);
  }

  get environment(): Record<string, string> {
    return {
      ...{ PATH: process.env.PATH ?? "", HOME: join(this.#home, ".."), BATON_HOME: this.#home },
      ...{ TELEGRAM_BOT_TOKEN: this.telegram.token, OPENAI_API_KEY: "sk-0123456789", TZ: "UTC" },
    };
  }

  /** A line for sh that runs Baton. */
  shell(words: readonly string[]): string {
    const set = Object.entries(this.environment).map(([name, value]) => `${name}='${value}'`);
    return `cd '${join(this.#home, "..", "work")}' && exec env ${set.join(" ")} '${process.execPath}' '${MAIN}' ${words.join(" ")}`;
  }

  spawn(words: readonly string[]): ChildProcess {
    return spawn(process.execPath, [MAIN, ...words], {
      cwd: join(this.#home, "..", "work"),
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  converse(): Conversation {
    const conversation = { id: this.conversations.length, sessionId: null };
    this.conversations.push(conversation);
    return conversation;
  }

  line(by: string, conversation: Conversation): TypedLine {
    const number = this.lines.length;
    const line = { number, by, conversation: conversation.id, end: null, askedAtEnd: 0, isAbandoned: false };
    this.lines.push(line);
    this.note(`${by} types line ${line.number}`, conversation);
    return line;
  }

  /** Its writer is done with it. */
  async end(line: TypedLine, end: LineEnd): Promise<void> {
    await fetch(`${this.#model.url}/models`); // What was asked before has come by now.
    line.askedAtEnd = this.asked(line);
    line.end = end;
    this.#write(`line ${line.number} of conversation ${line.conversation} was ${end}`);
    this.count(end);
  }

  asked({ number }: TypedLine): number {
    return this.#requests.filter((request) => request.at(-1) === number).length;
  }

  count(what: string): void {
    this.#counted.set(what, (this.#counted.get(what) ?? 0) + 1);
  }

  /** The session with this line. */
  async learn(conversation: Conversation, { number }: TypedLine): Promise<void> {
    await this.#find(conversation, [number], 20);
    if (conversation.sessionId === null) this.fault(`Line ${number} was answered, and no session has it.`);
  }

  /** The session of a conversation, if one of the latest has one of these lines. */
  async #find(conversation: Conversation, numbers: readonly number[], latest: number): Promise<void> {
    if (conversation.sessionId !== null || numbers.length === 0) return;
    const { items } = await this.#sessions.list({ limit: latest }, OWNER);
    for (const { sessionId } of items) {
      const said = (await this.#sessions.load(sessionId)).filter(({ role }) => role === "user");
      if (said.some(({ content }) => linesIn(content).some((number) => numbers.includes(number))))
        conversation.sessionId = sessionId;
    }
  }

  /** Its place is about to begin or resume another conversation. */
  abandon({ id }: Conversation): void {
    for (const line of this.lines) if (line.conversation === id && line.end === null) line.isAbandoned = true;
  }

  async isAnswered({ sessionId }: Conversation, { number }: TypedLine): Promise<boolean> {
    if (sessionId === null) return false;
    const messages = await this.#sessions.load(sessionId);
    return messages.some(({ role, content }) => role === "assistant" && answersIn(content).includes(number));
  }

  /** It was asked, and no answer to it is made any more. */
  async isOver({ sessionId }: Conversation, { number }: TypedLine): Promise<boolean> {
    if (sessionId === null) return false;
    const messages = await this.#sessions.load(sessionId);
    if (!messages.some(({ role, content }) => role === "user" && linesIn(content).includes(number)))
      return false;
    const running = await this.#store.turns.runningIn(sessionId, Date.now());
    return running === null || !linesIn(running.item.text).includes(number);
  }

  /** The conversation where a plain `baton` begins. While there is none, whoever writes there begins the same. */
  async usual(): Promise<Conversation> {
    const entry = await this.#sessions.current(this.#sessions.laneOf(localSource()).key);
    if (entry === null) {
      // A script that was stopped may have begun it, and it went elsewhere.
      const over = this.lines.filter(
        ({ conversation, end }) => conversation === this.#next?.id && end !== null,
      );
      if (this.#next)
        await this.#find(
          this.#next,
          over.map(({ number }) => number),
          200,
        );
      if (this.#next === null || this.#next.sessionId !== null) this.#next = this.converse();
      return this.#next;
    }
    const { sessionId } = entry;
    const known = this.conversations.find((each) => each.sessionId === sessionId);
    if (known) return known;
    // A script began it, and was ended before it could say which one it is.
    const [first] = (await this.#sessions.load(sessionId)).flatMap(({ content }) => linesIn(content));
    const begun = this.conversations[this.lines[first ?? -1]?.conversation ?? -1];
    if (!begun) throw new Error(`Nobody began ${sessionId}: ${this.#log.slice(-20).join("\n")}`);
    begun.sessionId ??= sessionId;
    return begun;
  }

  /** Changes which conversation is where; nobody else does meanwhile. */
  move<Result>(work: () => Promise<Result>): Promise<Result> {
    const moved = Promise.allSettled([this.#moved, ...this.#unmoved]).then(work);
    this.#moved = moved;
    return moved;
  }

  /** Nothing moves meanwhile. */
  async unmoved<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = Promise.allSettled([this.#moved]).then(work);
    this.#unmoved.add(working);
    try {
      return await working;
    } finally {
      this.#unmoved.delete(working);
    }
  }

  /** For whoever must find out what went wrong. */
  note(what: string, { id, sessionId }: Conversation): void {
    this.#write(`${what} (conversation ${id}, session ${sessionId})`);
  }

  #write(note: string): void {
    this.#log.push(`${((performance.now() - this.#openedAt) / 1_000).toFixed(1)} s: ${note}`);
  }

  fault(what: string): void {
    this.#found.push(what);
  }

  screen(screen: Books["screens"][number]): void {
    this.#screens.push(screen);
  }

  /** Terminals that show a conversation must show this line of it and its answer, unless they go elsewhere: waits for that. */
  watched(conversation: Conversation, line: TypedLine, writer?: TypingTerminal): () => Promise<void> {
    const watching = this.terminals
      .filter((each) => each !== writer && each.isIn(conversation))
      .map((terminal) => ({ terminal, stay: terminal.stay }));
    return async () => {
      for (const { terminal, stay } of watching) {
        const isGone = () => terminal.stay !== stay || terminal.isTaken;
        const isSeen = () => terminal.shows(line) && linesIn(terminal.text).includes(line.number);
        await this.eventually(
          () => isGone() || isSeen(),
          () => `${terminal.name} does not see line ${line.number} of ${line.by}:\n${terminal.text}`,
        );
      }
    };
  }

  /** A conversation left a chat, which must be told. */
  async leftChat(conversation: Conversation, except?: TypingChat): Promise<void> {
    for (const chat of this.chats)
      if (chat !== except && chat.conversation === conversation) await chat.isTaken();
  }

  async eventually(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (performance.now() > until)
        throw new Error(`It never came: ${what()}\nBefore that:\n${this.#log.slice(-60).join("\n")}`);
      await delay(LOOK_MS);
    }
  }

  /** The exit of a process, which must not be waited for without end. */
  async exit<Code>(exited: Promise<Code>, what: () => string): Promise<Code> {
    let over: { readonly code: Code } | undefined;
    void exited.then((code) => {
      over = { code };
    });
    await this.eventually(
      () => over !== undefined,
      () => `the end of ${what()}`,
    );
    return exited;
  }

  /** Ends all that runs; the next commands ask nothing again. Returns what went wrong, and what was counted. */
  async over(): Promise<{
    readonly found: readonly string[];
    readonly counted: ReadonlyMap<string, number>;
  }> {
    for (const terminal of this.terminals) await terminal.close();
    for (const chat of this.chats) chat.close();
    if (this.#gateway?.kill("SIGTERM")) {
      const [code] = await this.exit(once(this.#gateway, "close"), () => "the gateway");
      if (code !== 0) this.fault(`The gateway ended with ${code}.`);
    }
    for (const words of [["last one"], ["-c", "last one"]])
      await once(
        this.spawn([...words]).once("error", () => {}),
        "close",
      );
    const sessions: { said: number[]; answers: number[] }[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const page = await this.#sessions.list({ limit: 200, ...(cursor ? { cursor } : {}) }, OWNER);
      for (const { sessionId } of page.items) {
        const messages = await this.#sessions.load(sessionId);
        const of = (wanted: string, read: (text: string) => number[]): number[] =>
          messages.filter(({ role }) => role === wanted).flatMap(({ content }) => read(content));
        sessions.push({ said: of("user", linesIn), answers: of("assistant", answersIn) });
      }
      cursor = page.nextCursor ?? undefined;
    }
    const books = { lines: this.lines, sessions, requests: this.#requests, screens: this.#screens };
    const found = [...this.#found, ...faults(books)];
    const wrong = new Set(
      found
        .join()
        .match(/conversation \d+/gi)
        ?.map((words) => words.toLowerCase()),
    );
    const story = this.#log.filter((note) =>
      note.match(/conversation \d+/g)?.some((words) => wrong.has(words)),
    );
    if (found.length > 0) console.info(story.join("\n"));
    return { found, counted: this.#counted };
  }

  async close(): Promise<void> {
    if (this.#gateway?.exitCode === null && this.#gateway.kill("SIGKILL")) await once(this.#gateway, "close");
    await this.#sessions.close();
    await Promise.all([this.telegram.close(), this.#model.close()]);
  }

  /** It answers each line by its number. A line that says `hang` takes long the first time, so that it can be stopped. */
  #answer({ body }: SeenRequest): Reply {
    const messages = body.messages as { role: string; content: string }[];
    const said = messages.filter(({ role }) => role === "user").map(({ content }) => content);
    const request = said.flatMap(linesIn);
    const last = said.at(-1) ?? "";
    const number = linesIn(last).at(-1);
    if (number === undefined) return { text: "Fine." };
    this.#requests.push(request);
    // What a killed script said before, and nobody answered, may stand in the same message.
    const own = last.slice(last.lastIndexOf(lineText(number)));
    if (!own.includes("hang") || this.#hung.has(number)) return { text: answerText(number) };
    this.#hung.add(number);
    const pieces = [
      `${answerMark(number)} begun`,
      ...Array<string>(100).fill(" ."),
      "\n\n",
      answerText(number),
    ];
    return { text: pieces, pauseMs: 50 };
  }
}
