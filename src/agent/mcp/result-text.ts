/** The result of a tool as text for the model: text as it is, anything else as a short note; bounded. */
import { z } from "zod";
import { isTooDeep } from "../../util/json.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { BoundedOutput } from "../tools/bounded-output.js";

export interface McpToolResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

const LONGEST = 30_000;
/** Nobody reads more parts than this. */
const MOST_PARTS = 500;

const part = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string().optional() }),
  z.object({
    type: z.literal("resource"),
    resource: z.object({ uri: z.string(), mimeType: z.string().optional(), text: z.string().optional() }),
  }),
]);

const TOO_DEEP = "[result not shown: it is nested too deep]";

/** `hide` removes secrets. */
export function resultText(result: McpToolResult, hide: (text: string) => string): string {
  const output = new BoundedOutput(LONGEST);
  const { content, structuredContent } = result;
  const parts = content.slice(0, MOST_PARTS).map(partText);
  if (content.length > MOST_PARTS) parts.push(`[${content.length - MOST_PARTS} more parts, not shown]`);
  if (content.length === 0 && structuredContent !== undefined) {
    parts.push(isTooDeep(structuredContent) ? TOO_DEEP : JSON.stringify(structuredContent));
  }
  parts.forEach((text, index) => {
    output.add(hide(index === 0 ? text : `\n${text}`));
  });
  const text = output.text(printableText).trimEnd() || "(no output)";
  return result.isError ? `Error: ${text}` : text;
}

function partText(given: unknown): string {
  const parsed = part.safeParse(given);
  if (!parsed.success) {
    const type = (given as { type?: unknown } | null)?.type;
    return `[content of type ${typeof type === "string" ? named(type) : "unknown"}, not shown]`;
  }
  const { data } = parsed;
  switch (data.type) {
    case "text":
      return data.text;
    case "image":
    case "audio":
      return `[${data.type}, ${named(data.mimeType)}, ${Math.ceil((data.data.length * 3) / 4)} bytes, not shown]`;
    case "resource_link":
      return `[link to ${data.name === undefined ? "a resource" : named(data.name)}: ${named(data.uri)}]`;
    case "resource": {
      const { uri, mimeType, text } = data.resource;
      if (text !== undefined) return `[resource ${named(uri)}]\n${text}`;
      return `[resource ${named(uri)}, ${named(mimeType ?? "of an unknown type")}, not shown]`;
    }
    default:
      return data satisfies never;
  }
}

function named(text: string): string {
  return shorten(cleanLine(text), 200);
}
