#!/usr/bin/env node
/**
 * The composition root: it knows everyone and is known by nobody. Each part is loaded when a command first needs it,
 * so that `baton --version` starts nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import type { Adapter } from "./adapter/adapter.js";
import type { OpenChat } from "./cli/cli.js";
import { childEnvironment, readEnvironment } from "./config/environment.js";
import type { Config } from "./config/load.js";
import { LOCAL } from "./session/platform.js";
import type { Sessions } from "./session/sessions.js";

const { version, engines } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string; engines: { node: string } };
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  process.exitCode = await runCommand();
}

async function runCommand(): Promise<number> {
  const { run } = await import("./cli/run.js");
  const { Terminal } = await import("./cli/terminal.js");
  const environment = readEnvironment();
  const workingFolder = process.cwd();
  const terminal = new Terminal(process, environment.color);
  return run(words, {
    terminal,
    version,
    oldestNode: engines.node.replace(/^>=/, ""),
    home: environment.home,
    environment,
    workingFolder,
    loadConfig: async () => (await import("./config/load.js")).loadConfig(environment, workingFolder),
    openSessions: (config, purpose) => openStore(config, purpose, (problem) => terminal.problem(problem)),
    streams: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
    openChat,
    platformAdapters,
    openGateway: (config, adapters, onProblem) => openGatewayOf(config, adapters, { onProblem }),
    inspectStore,
    loadExport: () => import("./store/jsonl/export.js"),
    importSessions: async (...call) => (await import("./store/jsonl/import.js")).importSessions(...call),
  });
}

async function openStore(
  config: Config,
  purpose: "look" | "write",
  onProblem: (problem: string) => void,
): Promise<Sessions> {
  const { openSessions, sqliteFile } = await import("./open-sessions.js");
  const url = config.store.reveal();
  const file = sqliteFile(url);
  const nothingYet = file !== null && !existsSync(file);
  return openSessions({
    url: nothingYet && purpose === "look" ? "sqlite::memory:" : url,
    config: config.sessions,
    ...(config.mirror === null ? {} : { mirror: { folder: config.mirror, onProblem } }),
  });
}

async function openChat(
  config: Config,
  adapter: Adapter,
  onChange: () => void,
  onProblem: (problem: string) => void,
): Promise<OpenChat> {
  const { localSource } = await import("./session/source.js");
  const open = await openGatewayOf(config, [adapter], { onChange, onProblem });
  const source = localSource();
  return {
    gateway: open.gateway,
    sessions: open.sessions,
    source,
    key: open.sessions.laneOf(source).key,
    agent: open.agent,
    complete: (line) => open.commands.completions(line),
    close: () => open.close({ drainMs: 0 }),
  };
}

/** The platforms that the configuration connects. */
async function platformAdapters(_config: Config): Promise<readonly Adapter[]> {
  return [];
}

/** The gateway as the configuration wants it, over these adapters. */
async function openGatewayOf(
  config: Config,
  adapters: readonly Adapter[],
  events: { readonly onChange?: () => void; readonly onProblem: (problem: string) => void },
) {
  const { onProblem } = events;
  const { openGateway } = await import("./open-gateway.js");
  const { offlineAgent } = await import("./agent/offline.js");
  const { builtInTools } = await import("./agent/tools/built-in.js");
  const { sqliteFile } = await import("./open-sessions.js");
  const { commandTable } = await import("./gateway/commands/table.js");
  const agent = offlineAgent();
  const people = config.people.allow;
  const database = sqliteFile(config.store.reveal());
  const tools = builtInTools({
    workdir: config.agent.workdir,
    folders: config.tools.folders,
    own: [config.home, ...(database === null ? [] : [database, `${database}-wal`, `${database}-shm`])],
    environment: childEnvironment(),
    maxTimeoutMs: config.tools.terminal.maxTimeoutSeconds * 1_000,
    allowHosts: config.tools.fetch.allowHosts,
  });
  const open = await openGateway({
    url: config.store.reveal(),
    config: config.sessions,
    ...(config.mirror === null ? {} : { mirror: { folder: config.mirror, onProblem } }),
    agent,
    adapters,
    commands: commandTable({ agent: agent.name, people, clock: Date.now }),
    tools: ({ platform }) => (platform === LOCAL ? tools : []),
    people,
    busy: config.busy,
    outputDir: config.outputDir,
    maxMessages: config.agent.maxMessages,
    turnDeadlineMs: config.agent.turnDeadlineSeconds * 1_000,
    ...events,
  });
  return { ...open, agent: agent.name };
}

async function inspectStore(url: string) {
  const { sqliteFile } = await import("./open-sessions.js");
  const { inspectPostgres, inspectSqlite } = await import("./store/inspect.js");
  const file = sqliteFile(url);
  return file === null ? inspectPostgres(url) : inspectSqlite(file);
}
