/** Tools that need approval for every call, because the owner said so: `fetch_url`, or those of an MCP server. */
import type { Danger, Tool } from "../agent/agent.js";
import { argumentLines } from "../agent/argument-lines.js";

/** `ask` contains names of tools; a name that ends in `*` matches all that begin like it. */
export function askingTools(tools: readonly Tool[], ask: readonly string[]): readonly Tool[] {
  return tools.map((tool) => (isListed(tool.name, ask) ? asking(tool) : tool));
}

function isListed(name: string, ask: readonly string[]): boolean {
  return ask.some((listed) =>
    listed.endsWith("*") ? name.startsWith(listed.slice(0, -1)) : name === listed,
  );
}

function asking(tool: Tool): Tool {
  const danger = async (args: unknown): Promise<Danger> =>
    (await tool.danger?.(args)) ?? {
      reason: `uses ${tool.name}, a tool that the owner wants to be asked about`,
      what: [tool.name, ...argumentLines(args)].join("\n"),
    };
  return { ...tool, danger };
}
