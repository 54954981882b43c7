// A gateway in a process of its own, on Telegram through grammY and the compiled code. Its agent does what the last
// message says: `look` calls a tool first; `file` sends one; `long` says more than a message holds; `slow` tells the parent that it has
// begun and waits, unless the process is to be quick; anything else is counted.

import { TelegramAdapter } from "../../dist/adapter/telegram/adapter.js";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { fileOptions, sendFile } from "./sends-files.mjs";

const { url, token, baseUrl, people, isQuick } = JSON.parse(process.argv[2]);
process.on("disconnect", () => process.exit(0));

const LONG = Array.from({ length: 60 }, (_, n) =>
  n % 10 === 5
    ? `\`\`\`js\nconst n = ${n}; // <${n}>\n\`\`\``
    : `Paragraph ${n} is **long**. ${"More & more. ".repeat(12)}`,
).join("\n\n");

async function* converse(turn) {
  const { history, signal, tools } = turn;
  const asked = history.findLast(({ role }) => role === "user").content;
  if (asked.endsWith("file")) yield* sendFile(turn);
  if (asked.endsWith("look") && history.at(-1).role === "user") {
    const call = { id: `call-${history.length}`, name: "look", arguments: "{}" };
    yield { kind: "tool call", call };
    const found = await runToolCall(call, tools, signal);
    yield { kind: "tool result", call, content: found };
    const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
    yield { kind: "message", message: { role: "assistant", content: "", toolCalls: [call] }, results };
    yield* say(`I found *${found}*.`);
  } else if (asked.endsWith("long")) yield* say(LONG);
  else if (asked.endsWith("slow")) {
    process.send({ kind: "begun" });
    if (!isQuick) await new Promise(() => {});
    yield* say("Slow, but sure.");
  } else yield* say(`I have heard ${history.filter(({ role }) => role === "user").length}.`);
}

async function* say(content) {
  yield { kind: "text", text: content };
  yield { kind: "message", message: { role: "assistant", content }, results: [] };
  yield { kind: "done", stopped: false };
}

const look = { name: "look", description: "", parameters: {}, run: async () => "the <answer>" };

const { gateway, close } = await openGateway({
  url,
  agent: { name: "scripted", run: converse },
  adapters: [new TelegramAdapter({ token: () => token, baseUrl })],
  commands: commandTable({ agent: "scripted", clock: Date.now }),
  tools: () => [look],
  ...fileOptions(url),
  toolLists: { members: [look.name, "send_file"] },
  people: { allow: { telegram: people } },
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});
process.on("message", async ({ kind }) => {
  if (kind === "settle") {
    await gateway.delivered();
    return process.send({ kind: "settled" });
  }
  await close({ drainMs: 0 });
  process.removeAllListeners("disconnect"); // Nothing else may keep it alive.
  process.disconnect();
});
await gateway.start();
process.send({ kind: "ready" });
