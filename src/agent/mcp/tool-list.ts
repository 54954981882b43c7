/**
 * Checks the tools that a server lists, one by one: a tool that no model could use is left out, and does not affect the
 * others.
 */
import { z } from "zod";
import { isTooDeep } from "../../util/json.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";

export interface ToolDefinition {
  /** The server's own name for it. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A page of a list, as far as every server follows the format. */
export const toolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const listedTool = z.looseObject({
  name: z.string().min(1).max(1_000),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.looseObject({
    type: z.literal("object").default("object"),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
});

/** The most tools that Baton uses of a server; with more than models accept, all of them would be lost. */
const MOST_TOOLS = 128;
const LONGEST_DESCRIPTION = 4_000;
const LONGEST_SCHEMA = 50_000;

/** In JSON: half of a surrogate pair, or NUL; strict parsers refuse a whole request because of it. */
const BROKEN_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** The tools that can be used, those that are wanted and not among them, and a line about each other problem. */
export function toolsListed(
  listed: readonly unknown[],
  wanted: readonly string[] | null,
): {
  readonly tools: readonly ToolDefinition[];
  readonly missing: readonly string[];
  readonly problems: readonly string[];
} {
  const tools = new Map<string, ToolDefinition>();
  const problems: string[] = [];
  for (const each of listed) {
    const tool = definitionOf(each);
    if (typeof tool === "string") problems.push(tool);
    else if (tools.has(tool.name)) problems.push(`lists the tool ${quoted(tool.name)} twice`);
    else if (wanted === null || wanted.includes(tool.name)) tools.set(tool.name, tool);
  }
  const missing = (wanted ?? []).filter((name) => !tools.has(name)).map(quoted);
  const taken = [...tools.values()];
  if (taken.length > MOST_TOOLS) {
    problems.push(
      `has ${taken.length} tools, and Baton uses the first ${MOST_TOOLS}: choose which with \`tools\``,
    );
  }
  return { tools: taken.slice(0, MOST_TOOLS), missing, problems };
}

/** The tool, or why it cannot be used. */
function definitionOf(listed: unknown): ToolDefinition | string {
  const parsed = listedTool.safeParse(listed);
  if (!parsed.success) {
    const name = (listed as { name?: unknown } | null)?.name;
    return `sent an invalid definition of ${typeof name === "string" ? `the tool ${quoted(name)}` : "a tool"}`;
  }
  const { name, title, description, inputSchema } = parsed.data;
  const json = isTooDeep(inputSchema) ? null : JSON.stringify(inputSchema);
  if (json === null || json.length > LONGEST_SCHEMA || BROKEN_TEXT.test(json)) {
    return `sent an argument schema of the tool ${quoted(name)} that can't be used`;
  }
  return {
    name,
    description: shorten(printableText(description || title || name), LONGEST_DESCRIPTION),
    parameters: inputSchema,
  };
}

function quoted(name: string): string {
  return JSON.stringify(shorten(cleanLine(name), 60));
}
