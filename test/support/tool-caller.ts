/** An agent that does what the last message says: `process {…}` calls that tool and says its result; anything else it repeats. */
import type { Agent } from "../../src/agent/agent.js";
import { runToolCall } from "../../src/agent/tool-call.js";

/** After the name of a sender, or after the note of a job. */
const CALL = /^(?:\[[^\]]*\] |\[note from Baton: [^\n]*\]\n)?(terminal|process|schedule|memory) (\{.*\})$/s;

export const toolCaller: Agent = {
  name: "tool caller",
  async *run({ history, tools, signal }) {
    const last = history.at(-1)?.content ?? "";
    const [, name, args] = CALL.exec(last) ?? [];
    const call = name && args ? { id: `c${history.length}`, name, arguments: args } : null;
    if (call) yield { kind: "tool call", call };
    const content = call ? await runToolCall(call, tools, signal) : `heard: ${last}`;
    if (call) yield { kind: "tool result", call, content };
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: signal.aborted };
  },
};
