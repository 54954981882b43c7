/** Configuration → the tools that Baton brings along, with the wall around commands; and what the doctor says of that wall. */
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "./agent/agent.js";
import type { Found } from "./agent/sandbox/open-sandbox.js";
import type { Walls } from "./agent/sandbox/sandbox.js";
import type { Confinement } from "./agent/tools/terminal.js";
import { childEnvironment } from "./config/environment.js";
import type { Config } from "./config/load.js";
import { secretsOf } from "./config/secrets.js";
import { workspace } from "./config/workspace.js";
import { sqliteFile } from "./open-sessions.js";
import type { Finding } from "./util/finding.js";
import { makeFolder } from "./util/make-folder.js";

export async function openTools(config: Config): Promise<Tool[]> {
  const { builtInTools } = await import("./agent/tools/built-in.js");
  return builtInTools({
    workdir: config.agent.workdir,
    folders: config.tools.folders,
    own: ownFiles(config),
    environment: childEnvironment(),
    maxTimeoutMs: config.tools.terminal.maxTimeoutSeconds * 1_000,
    allowHosts: config.tools.fetch.allowHosts,
    ...(config.tools.terminal.allow ? { allow: config.tools.terminal.allow } : {}),
    confinement: await confinementOf(config),
  });
}

/** What no tool may see or change: the home folder, the database and the files of secrets, wherever they lie. */
function ownFiles(config: Config): string[] {
  const database = sqliteFile(config.store.reveal());
  const databaseFiles = database === null ? [] : [database, `${database}-wal`, `${database}-shm`];
  return [config.home, ...databaseFiles, ...secretsOf(config).flatMap(({ file }) => file ?? [])];
}

async function confinementOf(config: Config): Promise<Confinement> {
  const mode = config.tools.terminal.sandbox;
  if (mode === "off") return { kind: "none" };
  const temporary = join(config.home, "sandbox", "tmp");
  // With it the home folder: what is not there cannot be hidden, but could be made.
  makeFolder(temporary);
  const found = await lookForSandbox(config, ownFiles(config), temporary);
  if (found.sandbox !== null) {
    return { kind: "sandbox", sandbox: found.sandbox, mayLeave: mode === "auto" };
  }
  if (mode === "auto") return { kind: "none" };
  const why = `not run: \`tools.terminal.sandbox\` is \`required\`, and there is no sandbox. ${found.why} The owner can run \`baton doctor\` to see what to do.`;
  return { kind: "missing", why };
}

async function lookForSandbox(config: Config, hidden: readonly string[], temporary: string): Promise<Found> {
  const { openSandbox } = await import("./agent/sandbox/open-sandbox.js");
  const walls: Walls = {
    folders: [config.agent.workdir, ...config.tools.folders],
    hidden,
    home: homedir(),
    path: childEnvironment().PATH ?? "/usr/local/bin:/usr/bin:/bin",
    temporary,
    network: config.tools.terminal.network === "on",
  };
  return openSandbox(walls);
}

/** Where the agent works, and whether its commands are walled in there. */
export async function sandboxFindings(config: Config): Promise<Finding[]> {
  const { workdir } = config.agent;
  const where = workdir === workspace() ? `${workdir}, made when it is first used` : workdir;
  return [{ check: "workdir", status: "ok", finding: where }, await sandboxFinding(config)];
}

const ASKED = "commands run with all that you may do, and only dangerous ones are asked about";

async function sandboxFinding(config: Config): Promise<Finding> {
  const check = "sandbox";
  const { sandbox: mode, network } = config.tools.terminal;
  if (mode === "off") {
    const fix = "baton config set tools.terminal.sandbox auto";
    return { check, status: "hint", finding: `off: ${ASKED}`, fix };
  }
  // Only to try it out: the doctor makes nothing, and another check looks at the secrets.
  const found = await lookForSandbox(config, [config.home], tmpdir());
  if (found.sandbox === null) {
    const { why, fix } = found;
    return mode === "required"
      ? { check, status: "broken", finding: `${why} It is required, so no command is run`, fix }
      : { check, status: "hint", finding: `${why} So ${ASKED}`, fix };
  }
  const { name, doubt } = found.sandbox;
  const finding = `commands run in ${name}, with the network ${network}`;
  if (doubt === null) return { check, status: "ok", finding };
  return {
    check,
    status: "hint",
    finding: `${finding}. Dangerous ones are still asked about, since ${doubt}`,
    fix: "set agent.workdir and tools.folders to folders within your home",
  };
}
