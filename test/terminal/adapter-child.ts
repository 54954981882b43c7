/**
 * The terminal's adapter as a process of its own, on whatever terminal it was started: each line of JSON on the socket is
 * a call (`new`, `connect`, `send`, `disconnect`), and what comes in is handed back the same way.
 */
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { type Letter, type Received, SendError } from "../../src/adapter/adapter.js";
import { TerminalAdapter } from "../../src/adapter/terminal/terminal-adapter.js";
import { KeptAdapter } from "../../src/testing/kept-adapter.js";

/** To this process: a call, or what became of something that came in. */
export type ToChild =
  | { readonly kind: "call"; readonly id: number; readonly name: "new" | "connect" | "disconnect" }
  | { readonly kind: "call"; readonly id: number; readonly name: "send"; readonly message: Letter }
  | { readonly kind: "received"; readonly id: number; readonly received?: Received; readonly error?: string };

/** From it. */
export type FromChild =
  | { readonly kind: "returned"; readonly id: number; readonly result?: { messageId: string } }
  | {
      readonly kind: "threw";
      readonly id: number;
      readonly message: string;
      readonly outcome?: SendError["outcome"];
    }
  | { readonly kind: "receive"; readonly id: number; readonly message: unknown };

const socket = connect(Number(process.argv[2]), "127.0.0.1");
const tell = (message: FromChild) => socket.write(`${JSON.stringify(message)}\n`);
const waiting = new Map<number, (answer: Extract<ToChild, { kind: "received" }>) => void>();
let received = 0;
let terminal: TerminalAdapter;
let adapter: KeptAdapter<TerminalAdapter>;

async function call(asked: Extract<ToChild, { kind: "call" }>): Promise<{ messageId: string } | undefined> {
  switch (asked.name) {
    case "new":
      process.stdout.write(`case ${asked.id} begins\r\n`);
      terminal = new TerminalAdapter({
        input: process.stdin,
        output: process.stdout,
        color: false,
        status: () => ({ title: "a chat", agent: "none", tokens: 0 }),
        complete: () => [],
        answered: async () => {},
        onStop: () => {},
        heir: () => "another process continues it",
        onLeave: () => {},
      });
      adapter = new KeptAdapter(terminal);
      return undefined;
    case "connect":
      await adapter.connect(async (message) => {
        const id = ++received;
        const answer = new Promise<Extract<ToChild, { kind: "received" }>>((resolve) =>
          waiting.set(id, resolve),
        );
        tell({ kind: "receive", id, message });
        const { received: how, error } = await answer;
        if (error !== undefined) throw new Error(error);
        return how ?? "accepted";
      });
      return undefined;
    case "send":
      return adapter.send(asked.message);
    case "disconnect":
      await adapter.disconnect();
      await terminal.close();
      return undefined;
    default:
      return asked satisfies never;
  }
}

createInterface({ input: socket })
  .on("error", () => process.exit())
  .on("close", () => process.exit())
  .on("line", (line) => {
    const asked = JSON.parse(line) as ToChild;
    if (asked.kind === "received") return waiting.get(asked.id)?.(asked);
    const { id } = asked;
    call(asked).then(
      (result) => tell({ kind: "returned", id, ...(result ? { result } : {}) }),
      (error: Error) =>
        tell({
          kind: "threw",
          id,
          message: error.message,
          ...(error instanceof SendError ? { outcome: error.outcome } : {}),
        }),
    );
  });
