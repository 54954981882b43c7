// A gateway with the Matrix adapter, in a process of its own that can be killed. Its agent goes by the words of a message:
// `tool` looks something up first, `file` sends one, `long` answers at length, `slow` takes as long as it is told, and says when it begins.
import { setTimeout as sleep } from "node:timers/promises";
import { MatrixAdapter } from "../../dist/adapter/matrix/adapter.js";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { fileOptions, sendFile } from "./sends-files.mjs";

const { url, homeserver, token, folder, people, slowMs } = JSON.parse(process.argv[2]);
process.on("disconnect", () => process.exit(0));

const look = { name: "look", description: "", parameters: {}, run: async () => "the sky is blue" };

async function* converse(turn) {
  const { history, signal, tools } = turn;
  const asked = history.findLast(({ role }) => role === "user").content;
  process.send({ kind: "begun", asked });
  if (asked.includes("slow")) await sleep(slowMs, undefined, { signal }).catch(() => {});
  if (asked.includes("file")) yield* sendFile(turn);
  let found = "";
  if (asked.includes("tool")) {
    const call = { id: `call-${history.length}`, name: "look", arguments: "{}" };
    yield { kind: "tool call", call };
    found = `: ${await runToolCall(call, tools, signal)}`;
    yield { kind: "tool result", call, content: found };
    const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
    yield { kind: "message", message: { role: "assistant", content: "", toolCalls: [call] }, results };
  }
  const heard = history.filter(({ role }) => role === "user").length;
  const long = asked.includes("long") ? `\n\n${"All is well, **and more** of it. ".repeat(900)}` : "";
  const content = `Answer ${heard} to ${asked}${found}${long}`;
  yield { kind: "text", text: content };
  yield { kind: "message", message: { role: "assistant", content }, results: [] };
  yield { kind: "done", stopped: signal.aborted };
}

const adapter = new MatrixAdapter({ homeserver, accessToken: () => token, ...(folder ? { folder } : {}) });
const { gateway, close } = await openGateway({
  url,
  agent: { name: "scripted", run: converse },
  adapters: [adapter],
  commands: commandTable({ agent: "scripted", clock: Date.now }),
  tools: () => [look],
  ...fileOptions(url),
  toolLists: { members: [look.name, "send_file"] },
  people: { allow: { matrix: people } },
  leaseMs: 3_000,
  onProblem: (problem) => process.send({ kind: "problem", problem }),
});
process.on("message", async () => {
  await close({ drainMs: 1_000 });
  process.disconnect();
});
await gateway.start();
process.send({ kind: "ready" });
