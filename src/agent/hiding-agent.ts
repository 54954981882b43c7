/**
 * An agent that neither receives nor reveals known secrets: they are removed from its input (prompt, history, tools and
 * their results) and from its output. Streamed text is held back while it could be the start of a secret.
 */
import type { Message, ToolCall } from "../session/transcript.js";
import { mapInTurns } from "../util/in-turns.js";
import type { Hide, HidingStream, Redactor } from "../util/redact.js";
import { type Agent, AgentError, type AgentEvent, type Tool, type TurnInput } from "./agent.js";

type Hiding = Pick<Redactor, "hide" | "redact" | "stream">;

export function hidingAgent(agent: Agent, hiding: Hiding): Agent {
  return { ...agent, run: (turn) => cleanEvents(agent, turn, hiding) };
}

async function* cleanEvents(agent: Agent, turn: TurnInput, hiding: Hiding): AsyncGenerator<AgentEvent> {
  const { hide, redact } = hiding;
  const streams = { text: hiding.stream(), reasoning: hiding.stream() };
  try {
    for await (const event of agent.run(await cleanTurn(turn, hide))) {
      if (event.kind === "text" || event.kind === "reasoning") {
        const text = streams[event.kind].push(event.text);
        if (text !== "") yield { ...event, text };
      } else {
        yield* waiting(streams);
        yield cleanEvent(event, hide);
      }
    }
  } catch (error) {
    yield* waiting(streams);
    if (error instanceof AgentError) {
      const { wantsModel } = error;
      throw new AgentError(redact(error.message), { cause: error, wantsModel });
    }
    throw error;
  }
}

/** The text that was held back, once nothing more follows. */
function* waiting(streams: Readonly<Record<"text" | "reasoning", HidingStream>>): Generator<AgentEvent> {
  for (const kind of ["reasoning", "text"] as const) {
    const text = streams[kind].end();
    if (text !== "") yield { kind, text };
  }
}

async function cleanTurn(turn: TurnInput, hide: Hide): Promise<TurnInput> {
  return {
    ...turn,
    prompt: hide(turn.prompt),
    ...(turn.labels === undefined ? {} : { labels: hide(turn.labels) }),
    history: await mapInTurns(turn.history, (message) => cleanMessage(message, hide)),
    tools: turn.tools.map((tool) => cleanTool(tool, hide)),
    steer: () => turn.steer().map((message) => cleanMessage(message, hide)),
    ...fitOf(turn, hide),
  };
}

/** What the agent has already got is clean, and stays the same object: also the whole list, if nothing in it changed. */
function fitOf({ fit: fitGiven }: TurnInput, hide: Hide): Pick<TurnInput, "fit"> {
  if (!fitGiven) return {};
  return {
    fit: async (draft) => {
      const known = new Set(draft.messages);
      const messages = await fitGiven(draft);
      if (messages === draft.messages) return messages;
      return messages.map((message) => (known.has(message) ? message : cleanMessage(message, hide)));
    },
  };
}

function cleanTool(tool: Tool, hide: Hide): Tool {
  return {
    ...tool,
    description: hide(tool.description),
    parameters: JSON.parse(hide(JSON.stringify(tool.parameters))),
    run: async (args, context) => hide(await tool.run(args, context)),
  };
}

function cleanEvent(event: AgentEvent, hide: Hide): AgentEvent {
  switch (event.kind) {
    case "tool call":
      return { ...event, call: cleanCall(event.call, hide) };
    case "tool result":
      return { ...event, call: cleanCall(event.call, hide), content: hide(event.content) };
    case "message":
      return {
        ...event,
        message: cleanMessage(event.message, hide),
        results: event.results.map((result) => cleanMessage(result, hide)),
      };
    case "retry":
      return { ...event, reason: hide(event.reason) };
    default:
      return event;
  }
}

function cleanMessage<Kind extends Message>(message: Kind, hide: Hide): Kind {
  const clean = { ...message, content: hide(message.content) };
  if (clean.role === "user" && clean.name !== undefined) return { ...clean, name: hide(clean.name) };
  if (clean.role !== "assistant") return clean;
  const { toolCalls, reasoning } = clean;
  return {
    ...clean,
    ...(toolCalls ? { toolCalls: toolCalls.map((call) => cleanCall(call, hide)) } : {}),
    ...(reasoning === undefined ? {} : { reasoning: hide(reasoning) }),
  };
}

function cleanCall(call: ToolCall, hide: Hide): ToolCall {
  return { ...call, arguments: hide(call.arguments) };
}
