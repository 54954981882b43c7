/**
 * Runs one tool call to a result. Everything becomes a result: an unknown tool, arguments that are not JSON, a tool
 * that fails, a turn that is stopped. So every call of a message has a result, in text that every store accepts.
 */
import type { ToolCall } from "../session/transcript.js";
import { isFields, parseJson } from "../util/json.js";
import { shorten, storableText } from "../util/text.js";
import type { Tool, ToolContext } from "./agent.js";

/** How long a tool may take to stop. Code that stops a turn should wait a little longer. */
const STOP_GRACE_MS = 100;

const NOT_RUN = "Error: not run, because the turn was stopped.";
const LEFT_BEHIND = "Error: stopped before it finished; it may or may not have taken effect.";

/** Never rejects; ends soon after the signal aborts, even if the tool does not. */
export async function runToolCall(
  call: ToolCall,
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<string> {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(", ") || "none";
    return storableText(`Error: there is no tool ${JSON.stringify(call.name)}. Tools: ${names}.`);
  }
  if (signal.aborted) return NOT_RUN;
  return storableText(await endingSoon(() => attempt(tool, { call, signal }), signal));
}

async function attempt(tool: Tool, context: ToolContext): Promise<string> {
  let args: unknown;
  try {
    args = parseJson(context.call.arguments);
  } catch {
    return "Error: the arguments are not valid JSON, or are nested too deep.";
  }
  const unknown = unknownArguments(tool, args);
  if (unknown !== null) return unknown;
  try {
    return await tool.run(args, context);
  } catch (error) {
    return `Error: the tool failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A misspelt argument must not be ignored: the model believes that it works. */
function unknownArguments({ name, parameters }: Tool, args: unknown): string | null {
  const { properties, additionalProperties } = parameters;
  if (additionalProperties !== false || !isFields(properties) || !isFields(args)) return null;
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(properties, key));
  if (unknown === undefined) return null;
  const known = Object.keys(properties).join(", ") || "none";
  return `Error: not run: \`${name}\` has no argument ${JSON.stringify(shorten(unknown, 100))}. Arguments: ${known}.`;
}

/** Listens before it starts, because a tool may stop the turn itself. `start` never rejects. */
function endingSoon(start: () => Promise<string>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUpLater = () => {
      timer = setTimeout(resolve, STOP_GRACE_MS, LEFT_BEHIND);
    };
    signal.addEventListener("abort", giveUpLater, { once: true });
    void start().then((content) => {
      signal.removeEventListener("abort", giveUpLater);
      clearTimeout(timer);
      resolve(content);
    });
  });
}
