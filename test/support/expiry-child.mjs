// A gateway's watcher for expired sessions in a process of its own, on the compiled code. It says when it asks its model
// about a session, and can be killed there; the parent counts.
import { Upkeep } from "../../dist/gateway/memory/upkeep.js";
import { openStore } from "../../dist/open-sessions.js";
import { processHolder } from "../../dist/util/holder.js";

const { url, now, dieAfter } = JSON.parse(process.argv[2]);
process.on("disconnect", () => process.exit(0));
const clock = () => now;
const { store, sessions } = await openStore({
  url,
  clock,
  config: { reset: { default: { mode: "idle", idleMinutes: 60 } } },
});

let asked = 0;
const agent = {
  name: "scripted",
  contextTokens: 8_000,
  async *run({ sessionId, history }) {
    asked += 1;
    process.send({ kind: "asked", sessionId });
    if (asked === dieAfter) process.kill(process.pid, "SIGKILL");
    await new Promise((resolve) => setImmediate(resolve));
    const fact = /fact\d+/.exec(history.at(-1).content)?.[0] ?? "none";
    yield { kind: "text", text: fact };
    yield { kind: "usage", usage: { inputTokens: 10, outputTokens: 1 } };
    yield { kind: "message", message: { role: "assistant", content: `- likes ${fact}` }, results: [] };
    yield { kind: "done", stopped: false };
  },
};
const upkeep = new Upkeep({
  agent,
  sessions,
  store,
  share: 0.7,
  maxMessages: 500,
  maxMemory: 4_000,
  titles: "none",
  scopes: {},
  holder: processHolder(),
  clock,
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});
const who = (source) => ({
  allowed: true,
  source,
  role: "member",
  viewer: { kind: "person", identities: [`telegram:${source.userId}`] },
  identities: [`telegram:${source.userId}`],
  names: [],
});
upkeep.start({ access: async (source) => who(source), modelCall: async () => {} });
await upkeep.watcher.look();
process.send({ kind: "done" });
