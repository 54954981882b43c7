/**
 * Asks the agent's model for a text, outside of a conversation: no tools, nobody sees it, nothing is stored. It reads all
 * of the record or fails: of a part that was cut off it would say nothing, and nobody would know.
 */
import { type Agent, AgentError } from "../../agent/agent.js";
import type { ModelTask } from "../../memory/summarise.js";
import type { SessionId } from "../../session/ids.js";
import type { ModelUse } from "../../session/session.js";

export interface ModelQuestion extends ModelTask {
  readonly sessionId: SessionId;
  readonly model?: string;
  readonly beforeCall?: () => Promise<void>;
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  /** Null if the model failed. */
  readonly text: string | null;
  /** Why, for people. */
  readonly failure?: string;
  readonly uses: readonly ModelUse[];
}

export async function askModel(agent: Agent, question: ModelQuestion): Promise<ModelAnswer> {
  const { sessionId, prompt, record, model, beforeCall, signal } = question;
  let text = "";
  const uses: ModelUse[] = [];
  try {
    const events = agent.run({
      sessionId,
      prompt,
      history: [{ role: "user", content: record, note: true }],
      tools: [],
      ...(model === undefined ? {} : { model }),
      ...(beforeCall ? { beforeCall } : {}),
      signal,
      steer: () => [],
      fit: async ({ messages }) => messages,
    });
    for await (const event of events) {
      if (event.kind === "message") text += event.message.content;
      if (event.kind === "usage") uses.push(event);
      if (event.kind === "done" && event.stopped) return { text: null, failure: "It took too long.", uses };
    }
  } catch (error) {
    if (error instanceof AgentError) return { text: null, failure: error.message, uses };
    throw error;
  }
  return { text, uses };
}
