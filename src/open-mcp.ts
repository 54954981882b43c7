/** The servers of the configuration, as the agent uses them. Loaded only where there is one. */
import { basename } from "node:path";
import { McpServers, type McpState, type ServerOptions } from "./agent/mcp/mcp-servers.js";
import type { Config } from "./config/config.js";
import { childEnvironment } from "./config/environment.js";
import type { McpServerConfig } from "./config/mcp.js";
import type { Finding } from "./util/finding.js";
import type { OnProblem } from "./util/problem.js";
import { counted } from "./util/words.js";

const LOOK_MS = 10_000;
/** How long scripts and the doctor wait for a command that may have to install itself: half of what a turn may take. */
export const INSTALL_MS = 5 * 60_000;
/** Commands that fetch a program and run it. */
const INSTALLERS = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|uv|docker|podman)$/;

export interface OpenMcpOptions {
  readonly version: string;
  /** The names of all other tools. */
  readonly reserved: readonly string[];
  readonly log: (line: string) => void;
  readonly onProblem: OnProblem;
  readonly patienceMs?: number;
  /** For what ends soon itself: an installation would be stopped in the middle each time. */
  readonly installMs?: number;
}

/** Not connected yet: `start` begins with that. */
export function openMcp({ mcp }: Config, options: OpenMcpOptions): McpServers {
  const servers = Object.entries(mcp.servers)
    .filter(([, server]) => server.enabled)
    .map(([name, server]) => ({
      ...serverOptions(name, server),
      ...(options.installMs !== undefined && mayInstall(server) ? { patienceMs: options.installMs } : {}),
    }));
  return new McpServers(servers, { ...options, clock: Date.now });
}

/** How each server is, tried out. */
export async function mcpFindings(config: Config, version: string): Promise<Finding[]> {
  const nobody = () => {};
  const mcp = openMcp(config, {
    version,
    reserved: [],
    patienceMs: LOOK_MS,
    installMs: INSTALL_MS,
    log: nobody,
    onProblem: nobody,
  });
  try {
    mcp.start();
    await mcp.tools();
    return mcp.states().map(findingOf);
  } finally {
    await mcp.close();
  }
}

/** Also one that is wrapped: `sh -c "cd x && exec npx -y y"`. If it is only an argument, nobody waits long for nothing. */
function mayInstall({ reach }: McpServerConfig): boolean {
  if (reach.kind !== "command") return false;
  const words = [reach.command, ...reach.args].flatMap((text) => text.split(/[\s;&|()<>"'`$=]+/));
  return words.some((word) => INSTALLERS.test(basename(word)));
}

function findingOf(state: McpState): Finding {
  const check = `MCP ${state.server}`;
  if (state.kind === "ready") {
    const finding = `ready, ${counted(state.tools, "tool")}`;
    if (state.missing.length === 0) return { check, status: "ok", finding };
    const fix = `correct \`mcp.servers.${state.server}.tools\` in config.yaml`;
    return {
      check,
      status: "warning",
      finding: `${finding}; it has no tool ${state.missing.join(", ")}`,
      fix,
    };
  }
  const finding =
    state.kind === "failed"
      ? [state.reason, ...state.said.map((line) => `  ${line}`)].join("\n")
      : "it is still starting, and did not answer in time";
  const fix = `mend \`mcp.servers.${state.server}\` in config.yaml, or set its \`enabled\` to false`;
  return { check, status: "warning", finding, fix };
}

function serverOptions(name: string, { reach, tools, timeoutSeconds }: McpServerConfig): ServerOptions {
  const rest = { name, tools, timeoutMs: timeoutSeconds * 1_000 };
  if (reach.kind === "url") return { ...rest, reach: { ...reach, kind: "http" } };
  return { ...rest, reach: { ...reach, kind: "process", env: { ...childEnvironment(), ...reach.env } } };
}
