// A gateway that carries handoffs out (handoff.ts). It tells its parent when it claims one and when the agent's words are
// delivered, both as times of the one clock that processes share; asked for it, also what it costs to wait for nothing.
import { setTimeout as sleep } from "node:timers/promises";
import { openGateway } from "../../dist/open-gateway.js";
import { openStore } from "../../dist/open-sessions.js";
import { ScriptedAdapter } from "../../dist/testing/scripted-adapter.js";

const url = process.argv[2];
const now = () => performance.timeOrigin + performance.now();
process.on("disconnect", () => process.exit(0));

const agent = {
  name: "at once",
  async *run() {
    yield { kind: "message", message: { role: "assistant", content: "confirmed" }, results: [] };
    yield { kind: "done", stopped: false };
  },
};
const adapter = new ScriptedAdapter({
  onSend: ({ address, text }) => {
    if (text === "confirmed") process.send({ kind: "confirmed", chat: address.chatId, at: now() });
  },
});
const { gateway } = await openGateway({ url, agent, adapters: [adapter], commands: [] });
await gateway.start();

// Seen from outside, through a connection of its own: when a handoff is not pending any more.
const { store } = await openStore({ url });
process.on("message", async ({ watch, idleMs }) => {
  if (watch) {
    while ((await store.handoffs.find(watch, Date.now())).state === "pending") await sleep(1);
    process.send({ kind: "claimed", id: watch, at: now() });
  }
  if (idleMs) {
    const before = process.cpuUsage();
    await sleep(idleMs);
    const { user, system } = process.cpuUsage(before);
    process.send({ kind: "idle", percent: (user + system) / (idleMs * 10) });
  }
});
process.send({ kind: "ready" });
