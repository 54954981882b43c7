// A gateway in a process of its own, on the compiled code, with Discord as its only platform. Its agent is scripted by
// the words of a message: `tool` looks something up first, `file` sends one, `long` takes many words, `slow` says nothing until the
// process is told to go on, `count` says how much of the conversation it knows.

import { DiscordAdapter } from "../../dist/adapter/discord/adapter.js";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { fileOptions, sendFile } from "./sends-files.mjs";

const { url, token, baseUrl, person, isPatient } = JSON.parse(process.argv[2]);

const weather = { name: "weather", description: "", parameters: {}, run: async () => "sunny" };

async function* converse(turn) {
  const { history, signal, tools } = turn;
  const asked = history.filter(({ role }) => role === "user");
  const words = asked.at(-1)?.content ?? "";
  let answer = `You said: ${words}`;
  if (words.includes("file")) yield* sendFile(turn);
  if (words.includes("tool")) {
    const call = { id: `call-${asked.length}`, name: "weather", arguments: "{}" };
    yield { kind: "tool call", call };
    const found = await runToolCall(call, tools, signal);
    yield { kind: "tool result", call, content: found };
    const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
    yield { kind: "message", message: { role: "assistant", content: "", toolCalls: [call] }, results };
    answer = `It is **${found}**.`;
  }
  if (words.includes("long"))
    answer = Array.from({ length: 120 }, (_, n) => `Paragraph ${n} of snake_case *words* about tea.`).join(
      "\n\n",
    );
  if (words.includes("count")) answer = `I know ${asked.length}.`;
  if (words.includes("slow")) {
    process.send({ kind: "begun" });
    if (isPatient) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    answer = "Slow, but there.";
  }
  yield { kind: "text", text: answer };
  yield { kind: "message", message: { role: "assistant", content: answer }, results: [] };
  yield { kind: "done", stopped: signal.aborted };
}

const opened = await openGateway({
  url,
  agent: { name: "scripted", run: converse },
  adapters: [new DiscordAdapter({ token: () => token, baseUrl })],
  commands: commandTable({ agent: "scripted", clock: Date.now }),
  tools: () => [weather],
  ...fileOptions(url),
  toolLists: { members: [weather.name, "send_file"] },
  people: { allow: { discord: [person] } },
  leaseMs: 2_000,
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});
await opened.gateway.start();
process.send({ kind: "ready" });
process.once("message", async () => {
  await opened.close({ drainMs: 0 });
  process.disconnect();
});
