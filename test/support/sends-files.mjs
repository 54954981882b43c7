// For gateways in processes of their own: their agent may send files of the folder in which their store is.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runToolCall } from "../../dist/agent/tool-call.js";
import { filesToSend } from "../../dist/agent/tools/built-in.js";

/** What such a gateway is opened with. */
export function fileOptions(url) {
  const folder = dirname(url.replace(/^sqlite:/, ""));
  writeFileSync(join(folder, "notes.txt"), "what is in it\n");
  const places = { workdir: folder, folders: [folder], own: [], environment: {} };
  return { files: { folder: join(folder, "media"), outgoing: async () => filesToSend(places) } };
}

/** The step of an agent that sends the file; none if it was sent before the last process ended. */
export async function* sendFile({ history, tools, signal }, path = "notes.txt") {
  if (history.at(-1).role !== "user") return;
  const args = JSON.stringify({ path, caption: "the notes" });
  const call = { id: `call-${history.length}`, name: "send_file", arguments: args };
  yield { kind: "tool call", call };
  const content = await runToolCall(call, tools, signal);
  yield { kind: "tool result", call, content };
  const results = [{ role: "tool", toolCallId: call.id, name: call.name, content }];
  yield { kind: "message", message: { role: "assistant", content: "", toolCalls: [call] }, results };
}
