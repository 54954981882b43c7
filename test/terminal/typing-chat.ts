/** A person in a chat of the typing world's gateway. */
import { answersIn, lineText } from "./typing-oracle.js";
import type { Conversation, TypingWorld } from "./typing-world.js";

export class TypingChat {
  conversation: Conversation | null = null;
  readonly #world: TypingWorld;
  readonly #id: string;
  readonly #visited = new Set<number>();

  constructor(world: TypingWorld, id: string) {
    this.#world = world;
    this.#id = id;
    world.chats.push(this);
  }

  get #told(): string[] {
    return this.#world.telegram.sentTo(this.#id).map(({ text }) => text);
  }

  /** While nothing moves: a chat's line is for what the chat has. */
  say(): Promise<void> {
    return this.#world.unmoved(() => this.sayNow());
  }

  begin(): Promise<void> {
    return this.#world.move(async () => {
      this.#abandon();
      await this.#command("/new", "A new session begins");
      this.#arrive(this.#world.converse());
      await this.sayNow(); // So that it can be found.
    });
  }

  /** Takes a conversation from wherever it is; terminals that show it must say so. */
  resume(conversation: Conversation): Promise<void> {
    return this.#world.move(async () => {
      if (conversation === this.conversation) return;
      const losing = this.#world.terminals
        .filter((each) => each.isIn(conversation))
        .map((terminal) => ({ terminal, notices: terminal.takenNotices }));
      this.#abandon();
      await this.#command(`/resume ${conversation.sessionId}`, "Back in ");
      for (const { terminal, notices } of losing) {
        await this.#world.eventually(
          () => terminal.takenNotices > notices,
          () => `${terminal.name} is not told that its conversation was taken:\n${terminal.text}`,
        );
        terminal.isTaken = true;
        this.#world.count("taken");
      }
      await this.#world.leftChat(conversation, this);
      this.#arrive(conversation);
    });
  }

  /** Its conversation went elsewhere, and it is told. */
  async isTaken(): Promise<void> {
    this.conversation = null;
    await this.#eventually(
      () => this.#told.findLast((text) => answersIn(text).length === 0)?.includes("moved to ") === true,
    );
  }

  close(): void {
    this.#world.screen({
      name: this.#id,
      answers: this.#told.flatMap(answersIn),
      conversations: this.#visited,
    });
  }

  /** The caller sees to it that nothing moves. */
  async sayNow(): Promise<void> {
    if (this.conversation === null) this.#arrive(this.#world.converse());
    const { conversation } = this;
    if (conversation === null) return;
    const line = this.#world.line(this.#id, conversation);
    await this.#write(lineText(line.number));
    await this.#eventually(() => this.#told.flatMap(answersIn).includes(line.number));
    await this.#world.end(line, "answered");
    await this.#world.learn(conversation, line);
  }

  async #command(text: string, reply: string): Promise<void> {
    const count = () => this.#told.filter((each) => each.includes(reply)).length;
    const before = count();
    await this.#write(text);
    await this.#eventually(() => count() > before);
  }

  /** What is being answered in its conversation, for whomever, is stopped. */
  #abandon(): void {
    if (this.conversation) this.#world.abandon(this.conversation);
  }

  #arrive(conversation: Conversation): void {
    this.#world.note(`${this.#id} has it`, conversation);
    this.conversation = conversation;
    this.#visited.add(conversation.id);
  }

  async #write(text: string): Promise<void> {
    await this.#world.telegram.deliver({ chatId: this.#id, fromId: Number(this.#id), text });
  }

  #eventually(holds: () => boolean): Promise<void> {
    return this.#world.eventually(holds, () => `chat ${this.#id}:\n${this.#told.slice(-8).join("\n")}`);
  }
}
