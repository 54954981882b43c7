/** A chat whose gateway is an echo, for trying the terminal by hand and from tests: `tsx test/terminal/echo-chat.ts`. */
import { appendFile, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { InboundMessage, Received } from "../../src/adapter/adapter.js";
import type { LiveReply } from "../../src/adapter/live-reply.js";
import { TerminalAdapter } from "../../src/adapter/terminal/terminal-adapter.js";
import { editText } from "../../src/cli/editor.js";
import { addressOf, localSource } from "../../src/session/source.js";
import { KeptAdapter } from "../../src/testing/kept-adapter.js";
import { HOSTILE } from "./hostile.js";

const COMMANDS = [
  { text: "/new", description: "Begin a new session" },
  { text: "/reset", description: "Forget and begin again" },
  { text: "/resume", description: "Go back to an earlier session" },
  { text: "/status", description: "What is going on", ends: true },
];

const SESSIONS = Array.from({ length: 12 }, (_, index) => ({
  text: `Garden ${index + 1}`,
  description: `${index + 1} messages, a long time ago and far away`,
  ends: true,
}));

const DEMO = `# A heading with *italic*

Some **bold** text, \`code\`, ~~old~~ and a [link](https://example.org/a), which goes on long enough to be wrapped at the edge of most terminals, one hopes.

- one
  - nested **bold**
    1. first
    2. second
- [x] done

| name | amount | note |
|:-----|-------:|:----:|
| apples | 12 | fresh |
| pears | 3 | \`ripe\` |

\`\`\`ts
function greet(name: string): string {
\treturn \`hello \${name}\`;
}
\`\`\`

> A quote
> of two lines

---

The end.
`;

const [historyFile, folder] = process.argv.slice(2);
const address = addressOf(localSource());
let tokens = 0;
let title = "a chat";
let isStopped = false;
let isLeaving = false;
let answering: Promise<void> = Promise.resolve();
/** What a key that answers the open question does. */
let pressed: (command: string) => void = () => {};

const adapter = new TerminalAdapter({
  input: process.stdin,
  output: process.stdout,
  color: true,
  pictures: "kitty",
  status: () => ({ title, agent: "echo", tokens }),
  complete: (line) => (line.startsWith("/resume ") ? SESSIONS : COMMANDS),
  ...(historyFile
    ? {
        history: {
          load: async () =>
            (await readFile(historyFile, "utf8").catch(() => ""))
              .split("\n")
              .filter(Boolean)
              .map((line) => JSON.parse(line) as string),
          add: (entry: string) => appendFile(historyFile, `${JSON.stringify(entry)}\n`),
        },
      }
    : {}),
  ...(folder ? { folder } : {}),
  answered: () => answering,
  edit: (text) => editText(process.env.EDITOR ?? "no-such-editor", tmpdir(), "message.md", text),
  onStop: () => {
    isStopped = true;
  },
  heir: () => "another process continues it",
  onLeave: () => {
    isLeaving = true;
    void kept
      .disconnect()
      .then(() => adapter.close())
      .then(() => process.stdout.write("bye\n"));
  },
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const kept = new KeptAdapter(adapter);
const send = (text: string) => adapter.send({ address, text, deliveryId: "1" });

async function stream(reply: LiveReply, text: string, size: number, ms: number): Promise<void> {
  isStopped = false;
  for (let at = 0; at < text.length && !isStopped && !isLeaving; at += size) {
    reply.text(text.slice(at, at + size));
    tokens += 1;
    if (ms > 0) await pause(ms);
  }
  reply.end(isStopped ? "stopped" : "done");
}

/** Says much, and then nothing until it is stopped. */
async function stall(reply: LiveReply): Promise<void> {
  isStopped = false;
  reply.text("word ".repeat(60));
  while (!isStopped && !isLeaving) await pause(5);
  reply.end("stopped");
}

async function hostile(reply: LiveReply): Promise<void> {
  title = HOSTILE.join("");
  for (const [index, text] of HOSTILE.entries()) {
    const call = {
      id: `${index}`,
      name: text,
      arguments: index % 2 ? text : JSON.stringify({ command: text, more: [text] }),
    };
    reply.reasoning(text);
    reply.text(
      `${text} **${text}** \`${text}\` [${text}](http://x/${text})\n\n- ${text}\n\n\`\`\`${text}\n${text}\n\`\`\`\n\n| ${text} |\n|-|\n| ${text} |\n\n`,
    );
    for (const character of text) reply.text(character);
    reply.toolCall(call);
    reply.toolResult(call, `${text}\n${text}`);
    await send(text);
  }
  reply.end("failed");
}

async function answer(text: string): Promise<void> {
  if (text.startsWith("/")) {
    await send(`command **${text}**`);
    return;
  }
  const reply = adapter.live();
  if (text === "demo") return stream(reply, DEMO, 3, 8);
  if (text === "slow") return stream(reply, "word ".repeat(1_000), 5, 20);
  if (text === "stall") return stall(reply);
  if (text === "hostile") return hostile(reply);
  if (text === "tool") {
    const call = { id: "1", name: "terminal", arguments: JSON.stringify({ command: "ls -la" }) };
    reply.reasoning("I should look at the files.\nThen answer.");
    reply.toolCall(call);
    reply.toolResult(call, "total 8\nfile one\nfile two\n");
    return stream(reply, "Two files.", 4, 0);
  }
  if (text === "picture") {
    const path = fileURLToPath(import.meta.url); // Its bytes are sent, whatever they are.
    const files = [{ path, from: "/work/chart.png", name: "chart.png", mediaType: "image/png" }];
    await adapter.send({ address, text: "Look:", deliveryId: "2", files });
    return stream(reply, "There it is.", 4, 0);
  }
  if (text === "ask") {
    const answers = { yes: "/approve it", no: "/deny it" };
    const question = { deliveryId: "ask", number: 1, what: "rm it", answers };
    pressed = (command) => {
      reply.answered?.(question, "");
      void stream(reply, `You pressed ${command}`, 4, 0);
    };
    reply.asked?.(question);
    await adapter.send({ address, text: "May I?", deliveryId: "ask" });
    return;
  }
  if (text === "fail") return reply.end("failed");
  return stream(reply, `You said ${JSON.stringify(text)}`, 4, 0);
}

async function receive(message: InboundMessage): Promise<Received> {
  const [word, signal] = message.text.split(" ");
  if (word === "kill") process.kill(process.pid, `SIG${signal}`);
  if (message.kind === "button") {
    pressed(message.text);
    return "accepted";
  }
  if (message.text === "throw") throw new Error("The disk is full.");
  if (message.text === "refuse") return "refused";
  const files = await Promise.all(
    (message.files ?? []).map((file) => file.read(1_000, AbortSignal.timeout(10_000))),
  );
  for (const file of files) await send(`file: ${Buffer.from(file).toString()}`);
  answering = answer(message.text);
  return "accepted";
}

await kept.connect(receive);
