// Measures a gateway while people search and prints figures as JSON (search.ts): argv[2] says the store, the searches, how
// many run at once, and for how many seconds. Chats are answered for as long without searches before, to compare with.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { ScriptedAdapter } from "../../dist/testing/scripted-adapter.js";

const { url, searches, seconds, atOnce } = JSON.parse(process.argv[2]);
const people = Array.from({ length: 10 }, (_, number) => `chat${number}`);
/** As somebody who reads before they write again, many times faster. */
const PAUSE_MS = 40;

const agent = {
  name: "at once",
  async *run({ history }) {
    const content = `You said: ${history.at(-1).content}`;
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

const waiting = new Map();
const adapter = new ScriptedAdapter({
  onSend: ({ address }) => {
    adapter.sent.length = 0;
    waiting.get(address.chatId)?.();
  },
});

const { gateway, sessions, close } = await openGateway({
  url,
  agent,
  adapters: [adapter],
  commands: commandTable({ agent: agent.name, clock: Date.now }),
  people: { allow: { [adapter.platform]: people } },
  limits: { members: { messagesPerMinute: "none", modelCallsPerDay: "none" } },
  onProblem: (problem) => console.error(problem),
});
await gateway.start();

let number = 0;
async function chatter(chat, until, times) {
  while (Date.now() < until) {
    const began = performance.now();
    const answered = new Promise((resolve) => waiting.set(chat, resolve));
    adapter.write({ userId: chat, userName: "Ann" }, `message ${++number}, and what do you think of it?`);
    await answered;
    times.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
}

let slowest = 0;
let done = 0;
async function searching(from, until) {
  for (let n = from; Date.now() < until; n++) {
    const [query, viewer, options] = searches[n % searches.length];
    const began = performance.now();
    await sessions.search(query, viewer, options);
    slowest = Math.max(slowest, performance.now() - began);
    done += 1;
  }
}

async function measure(searchers) {
  const until = Date.now() + seconds * 1_000;
  const times = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  await Promise.all([
    ...people.map((chat) => chatter(chat, until, times)),
    ...Array.from({ length: searchers }, (_, which) => searching(which * 3, until)),
  ]);
  loop.disable();
  times.sort((a, b) => a - b);
  return { answered: times.length, median: times[times.length >> 1], loopP99: loop.percentile(99) / 1e6 };
}

await measure(0); // Warms up.
const quiet = await measure(0);
const beside = await measure(atOnce);
await close();
process.stdout.write(JSON.stringify({ searches: done, slowest, quiet, beside }));
