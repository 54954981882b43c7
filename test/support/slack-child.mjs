// A gateway in a process of its own on the compiled code, with the real Slack client and a scripted agent.
//
// What it does follows from the words of a message: `tool` looks something up first, `file` sends one, `long` answers at length, `patient`
// begins to speak and then, in a process that is told to be patient, waits for ever. Every answer says how many messages
// the agent saw.
import { SlackAdapter } from "../../dist/adapter/slack/adapter.js";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { commandTable } from "../../dist/gateway/commands/table.js";
import { openGateway } from "../../dist/open-gateway.js";
import { fileOptions, sendFile } from "./sends-files.mjs";

const { url, slackUrl, botToken, appToken, people, isPatient } = JSON.parse(process.argv[2]);

async function* converse(turn) {
  const { history, signal, tools } = turn;
  const asked = history.findLast(({ role }) => role === "user").content;
  const seen = history.filter(({ role }) => role === "user").length;
  const call = { id: "call-1", name: "look", arguments: "{}" };
  if (asked.includes("file")) yield* sendFile(turn);
  if (asked.includes("tool") && history.at(-1).role === "user") {
    yield { kind: "text", text: "I look it up." };
    yield { kind: "tool call", call };
    const found = await runToolCall(call, tools, signal);
    yield { kind: "tool result", call, content: found };
    const results = [{ role: "tool", toolCallId: call.id, name: call.name, content: found }];
    yield {
      kind: "message",
      message: { role: "assistant", content: "I look it up.", toolCalls: [call] },
      results,
    };
  }
  if (asked.includes("patient") && isPatient) {
    yield { kind: "text", text: "Let me think about that for a while. " };
    process.send("thinking");
    await new Promise(() => {});
  }
  const long = asked.includes("long")
    ? Array.from({ length: 450 }, (_, n) => `Line **${n}** & more.`).join("\n")
    : "";
  const content = `${long}\nThe answer to "${asked}" (${seen}).`.trim();
  yield { kind: "text", text: content };
  yield { kind: "message", message: { role: "assistant", content }, results: [] };
  yield { kind: "done", stopped: signal.aborted };
}

const look = { name: "look", description: "Looks it up.", parameters: {}, run: async () => "found" };
const adapter = new SlackAdapter({
  botToken: () => botToken,
  appToken: () => appToken,
  baseUrl: slackUrl,
  timeoutMs: 60_000,
});
const { gateway, close } = await openGateway({
  titles: "none",
  url,
  agent: { name: "scripted", run: converse },
  adapters: [adapter],
  commands: commandTable({ agent: "scripted", clock: Date.now }),
  tools: () => [look],
  ...fileOptions(url),
  toolLists: { members: [look.name, "send_file"] },
  people: { allow: { slack: people } },
  onProblem: (problem) => process.stderr.write(`${problem}\n`),
});
await gateway.start();
process.on("message", async () => {
  await close({ drainMs: 0 });
  process.disconnect(); // Nothing else may keep this process alive.
});
process.send(gateway.platforms()[0].state.kind);
