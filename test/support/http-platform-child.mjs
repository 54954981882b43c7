// A gateway in a process of its own, on the compiled code, with the adapter of one platform. Its agent does what
// the last word of a message says: `look` calls a tool, `file` sends one (`large file` the one that is there), `long` says much, `patient` waits where it is told to; anything
// else it says again.

import { runToolCall } from "../../dist/agent/tool-call.js";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { fileOptions, sendFile } from "./sends-files.mjs";

const {
  url,
  platform,
  adapter: which = platform,
  settings,
  secrets,
  people,
  isPatient,
  holdsReceipts,
} = JSON.parse(process.argv[2]);
process.on("disconnect", () => process.exit(0));

const open = {
  telegram: async () => (await import("../../dist/adapter/telegram/adapter.js")).TelegramAdapter,
  discord: async () => (await import("../../dist/adapter/discord/adapter.js")).DiscordAdapter,
  slack: async () => (await import("../../dist/adapter/slack/adapter.js")).SlackAdapter,
  matrix: async () => (await import("../../dist/adapter/matrix/adapter.js")).MatrixAdapter,
  signal: async () => (await import("../../dist/adapter/signal/adapter.js")).SignalAdapter,
  whatsapp: async () => (await import("../../dist/adapter/whatsapp/adapter.js")).WhatsAppAdapter,
  mattermost: async () => (await import("../../dist/adapter/mattermost/adapter.js")).MattermostAdapter,
  feishu: async () => (await import("../../dist/adapter/feishu/adapter.js")).FeishuAdapter,
  baileys: async () => (await import("../../dist/adapter/whatsapp/baileys/adapter.js")).BaileysAdapter,
};
const given = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, () => value]));
const adapter = new (await open[which]())({ ...settings, ...given });

/** What is received is kept, and the platform never hears of it. */
const neverSaid = {
  platform: adapter.platform,
  account: adapter.account,
  capabilities: adapter.capabilities,
  serve: (line) =>
    adapter.serve({
      ...line,
      receive: async (message) => {
        await line.receive(message);
        process.send({ kind: "kept" });
        return new Promise(() => {});
      },
    }),
};

async function* converse(turn) {
  const { history, signal, tools } = turn;
  const asked = history.findLast(({ role }) => role === "user").content;
  process.send({ kind: "begun", asked });
  if (asked.endsWith("patient") && isPatient)
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  if (asked.endsWith("file")) yield* sendFile(turn, asked.endsWith("large file") ? "large.bin" : "notes.txt");
  if (asked.endsWith("look")) {
    const call = { id: `call-${history.length}`, name: "look", arguments: "{}" };
    yield { kind: "tool call", call };
    const found = await runToolCall(call, tools, signal);
    yield { kind: "tool result", call, content: found };
    const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
    yield { kind: "message", message: { role: "assistant", content: "", toolCalls: [call] }, results };
    yield { kind: "message", message: { role: "assistant", content: `It is **${found}**.` }, results: [] };
  } else {
    const long = Array.from({ length: 120 }, (_, n) => `Paragraph ${n}: ${"words and ".repeat(8)}so on.`);
    const content = asked.endsWith("long") ? long.join("\n\n") : `You said: ${asked} (${history.length})`;
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
  }
  yield { kind: "done", stopped: signal.aborted };
}

const { gateway } = await openGateway({
  url,
  agent: { name: "scripted", run: converse },
  adapters: [holdsReceipts ? neverSaid : adapter],
  commands: commandTable({ agent: "scripted", clock: Date.now }),
  tools: () => [{ name: "look", description: "", parameters: {}, run: async () => "there" }],
  ...fileOptions(url),
  toolLists: { members: ["look", "send_file"] },
  people: { allow: { [platform]: people } },
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});
await gateway.start();
process.send({ kind: "ready", port: adapter.port });
