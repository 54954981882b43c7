/** The terminal's adapter under the contract that every adapter is: on a real PTY, with real keys, read off the screen. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, describe, it, vi } from "vitest";
import { type Adapter, type InboundMessage, type Receive, SendError } from "../../src/adapter/adapter.js";
import { ended } from "../../src/adapter/ended.js";
import { MarkdownStream } from "../../src/adapter/terminal/markdown-stream.js";
import { TERMINAL_ACCOUNT, TERMINAL_CAPABILITIES } from "../../src/adapter/terminal/terminal-source.js";
import { LOCAL } from "../../src/session/platform.js";
import { addressOf, localSource } from "../../src/session/source.js";
import type { AdapterFixture } from "../../src/testing/adapter/fixture.js";
import { adapterContract } from "../../src/testing/adapter-contract.js";
import { printableText } from "../../src/util/text.js";
import type { FromChild, ToChild } from "./adapter-child.js";
import { PtyChat, pty } from "./pty-chat.js";

const COLUMNS = 200;
const PATIENCE = { interval: 10, timeout: 30_000 };

/** What a call is, without its number. */
type Call =
  Extract<ToChild, { kind: "call" }> extends infer Each
    ? Each extends { id: number }
      ? Omit<Each, "id" | "kind">
      : never
    : never;

/** The process with the adapter in it: one for all cases. */
class Remote {
  readonly chat: PtyChat;
  /** How many lines were received, and dealt with. */
  dealtWith = 0;
  receive: Receive = async () => "accepted";
  readonly #socket: Socket;
  readonly #calls = new Map<number, (answer: FromChild) => void>();
  #count = 0;

  private constructor(chat: PtyChat, socket: Socket) {
    this.chat = chat;
    this.#socket = socket;
    createInterface({ input: socket })
      .on("error", () => {})
      .on("line", (line) => void this.#hear(JSON.parse(line) as FromChild));
  }

  static async start(): Promise<Remote> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const shell = `exec '${process.execPath}' --import tsx test/terminal/adapter-child.ts ${port}`;
    const chat = new PtyChat({ columns: COLUMNS, rows: 50, shell });
    const [socket] = (await once(server, "connection")) as [Socket];
    server.close();
    return new Remote(chat, socket);
  }

  /** Another adapter; returns where on the screen its part begins. */
  async begin(): Promise<number> {
    const mark = `case ${this.#count + 1} begins`;
    await this.call({ name: "new" });
    await vi.waitUntil(() => this.chat.vt.text().includes(mark), PATIENCE);
    return this.chat.vt.text().indexOf(mark) + mark.length;
  }

  async call(asked: Call): Promise<{ messageId: string }> {
    const id = ++this.#count;
    const answered = new Promise<FromChild>((resolve) => this.#calls.set(id, resolve));
    this.#tell({ kind: "call", id, ...asked } as ToChild);
    const answer = await answered;
    if (answer.kind === "threw")
      throw answer.outcome ? new SendError(answer.outcome, answer.message) : new Error(answer.message);
    return (answer.kind === "returned" && answer.result) || { messageId: "" };
  }

  stop(): void {
    this.#socket.destroy();
    this.chat.kill();
  }

  async #hear(heard: FromChild): Promise<void> {
    if (heard.kind !== "receive") return this.#calls.get(heard.id)?.(heard);
    const { id } = heard;
    try {
      this.#tell({ kind: "received", id, received: await this.receive(heard.message as InboundMessage) });
    } catch (error) {
      this.#tell({ kind: "received", id, error: (error as Error).message });
    }
    this.dealtWith += 1;
  }

  #tell(message: ToChild): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}

/** What the screen shows of a Markdown text. */
function rendered(text: string): string {
  const stream = new MarkdownStream();
  stream.push(text);
  const rows = stream.end({ width: COLUMNS - 1, color: false });
  return rows
    .map((row) =>
      row
        .map((span) => span.text)
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

let remote: Promise<Remote> | undefined;
afterAll(async () => (await remote)?.stop());

async function terminal(): Promise<AdapterFixture> {
  remote ??= Remote.start();
  const child = await remote;
  const begin = await child.begin();
  const { vt } = child.chat;
  const sent: string[] = [];
  let isOpen = false;
  const adapter: Adapter = {
    platform: LOCAL,
    account: TERMINAL_ACCOUNT,
    // It takes a million; the screen of the test would take half a minute for that.
    capabilities: { ...TERMINAL_CAPABILITIES, maxText: 4_000 },
    serve: async ({ receive, up, end }) => {
      child.receive = receive;
      await child.call({ name: "connect" });
      isOpen = true;
      up({
        send: async (message) => {
          const result = await child.call({ name: "send", message });
          sent.push(rendered(message.text));
          return result;
        },
      });
      await ended(end);
      isOpen = false;
      await child.call({ name: "disconnect" });
    },
  };
  /** Every text that was sent, where it is on the screen below the one before. */
  const seen = (): string[] => {
    const screen = vt.text();
    let from = begin;
    return sent.filter((text) => {
      const place = screen.indexOf(text, from);
      if (place >= 0) from = place + text.length;
      return place >= 0;
    });
  };
  return {
    adapter,
    address: addressOf(localSource()),
    lacks: {
      replies: "A terminal has no replies.",
      names: "Whoever sits there is who they are.",
      "empty texts": "An empty line is no message.",
      "missed messages": "Nobody types where nothing runs.",
    },
    write: async ({ text }) => {
      if (!isOpen) return { messageId: "" };
      const before = child.dealtWith;
      child.chat.type(`\u001b[200~${text}\u001b[201~\r`);
      await vi.waitUntil(() => child.dealtWith > before, PATIENCE);
      return { messageId: "" };
    },
    shown: async () => {
      await vi.waitUntil(() => seen().length === sent.length, PATIENCE).catch(() => {});
      return vt.foreign.length > 0 ? vt.foreign : seen();
    },
    asShown: rendered,
    asWritten: (text) => printableText(text).trim(),
  };
}

if (pty) adapterContract("terminal, on a PTY", terminal);
else
  describe("adapter: terminal", () => {
    it.skip("NOT TESTED: the prebuilt PTY does not load here", () => {});
  });
