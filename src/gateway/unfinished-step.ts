/** What an agent said and did since its last complete message, as messages. Pure. */
import type { Message, ToolCall } from "../session/transcript.js";

export interface UnfinishedStep {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** By the id of the call; a call that has none may still run. */
  readonly results: ReadonlyMap<string, string>;
}

/** Empty if there is nothing; calls without a result say so. */
export function unfinishedMessages({ text, calls, results }: UnfinishedStep): Message[] {
  if (text.trim() === "" && calls.length === 0) return [];
  const answers = calls.map((call): Message => {
    const content =
      results.get(call.id) ?? "Stopped before it finished; it may or may not have taken effect.";
    return { role: "tool", toolCallId: call.id, name: call.name, content };
  });
  const toolCalls = calls.length > 0 ? { toolCalls: calls } : {};
  return [{ role: "assistant", content: text, ...toolCalls }, ...answers];
}
