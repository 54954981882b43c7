// Measures a gateway and prints figures as JSON (gateway.ts): argv[2] says the store, how many chats, how many messages
// one at a time, and for how many seconds all chats at once. Run with --expose-gc: memory is what is left after it.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { ScriptedAdapter } from "../../dist/testing/scripted-adapter.js";

const { url, chats, messages, seconds } = JSON.parse(process.argv[2]);
const WINDOW = 500;
const people = Array.from({ length: chats }, (_, number) => `chat${number}`);

const agent = {
  name: "at once",
  async *run({ history }) {
    if (history.at(-1).content === "hang") {
      yield { kind: "tool call", call: { id: "c", name: "hangs", arguments: "{}" } };
      hanging();
      await new Promise(() => {});
    }
    const content = `You said: ${history.at(-1).content}`;
    yield { kind: "text", text: content };
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

let hanging;

/** Who waits for an answer in each chat, and since when. */
const waiting = new Map();
const tally = { messages: 0, answered: 0, outOfOrder: 0, times: [] };
const adapter = new ScriptedAdapter({
  onSend: ({ address, text }) => {
    adapter.sent.length = 0; // The adapter remembers what it was sent; a platform would be elsewhere.
    if (stopping) return stopping(text);
    const asked = waiting.get(address.chatId)?.shift();
    if (text !== `You said: ${asked?.text}`) tally.outOfOrder += 1;
    tally.answered += 1;
    tally.times.push(performance.now() - asked.at);
    asked.resolve();
  },
});

function ask(chat) {
  tally.messages += 1;
  const text = `message ${tally.messages}, and what do you think of it?`;
  const at = performance.now();
  const answered = new Promise((resolve) => {
    const queue = waiting.get(chat) ?? [];
    waiting.set(chat, [...queue, { text, at, resolve }]);
  });
  adapter.write({ userId: chat, userName: "Ann" }, text);
  return answered;
}

/** How long `/stop` takes to be answered while a tool hangs that hears nothing. */
let stopping;
async function timesToStop(count) {
  const times = [];
  const from = { userId: people[0], userName: "Ann" };
  for (let n = 0; n < count; n++) {
    const hung = new Promise((resolve) => {
      hanging = resolve;
    });
    await adapter.write(from, "hang", { messageId: `hang${n}` });
    await hung;
    const stopped = new Promise((resolve) => {
      stopping = resolve;
    });
    const began = performance.now();
    await adapter.write(from, "/stop", { messageId: `stop${n}` });
    const said = await stopped;
    if (!said.startsWith("Stopped")) throw new Error(`/stop said: ${said}`);
    times.push(performance.now() - began);
    await gateway.lane(sessions.laneOf(sourceOf(people[0])).key).idle();
  }
  stopping = undefined;
  return { median: quantile(times, 0.5), max: Math.max(...times) };
}

const sourceOf = (chat) => ({
  platform: adapter.platform,
  chatId: chat,
  chatType: "dm",
  userId: chat,
  userName: "Ann",
});

const quantile = (values, q) => values.sort((a, b) => a - b)[Math.floor(values.length * q)];

const { gateway, sessions, close } = await openGateway({
  url,
  agent,
  adapters: [adapter],
  commands: commandTable({ agent: agent.name, clock: Date.now }),
  people: { allow: { [adapter.platform]: people } },
  limits: { members: { messagesPerMinute: "none", modelCallsPerDay: "none" } },
  busy: { default: "queue" },
  onProblem: (problem) => console.error(problem),
});
await gateway.start();

for (let n = 0; n < 50; n++) await ask(people[n % chats]);
async function medianAlone() {
  tally.times = [];
  for (let n = 0; n < messages; n++) {
    await ask(people[n % chats]);
    await sleep(1); // What is left to be done behind an answer is not the next one's.
  }
  return quantile(tally.times, 0.5);
}
const young = await medianAlone();

// Every chat has more behind it than the agent is given: windows are full from the start, and do not grow.
for (const chat of people) {
  const { sessionId } = await sessions.getOrCreate(sourceOf(chat));
  const said = Array.from({ length: WINDOW / 2 }, (_, n) => [
    { role: "user", content: `message ${n} of before, and what do you think of it?`, name: "Ann" },
    { role: "assistant", content: `You said: message ${n} of before, and what do you think of it?` },
  ]);
  await sessions.appendMany(sessionId, said.flat());
}
await sessions.indexAll();

const alone = { median: young, withFullWindow: await medianAlone(), commits: commitsAlone() };

/** The four commits before a message is out (accepted, begun, finished, sending), of one row each, by the bare driver. */
function commitsAlone() {
  const database = new DatabaseSync(`${url}.raw`);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a TEXT)");
  const insert = database.prepare("INSERT INTO t VALUES (?)");
  const times = Array.from({ length: messages }, () => {
    const began = performance.now();
    for (let commit = 0; commit < 4; commit++) insert.run("message");
    return performance.now() - began;
  });
  database.close();
  return quantile(times, 0.5);
}

/** Each chat asks again as soon as it was answered, sometimes twice at once. */
async function chatter(chat, until) {
  for (let n = 0; Date.now() < until; n++) {
    const asked = [ask(chat)];
    if (n % 4 === 0) asked.push(ask(chat));
    await Promise.all(asked);
    await sleep(Math.random() * 20);
  }
}

/** What is held once the garbage is gone. */
function memory() {
  global.gc();
  global.gc(); // The first one may have been under way already, and keeps what was alive when it began.
  return process.memoryUsage();
}

const stop = await timesToStop(20);
Object.assign(tally, { messages: 0, answered: 0, outOfOrder: 0, times: [] });
const until = Date.now() + seconds * 1_000;
const loop = monitorEventLoopDelay({ resolution: 5 });
const chatting = Promise.all(people.map((chat) => chatter(chat, until)));
const afterStart = sleep((seconds * 1_000) / 6).then(memory);
loop.enable();
const cpu = process.cpuUsage();
await chatting;
const { user, system } = process.cpuUsage(cpu);
loop.disable();
const load = {
  seconds,
  messages: tally.messages,
  answered: tally.answered,
  outOfOrder: tally.outOfOrder,
  cpuMs: (user + system) / 1_000 / tally.messages,
  median: quantile(tally.times, 0.5),
  p99: quantile(tally.times, 0.99),
  loopP99: loop.percentile(99) / 1e6,
  afterStart: await afterStart,
  atEnd: memory(),
};
await close();
process.stdout.write(JSON.stringify({ alone, stop, load }));
