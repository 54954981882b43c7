#!/usr/bin/env node
/**
 * The composition root: it knows everyone and is known by nobody. Each part is loaded when a command first needs it,
 * so that `baton --version` starts nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { readEnvironment } from "./config/environment.js";
import type { Config } from "./config/load.js";
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
  const terminal = new Terminal(process, environment.color);
  return run(words, {
    terminal,
    version,
    oldestNode: engines.node.replace(/^>=/, ""),
    home: environment.home,
    loadConfig: async () => (await import("./config/load.js")).loadConfig(environment, process.cwd()),
    openSessions: (config, purpose) => openStore(config, purpose, (problem) => terminal.problem(problem)),
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
  const file = sqliteFile(config.store);
  const nothingYet = file !== null && !existsSync(file);
  return openSessions({
    url: nothingYet && purpose === "look" ? "sqlite::memory:" : config.store,
    config: config.sessions,
    ...(config.mirror === null ? {} : { mirror: { folder: config.mirror, onProblem } }),
  });
}

async function inspectStore(url: string) {
  const { sqliteFile } = await import("./open-sessions.js");
  const { inspectPostgres, inspectSqlite } = await import("./store/inspect.js");
  const file = sqliteFile(url);
  return file === null ? inspectPostgres(url) : inspectSqlite(file);
}
