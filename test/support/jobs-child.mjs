// A gateway that runs jobs, in a process of its own. Its platform lives in the parent (jobs-process.ts) and outlives it. It
// can be told to kill itself around any step of a run. The number in a job's prompt, such as `#17#`, is in its answer.
import { appendFileSync, closeSync, openSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { terminalTool } from "../../dist/agent/tools/terminal.js";
import { Commands } from "../../dist/gateway/commands/commands.js";
import { Gateway } from "../../dist/gateway/gateway.js";
import { SCHEDULER } from "../../dist/gateway/jobs/surface.js";
import { openStore } from "../../dist/open-sessions.js";
import { processHolder } from "../../dist/util/holder.js";

const { url, folder, effects, people, leaseMs, mostRunning, isBrief, death } = JSON.parse(process.argv[2]);
const platform = "telegram";
process.on("disconnect", () => process.exit(0));

/** Where to die: when the step is reached next, before it is taken or after it was. */
let armed = death;
function passing(step, side) {
  if (armed?.step === step && armed.side === side && isFirst(armed.once))
    process.kill(process.pid, "SIGKILL");
}

function isFirst(path) {
  try {
    closeSync(openSync(path, "wx"));
    return true;
  } catch {
    return false;
  }
}

/** How often each method of the store was called. */
const calls = {};

const around =
  (step, call) =>
  async (...args) => {
    calls[step] = (calls[step] ?? 0) + 1;
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

/** Looks something up first, as a step of its own, unless it is to be brief. */
const agent = {
  name: "scripted",
  async *run({ history, tools, signal }) {
    passing("model", "before");
    const [number] = /#\d+#/.exec(history.findLast(({ role }) => role === "user").content);
    const call = { id: `call${number}`, name: "look", arguments: "{}" };
    if (!isBrief && !history.some(({ toolCallId }) => toolCallId === call.id)) {
      yield { kind: "tool call", call };
      const found = await runToolCall(call, tools, signal);
      yield { kind: "tool result", call, content: found };
      const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
      yield { kind: "message", message: { role: "assistant", content: "", toolCalls: [call] }, results };
    }
    const content = `result ${number}`;
    yield { kind: "text", text: content };
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    passing("model", "after");
    yield { kind: "done", stopped: false };
  },
};

/** Does what cannot be undone, as the command of a job does: a line in a file that outlives the process. */
const look = {
  name: "look",
  description: "",
  parameters: {},
  run: around("tool", async (_, { call }) => {
    appendFileSync(effects, `${call.id.slice("call".length)}\n`);
    return "found";
  }),
};
const terminal = terminalTool({ cwd: folder, environment: { PATH: process.env.PATH } });

const sending = new Map();
const speaker = {
  send: around(
    "adapter.send",
    ({ deliveryId, address, text }) =>
      new Promise((resolve) => {
        sending.set(deliveryId, resolve);
        process.send({ kind: "send", deliveryId, chat: address.chatId, text });
      }),
  ),
};
const adapter = {
  platform,
  account: "bot",
  capabilities: { maxText: 4_096, unit: "utf16", edit: false, threads: false },
  serve: async ({ up, end }) => {
    up(speaker);
    await new Promise((resolve) => end.addEventListener("abort", resolve));
  },
};

const { store, sessions } = await openStore({ url });
const gateway = new Gateway({
  sessions,
  store: {
    ...store,
    turns: deadly("turns", store.turns),
    journal: deadly("journal", store.journal),
    outbox: deadly("outbox", store.outbox),
    jobRuns: deadly("jobRuns", store.jobRuns),
  },
  agent,
  adapters: [adapter],
  commands: new Commands([], sessions),
  tools: () => [look, { ...terminal, run: around("tool", (...args) => terminal.run(...args)) }],
  toolLists: {},
  scopes: {},
  people: { owners: { [platform]: people } },
  busy: { default: "queue", byPlatform: {}, byChat: {} },
  context: { connectedPlatforms: [platform], homeChannels: [] },
  jobs: {
    outputFolder: `${folder}/output`,
    runsHere: true,
    mostRunning,
    timeZone: "UTC",
    timeoutMs: 60_000,
    mostPerPerson: 50,
  },
  maxMessages: 500,
  deadlineMs: 60_000,
  leaseMs,
  holder: processHolder(),
  clock: Date.now,
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});

const loop = monitorEventLoopDelay({ resolution: 5 });
let since = { at: performance.now(), cpu: process.cpuUsage() };

const told = {
  sent: ({ deliveryId, messageId }) => {
    sending.get(deliveryId)({ messageId });
    sending.delete(deliveryId);
  },
  arm: ({ death: given }) => {
    armed = given;
    process.send({ kind: "armed" });
  },
  /** What was measured since that began, which then begins anew, if asked. */
  figures: async ({ isAnew }) => {
    const { user, system } = process.cpuUsage(since.cpu);
    global.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const holder = (await store.accounts.held(Date.now())).find(
      ({ platform }) => platform === SCHEDULER.platform,
    );
    process.send({
      kind: "figures",
      figures: {
        isScheduler: holder?.holder === gateway.holder,
        seconds: (performance.now() - since.at) / 1_000,
        cpuMs: (user + system) / 1_000,
        loopP99Ms: loop.percentile(99) / 1e6,
        loopMaxMs: loop.max / 1e6,
        rss,
        heapUsed,
        calls: { ...calls },
      },
    });
    if (!isAnew) return;
    for (const step of Object.keys(calls)) delete calls[step];
    since = { at: performance.now(), cpu: process.cpuUsage() };
    loop.reset();
  },
};

process.on("message", (message) => told[message.kind](message));
await gateway.start();
loop.enable();
process.send({ kind: "ready" });
