// A gateway in a process of its own, whose platform lives in the parent (gateway-process.ts) and outlives it. Its agent
// is scripted by the words of a message, and it can be told to kill itself around any step of the journey.
//
// A message is `<number> <word>…`. `tool`: looks something up first, as a step of its own. `slow`: begins to speak and
// takes its time, unless it is stopped; `patient`: so does this, until it is told to settle. `aloud`: says a sentence first,
// which a platform that can edit is shown soon. The answer ends with `answer <number>`, and the numbers of what was steered in.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { SendError } from "../../dist/adapter/adapter.js";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { Commands } from "../../dist/gateway/commands/commands.js";
import { Gateway } from "../../dist/gateway/gateway.js";
import { openStore } from "../../dist/open-sessions.js";
import { processHolder } from "../../dist/util/holder.js";
import { later } from "../../dist/util/later.js";

const { url, account, people, busy, leaseMs, slowMs, point, log, effects, streams, failing } = JSON.parse(
  process.argv[2],
);
const platform = "telegram";
process.on("disconnect", () => process.exit(0));

/** Where to die: at the given time that a step is reached, before it is taken or after it was. */
let armed = point;
function passing(step, side) {
  if (armed?.step !== step || armed.side !== side) return;
  armed.times -= 1;
  if (armed.times === 0) process.kill(process.pid, "SIGKILL");
}

const WRITES =
  /^(inbox\.(accept|beginCommand|finishCommand)|turns\.(begin|step|finish|takeOver|renew)|journal\.\w+|outbox\.(add|sending|sent|retry|fail|doubt))$/;

const around =
  (step, call) =>
  async (...args) => {
    passing(step, "before");
    if (failing && WRITES.test(step) && Math.random() < failing) throw new Error("The disk is full.");
    const result = await call(...args);
    passing(step, "after");
    if (result === false || result === "lost") process.send({ kind: "refused", step });
    return result;
  };

function deadly(name, part) {
  const steps = Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter(
    (step) => step !== "constructor",
  );
  return Object.fromEntries(steps.map((step) => [step, around(`${name}.${step}`, part[step].bind(part))]));
}

/** Each turn's beginning and end, in a file that all processes share. */
const note = (what, number) => log && appendFileSync(log, `${what} ${number} ${account}\n`);

/** Those who wait until they are told to settle. */
const patient = new Set();

async function* converse({ history, signal, steer, tools }) {
  const asked = history.findLast(({ role }) => role === "user");
  const [number, ...words] = asked.content.split(" ");
  note("begin", number);
  process.send({ kind: "begun" });
  const call = { id: `call-${number}`, name: "look", arguments: "{}" };
  if (words.includes("tool") && !history.some(({ toolCallId }) => toolCallId === call.id)) {
    const content = `looking ${number}`;
    yield { kind: "text", text: content };
    yield { kind: "tool call", call };
    const found = await runToolCall(call, tools, signal);
    yield { kind: "tool result", call, content: found };
    const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
    yield { kind: "message", message: { role: "assistant", content, toolCalls: [call] }, results };
  }
  const numbers = [number];
  let said = words.includes("aloud") ? "Let me think. " : "";
  if (said) yield { kind: "text", text: said };
  if (words.includes("slow") || words.includes("patient")) {
    said += "well, ";
    yield { kind: "text", text: "well, " };
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
    const enough = words.includes("slow") ? sleep(slowMs) : new Promise((resolve) => patient.add(resolve));
    await Promise.race([enough, stopped]);
    if (!signal.aborted) numbers.push(...steer().map(({ content }) => content.split(" ")[0]));
  }
  if (!signal.aborted) {
    yield { kind: "text", text: `answer ${numbers.join(" ")}` };
    said += `answer ${numbers.join(" ")}`;
  }
  note("end", number);
  yield { kind: "message", message: { role: "assistant", content: said }, results: [] };
  yield { kind: "done", stopped: signal.aborted };
}

/** Does what cannot be undone: a line in a file that outlives the process, one for each time it is run. */
const look = {
  name: "look",
  description: "",
  parameters: {},
  run: around("tool", async (_, { call }) => {
    if (effects) appendFileSync(effects, `${call.id}\n`);
    return "found";
  }),
};

const sending = new Map();
const tell = (said) =>
  new Promise((resolve, reject) => {
    sending.set(said.deliveryId, { resolve, reject });
    process.send(said);
  });
let receive;

const adapter = {
  platform,
  account,
  capabilities: { maxText: 4_096, unit: "utf16", edit: streams === true, threads: false, paceMs: 20 },
  serve: async ({ receive: given, up, end }) => {
    receive = given;
    up(speaker);
    process.send({ kind: "connected" });
    await new Promise((resolve) => end.addEventListener("abort", resolve));
    receive = async () => {
      throw new Error("It is not connected.");
    };
  },
};
const speaker = {
  send: around("adapter.send", ({ deliveryId, address, text }) =>
    tell({ kind: "send", deliveryId, chat: address.chatId, text }),
  ),
  edit: ({ deliveryId, address, text }, messageId) =>
    tell({ kind: "edit", deliveryId, messageId, chat: address.chatId, text }),
};

const { store, sessions } = await openStore({ url });
const gateway = new Gateway({
  sessions,
  store: {
    ...store,
    inbox: deadly("inbox", store.inbox),
    turns: deadly("turns", store.turns),
    journal: deadly("journal", store.journal),
    outbox: deadly("outbox", store.outbox),
  },
  agent: { name: "scripted", run: converse },
  adapters: [adapter],
  commands: new Commands(
    [{ name: "note", usage: "", description: "", run: async ({ words }) => `noted ${words}` }],
    sessions,
  ),
  tools: () => [look],
  scopes: {},
  people: { allow: { [platform]: people } },
  toolLists: { members: ["look"] },
  busy: { default: "queue", byPlatform: {}, byChat: busy },
  context: { connectedPlatforms: [platform], homeChannels: [] },
  maxMessages: 500,
  deadlineMs: 60_000,
  leaseMs,
  holder: processHolder(),
  clock: Date.now,
  later: (call, ms) => later(call, ms / 100), // A moment is short here, so that answers stream.
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});

/** Messages that are being received. */
let coming = 0;

/** Nothing waits, runs or is on its way. */
async function settled() {
  if (coming > 0) return false;
  const open = await Promise.all([
    store.inbox.waiting(adapter),
    store.inbox.interruptedCommands(adapter),
    store.turns.running(adapter, Date.now()),
    store.outbox.pending(adapter, 1),
    store.outbox.interrupted(adapter),
  ]);
  return open.every((found) => found.length === 0);
}

/** Until it is kept, as a platform brings it again and again. */
async function take(message) {
  for (;;) {
    try {
      return await receive(message);
    } catch {
      await sleep(5);
    }
  }
}

/** A platform whose store may fail brings one after the other: nothing overtakes what comes again. */
const isOrdered = failing !== undefined;
let taking = Promise.resolve();

const told = {
  message: async ({ messageId, chat, text }) => {
    const source = { platform, chatId: chat, chatType: "dm", userId: chat };
    coming += 1;
    const message = { kind: "message", source, messageId, text };
    if (isOrdered) taking = taking.then(() => take(message));
    const received = await (isOrdered ? taking : receive(message)).catch(() => null);
    coming -= 1;
    if (received === null) return process.send({ kind: "not received", messageId });
    passing("acknowledge", "before");
    process.send({ kind: "received", messageId, received });
    passing("acknowledge", "after");
  },
  sent: ({ deliveryId, messageId }) => sending.get(deliveryId).resolve({ messageId }),
  "not sent": ({ deliveryId, outcome, retryAfterMs }) =>
    sending.get(deliveryId).reject(new SendError(outcome, "not now", { retryAfterMs })),
  freeze: () => process.kill(process.pid, "SIGSTOP"),
  arm: ({ point: given }) => {
    armed = given;
  },
  settle: async () => {
    // More than once: what goes from one state to another between two looks is in neither.
    for (let calm = 0; calm < 3; calm = (await settled()) ? calm + 1 : 0) {
      for (const goOn of patient) goOn();
      await sleep(5);
    }
    process.send({ kind: "settled" });
  },
  stop: async () => {
    await gateway.stop({ drainMs: 0 });
    await sessions.close();
    process.disconnect();
  },
};

process.on("message", (message) => told[message.kind](message));
await gateway.start();
process.send({ kind: "ready" });
