// A gateway in a process of its own with one of two platforms that live in the parent (handoff-process.ts) and outlive
// it. Its agent says again what it was asked, and it can be told to kill itself around any step.
import { setTimeout as sleep } from "node:timers/promises";
import { SendError } from "../../dist/adapter/adapter.js";
import { Commands } from "../../dist/gateway/commands/commands.js";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { Gateway } from "../../dist/gateway/gateway.js";
import { openStore } from "../../dist/open-sessions.js";
import { processHolder } from "../../dist/util/holder.js";

const { url, platform, people, leaseMs, isOnce } = JSON.parse(process.argv[2]);
process.on("disconnect", () => process.exit(0));

/** Where to die: when the step is reached next, before it is taken or after it was. */
let armed;
function passing(step, side) {
  if (armed?.step === step && armed.side === side) process.kill(process.pid, "SIGKILL");
}

const around =
  (name, call) =>
  async (...args) => {
    const step = name === "handoffs.step" ? `${name} ${args[1].kind}` : name;
    passing(step, "before");
    const result = await call(...args);
    passing(step, "after");
    return result;
  };

function deadly(name, part) {
  const steps = Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter(
    (step) => step !== "constructor",
  );
  return Object.fromEntries(steps.map((step) => [step, around(`${name}.${step}`, part[step].bind(part))]));
}

/** Asks the platform, which answers with the same number. */
const asked = new Map();
const ask = (question) =>
  new Promise((resolve) => {
    asked.set(asked.size + 1, resolve);
    process.send({ ...question, number: asked.size });
  });

const agent = {
  name: "echo",
  async *run({ history }) {
    const { content } = history.findLast(({ role }) => role === "user");
    yield { kind: "message", message: { role: "assistant", content: `re: ${content}` }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

let receive;
const adapter = {
  platform,
  account: "bot",
  capabilities: { maxText: 4_096, unit: "utf16", edit: false, threads: true, threadsOnce: isOnce },
  serve: async ({ receive: given, up, end }) => {
    receive = given;
    up(speaker);
    await new Promise((resolve) => end.addEventListener("abort", resolve));
  },
};
const speaker = {
  send: around("adapter.send", async ({ deliveryId, address, text }) => {
    const { chatId, threadId = "" } = address;
    const { messageId } = await ask({
      kind: "send",
      deliveryId,
      place: `${chatId} ${threadId}`.trim(),
      text,
    });
    if (messageId === null) throw new SendError("retryable", "not now", { retryAfterMs: 5 });
    return { messageId };
  }),
  place: async ({ chatId, threadId }) => ({
    platform,
    chatId,
    chatType: "dm",
    userId: chatId,
    ...(threadId ? { threadId } : {}),
  }),
  createThread: around("adapter.createThread", async (parent, _title, _person, once) => {
    if (!parent.chatId.startsWith("thread")) return null;
    const { threadId } = await ask({ kind: "thread", once });
    return { ...parent, threadId };
  }),
};

const { store, sessions } = await openStore({ url });
const gateway = new Gateway({
  sessions,
  store: {
    ...store,
    inbox: deadly("inbox", store.inbox),
    turns: deadly("turns", store.turns),
    outbox: deadly("outbox", store.outbox),
    handoffs: deadly("handoffs", store.handoffs),
  },
  agent,
  adapters: [adapter],
  commands: new Commands(commandTable({ agent: agent.name, clock: Date.now }), sessions),
  tools: () => [],
  toolLists: {},
  scopes: {},
  people: { owners: people },
  busy: { default: "queue", byPlatform: {}, byChat: {} },
  context: { connectedPlatforms: [platform], homeChannels: [] },
  maxMessages: 50,
  deadlineMs: 60_000,
  leaseMs,
  holder: processHolder(),
  clock: Date.now,
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});

const told = {
  message: async ({ messageId, chat, threadId, text }) => {
    const thread = threadId ? { threadId } : {};
    const source = { platform, chatId: chat, chatType: "dm", userId: chat, ...thread };
    for (;;) {
      try {
        await receive({ kind: "message", source, messageId, text });
        return process.send({ kind: "received", messageId });
      } catch {
        await sleep(10); // The lease ran out on a busy machine: the platform delivers it again.
      }
    }
  },
  answer: ({ number, ...answer }) => asked.get(number)(answer),
  arm: ({ point }) => {
    armed = point;
  },
};

await gateway.start();
process.on("message", (message) => told[message.kind](message));
process.send({ kind: "ready" });
