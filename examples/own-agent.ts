/**
 * Your own agent behind a gateway, with a tool and a command of your own. `ask` stands for your model: it gets the
 * conversation and yields words and tool calls. The gateway does the rest: platforms, people, sessions, delivery.
 */
import {
  type Adapter,
  type Agent,
  AgentError,
  type AssistantMessage,
  type Command,
  commandTable,
  type Message,
  type OpenGateway,
  openGateway,
  runToolCall,
  type Tool,
  type ToolCall,
  type ToolMessage,
  type TurnInput,
} from "baton-gateway";

/** One call of a model. It must end soon after the turn's `signal` aborts. */
export type Ask = (messages: readonly Message[], turn: TurnInput) => AsyncIterable<string | ToolCall>;

export function agentFrom(name: string, ask: Ask): Agent {
  return {
    name,
    async *run(turn) {
      const { signal, tools } = turn;
      const messages = [...turn.history];
      for (let isOver = false; !isOver && !signal.aborted; ) {
        await turn.beforeCall?.(); // The gateway counts calls here, and refuses those above a limit.
        let content = "";
        const toolCalls: ToolCall[] = [];
        try {
          for await (const piece of ask(messages, turn)) {
            if (signal.aborted) break;
            if (typeof piece !== "string") toolCalls.push(piece);
            else {
              content += piece;
              yield { kind: "text", text: piece };
            }
          }
        } catch (error) {
          // The chat shows the message of an AgentError, so it is a whole sentence.
          if (!signal.aborted) throw new AgentError(`${name} failed: ${(error as Error).message}.`);
        }
        const results: ToolMessage[] = [];
        for (const call of signal.aborted ? [] : toolCalls) {
          yield { kind: "tool call", call };
          const result = await runToolCall(call, tools, signal);
          yield { kind: "tool result", call, content: result };
          results.push({ role: "tool", toolCallId: call.id, name: call.name, content: result });
        }
        const calls = results.length > 0 ? { toolCalls } : {};
        const message: AssistantMessage = { role: "assistant", content, ...calls };
        if (content !== "" || results.length > 0) yield { kind: "message", message, results };
        const steered = signal.aborted ? [] : turn.steer(); // People may write while the model speaks.
        messages.push(message, ...results, ...steered);
        isOver = results.length === 0 && steered.length === 0;
      }
      yield { kind: "done", stopped: signal.aborted };
    },
  };
}

const dice: Tool = {
  name: "dice",
  description: "Rolls a die.",
  parameters: { type: "object", properties: { sides: { type: "integer", minimum: 2 } }, required: ["sides"] },
  async run(args) {
    const { sides } = args as { sides?: unknown };
    if (typeof sides !== "number" || sides < 2) return "Error: `sides` must be a number of at least 2.";
    return `It shows ${1 + Math.floor(Math.random() * sides)}.`;
  },
};

const hello: Command = {
  name: "hello",
  usage: "[name]",
  description: "greet you, or somebody else",
  run: async ({ words, who }) => `Hello, ${words || who.role}!`,
};

export function openAssistant(url: string, ask: Ask, adapters: readonly Adapter[]): Promise<OpenGateway> {
  const agent = agentFrom("assistant", ask);
  return openGateway({
    url,
    agent,
    adapters,
    tools: () => [dice],
    commands: commandTable({ agent: agent.name, clock: Date.now }, [hello]),
    people: {
      pairing: "off",
      owners: Object.fromEntries(adapters.map(({ platform }) => [platform, ["ann"]])),
    },
  });
}
