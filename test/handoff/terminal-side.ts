/** The terminal as one end of a handoff: `baton chat` in a PTY, in a process of its own. */
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { PtyChat } from "../terminal/pty-chat.js";
import type { Side } from "./side.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** A chat over the store of that home. */
export function startChat(
  home: string,
  { folder = ".", ...size }: { columns?: number; rows?: number; folder?: string } = {},
): Promise<PtyChat> {
  const shell = `cd '${folder}'; BATON_HOME='${home}' BATON_AGENT_PROVIDER=offline exec '${process.execPath}' '${MAIN}' chat`;
  return PtyChat.start({ columns: 160, rows: 50, ...size, shell });
}

export class TerminalSide implements Side {
  readonly name = "the terminal";
  readonly word = "local";
  readonly #home: string;
  #chat: PtyChat | null = null;
  /** How often each text was waited for in this chat. */
  readonly #seen = new Map<string, number>();

  constructor(home: string) {
    this.#home = home;
  }

  async begin(title: string): Promise<void> {
    await this.#type(`/new ${title}`, `A new session begins: "${title}".`);
  }

  say(text: string): Promise<void> {
    return this.#type(text, text.startsWith("run ") ? "The terminal says:" : `You said “${text}”.`);
  }

  async ready(): Promise<void> {
    await this.#open();
  }

  /** A moved conversation takes the chat with it: what is said of that is seen by then. */
  async ask(word: string): Promise<void> {
    (await this.#open()).type(`/handoff ${word}\r`);
  }

  async arrives(title: string): Promise<void> {
    await this.#sees(`offers you "${title}" here`);
    await this.#type("/resume", `Back in "${title}": `);
  }

  async leaves(): Promise<void> {
    const chat = await this.#open();
    const code = await chat.exited;
    expect(chat.vt.text()).toMatch(/^Moved to /m);
    expect(code).toBe(0);
    this.#chat = null;
  }

  bringBack(title: string): Promise<void> {
    return this.#type("/resume", `Back in "${title}": `);
  }

  loses(title: string): Promise<void> {
    return this.#sees(`"${title}" moved to `);
  }

  async #open(): Promise<PtyChat> {
    if (!this.#chat) {
      this.#seen.clear();
      this.#chat = await startChat(this.#home);
    }
    return this.#chat;
  }

  async #type(text: string, answer: string): Promise<void> {
    (await this.#open()).type(`${text}\r`);
    await this.#sees(answer);
  }

  /** Once more than before. */
  async #sees(text: string): Promise<void> {
    const chat = await this.#open();
    const times = (this.#seen.get(text) ?? 0) + 1;
    this.#seen.set(text, times);
    await chat.until(() => chat.vt.text().split(text).length > times);
  }
}
