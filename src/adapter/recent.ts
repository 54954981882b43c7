/** The most recent of something, by its id; the oldest go first. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(id: string): Value | undefined {
    return this.#values.get(id);
  }

  set(id: string, value: Value): void {
    this.#values.delete(id);
    this.#values.set(id, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
  }

  delete(id: string): void {
    this.#values.delete(id);
  }
}

/** Names a message of one chat: nobody is shown what was said in another by naming it. */
export function inChat(chatId: string, messageId: string): string {
  return `${chatId} ${messageId}`;
}
