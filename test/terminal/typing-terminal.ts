/** A person at a terminal of the typing world: a real PTY with `baton` in it. */
import { PtyChat } from "./pty-chat.js";
import { answerMark, answersIn, lineText, type TypedLine } from "./typing-oracle.js";
import type { Conversation, TypingWorld } from "./typing-world.js";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const LEFT = "no longer in this terminal";
/** What stands before the person's own last words when a conversation is opened. */
const RETURN = "\nYou: ";
const TAKEN = /To bring it back, send \/resume/g;

export class TypingTerminal {
  readonly name: string;
  conversation: Conversation;
  /** It said that its conversation is elsewhere. */
  isTaken = false;
  /** Counts where it has been; it changes before it goes. */
  stay = 0;
  readonly #world: TypingWorld;
  #chat: PtyChat;
  #visited: Set<number>;
  /** How often each answer was on the screen when the stay began. */
  #before = new Map<number, number>();
  /** The last command opened another conversation beside the one that was here. */
  #isBeside = false;
  #text = { length: -1, text: "" };

  private constructor(world: TypingWorld, name: string, chat: PtyChat, conversation: Conversation) {
    this.#world = world;
    this.name = name;
    this.#chat = chat;
    this.conversation = conversation;
    this.#visited = new Set([conversation.id]);
    world.terminals.push(this);
  }

  static open(world: TypingWorld, name: string): Promise<TypingTerminal> {
    return world.move(async () => {
      const conversation = await world.usual();
      const chat = await opened(world, []);
      const terminal = new TypingTerminal(world, name, chat, conversation);
      await terminal.say();
      return terminal;
    });
  }

  get text(): string {
    if (this.#text.length !== this.#chat.raw.length)
      this.#text = { length: this.#chat.raw.length, text: this.#chat.vt.text() };
    return this.#text.text;
  }

  get takenNotices(): number {
    return this.text.match(TAKEN)?.length ?? 0;
  }

  isIn(conversation: Conversation): boolean {
    return this.conversation === conversation && !this.isTaken;
  }

  shows({ number }: TypedLine): boolean {
    return answersIn(this.text).includes(number);
  }

  /** Says a line. With `isStopped`, its answer takes long, and Ctrl-C stops it. */
  say({ isStopped = false } = {}): Promise<void> {
    return this.#say(this.#world.line(this.name, this.conversation), { isStopped });
  }

  async #say(line: TypedLine, { isStopped = false, isTyped = false }): Promise<void> {
    const { conversation } = this;
    const wasTaken = this.isTaken;
    const seen = this.#world.watched(conversation, line, this);
    const refusals = this.#count(LEFT);
    const stops = this.#count("■ stopped");
    if (!isTyped) this.#chat.type(`${lineText(line.number)}${isStopped ? " hang" : ""}\r`);
    const isRefused = () => this.#count(LEFT) > refusals;
    const hasBegun = () => isStopped && this.text.includes(`${answerMark(line.number)} begun`);
    // What waited when its conversation was taken is answered, or stopped, where that is now.
    const isElsewhere = async () =>
      this.isTaken &&
      ((await this.#world.isAnswered(conversation, line)) ||
        (line.isAbandoned && (await this.#world.isOver(conversation, line))));
    const isOver = () => isRefused() || this.shows(line) || isElsewhere();
    await this.#eventually(() => hasBegun() || isOver());
    if (hasBegun()) {
      this.#chat.type(CTRL_C);
      await this.#eventually(() => this.#count("■ stopped") > stops || isOver());
    }
    if (isRefused()) await this.#eventually(() => this.isTaken); // It was told why, or is just being told.
    if (wasTaken && !isRefused()) this.#world.fault(`${this.name} was not refused after it was told.`);
    if (isRefused()) return this.#world.end(line, "refused");
    if (!this.shows(line) && !(await this.#world.isAnswered(conversation, line)))
      return this.#world.end(line, "stopped");
    await this.#world.end(line, "answered");
    await this.#world.learn(conversation, line);
    await seen();
  }

  /** `/new` opens a conversation here, or beside if another terminal is in this one. A line follows, perhaps at once. */
  begin({ isAtOnce = false } = {}): Promise<void> {
    return this.#world.move(async () => {
      const conversation = this.#world.converse();
      const line = this.#world.line(this.name, conversation); // So that it can be found.
      const typed = isAtOnce ? line : null;
      await this.#go("/new", "A new session begins", "A new one opens here", conversation, typed);
      await this.#say(line, { isTyped: isAtOnce });
    });
  }

  resume(conversation: Conversation, { isAtOnce = false } = {}): Promise<void> {
    return this.#world.move(async () => {
      if (conversation === this.conversation && !this.isTaken) return;
      const chat = this.#world.chats.find((each) => each.conversation === conversation);
      const line = isAtOnce ? this.#world.line(this.name, conversation) : null;
      const returns = this.#count(RETURN);
      await this.#go(`/resume ${conversation.sessionId}`, "Back in ", "Opening ", conversation, line);
      // Beside the others, it is said first that it will be here, and then what was said there last.
      if (this.#isBeside) await this.#eventually(() => this.#count(RETURN) > returns);
      if (line) await this.#say(line, { isTyped: true });
      await chat?.isTaken();
    });
  }

  /** Leaves by Ctrl-D, and comes back: where a plain `baton` begins, or with these words. */
  reopen(words: readonly string[], named: Conversation | null): Promise<void> {
    return this.#world.move(async () => {
      await this.#leave();
      const chat = this.#world.chats.find((each) => named !== null && each.conversation === named);
      const isNew = words.includes("--new");
      this.conversation = named ?? (isNew ? this.#world.converse() : await this.#world.usual());
      this.#world.note(`${this.name} opens baton ${words.join(" ")}`, this.conversation);
      this.#chat = await opened(this.#world, words);
      this.#visited = new Set([this.conversation.id]);
      this.#before = new Map();
      await chat?.isTaken();
      await this.say();
    });
  }

  async close(): Promise<void> {
    await this.#leave();
  }

  async #leave(): Promise<void> {
    this.#endStay();
    this.isTaken = false;
    this.#chat.type(CTRL_D);
    const code = await this.#world.exit(this.#chat.exited, () => `${this.name}:\n${this.text}`);
    if (code !== 0) this.#world.fault(`${this.name} ended with ${code}.`);
    this.#world.screen({
      name: this.name,
      answers: answersIn(this.#chat.vt.text()),
      conversations: this.#visited,
    });
  }

  /** A command that changes the conversation here, or opens it anew beside the others; perhaps with a line at once. */
  async #go(
    command: string,
    here: string,
    beside: string,
    conversation: Conversation,
    line: TypedLine | null,
  ): Promise<void> {
    this.#endStay();
    const counts = [here, beside].map((words) => this.#count(words));
    const isSaid = (n: number) => this.#count(n === 0 ? here : beside) > (counts[n] ?? 0);
    if (
      !this.isTaken &&
      !this.#world.terminals.some((other) => other !== this && other.isIn(this.conversation))
    )
      this.#world.abandon(this.conversation);
    this.#chat.type(`${command}\r${line ? `${lineText(line.number)}\r` : ""}`);
    await this.#eventually(() => isSaid(0) || isSaid(1));
    this.isTaken = false;
    this.conversation = conversation;
    this.#isBeside = !isSaid(0);
    this.#world.note(`${this.name} did ${command} ${this.#isBeside ? "beside" : "here"}`, conversation);
    this.#visited.add(conversation.id);
    this.#before = tallied(answersIn(this.text));
  }

  /** An answer comes once while one stays. */
  #endStay(): void {
    this.stay++;
    for (const [number, times] of tallied(answersIn(this.text)))
      if (times - (this.#before.get(number) ?? 0) > 1)
        this.#world.fault(`${this.name} shows the answer to line ${number} twice:\n${this.text}`);
  }

  #count(words: string): number {
    return this.text.split(words).length - 1;
  }

  #eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
    return this.#world.eventually(holds, () => `${this.name}:\n${this.text}`);
  }
}

function opened(world: TypingWorld, words: readonly string[]): Promise<PtyChat> {
  return PtyChat.start({ columns: 120, rows: 30, shell: world.shell(words) });
}

function tallied(numbers: readonly number[]): Map<number, number> {
  const tally = new Map<number, number>();
  for (const number of numbers) tally.set(number, (tally.get(number) ?? 0) + 1);
  return tally;
}
