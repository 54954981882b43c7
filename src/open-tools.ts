/** Configuration → the tools that Baton brings along, with the wall around commands; and what the doctor says of that wall. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "./agent/agent.js";
import type { FoundSandbox } from "./agent/sandbox/open-sandbox.js";
import type { Confinement, Walls } from "./agent/sandbox/sandbox.js";
import type { OutgoingFiles } from "./agent/tools/outgoing-files.js";
import type { Config } from "./config/config.js";
import { childEnvironment, clientEnvironment } from "./config/environment.js";
import { userFolder } from "./config/paths.js";
import { secretsOf } from "./config/secrets.js";
import { workspace } from "./config/workspace.js";
import { sqliteFile } from "./open-sessions.js";
import { privateFolder } from "./process/places.js";
import type { CommandEnvironment } from "./util/command-environment.js";
import type { Finding } from "./util/finding.js";
import { makeFolder } from "./util/make-folder.js";

export async function openTools(config: Config): Promise<Tool[]> {
  const { builtInTools } = await import("./agent/tools/built-in.js");
  return builtInTools({
    ...placesOf(config),
    maxTimeoutMs: config.tools.terminal.maxTimeoutSeconds * 1_000,
    allowHosts: config.tools.fetch.allowHosts,
    ...(config.tools.terminal.allow ? { allow: config.tools.terminal.allow } : {}),
    confinement: await confinementOf(config),
    environments: await environmentsOf(config),
    defaultEnvironment: config.tools.terminal.environment,
  });
}

/** The files that the agent may send to people. */
export async function openOutgoing(config: Config): Promise<OutgoingFiles> {
  return (await import("./agent/tools/built-in.js")).filesToSend(placesOf(config));
}

function placesOf(config: Config) {
  return {
    workdir: config.agent.workdir,
    folders: config.tools.folders,
    own: ownFiles(config),
    environment: childEnvironment(),
  };
}

/** Each is loaded only if it is set up. */
async function environmentsOf({ environments, home }: Config): Promise<CommandEnvironment[]> {
  const { openEnvironment } = await import("./process/environments/open-environment.js");
  return Object.entries(environments).map(([name, config]) =>
    openEnvironment({ ...config, name, home, variables: clientEnvironment() }),
  );
}

/** Tries out each of them, all at once. */
export async function environmentFindings({ environments, home }: Config): Promise<Finding[]> {
  const { environmentFinding } = await import("./process/environments/finding.js");
  const variables = clientEnvironment();
  const tried = Object.entries(environments).map(([name, config]) =>
    environmentFinding({ ...config, name, home, variables }),
  );
  return Promise.all(tried);
}

/** What no tool may see or change: the home folder, sockets, the database and the files of secrets, wherever they lie. */
export function ownFiles(config: Config): string[] {
  return [config.home, ...socketFolder(), ...databaseFiles(config), ...secretFiles(config)];
}

/** What nobody else can enter is where sockets may be. If there is no such folder, none is used. */
function socketFolder(): string[] {
  try {
    return [privateFolder()];
  } catch {
    return [];
  }
}

function databaseFiles(config: Config): string[] {
  const database = sqliteFile(config.store.reveal());
  return database === null ? [] : ["", "-wal", "-shm", "-journal"].map((end) => `${database}${end}`);
}

function secretFiles(config: Config): string[] {
  return secretsOf(config).flatMap(({ file }) => file ?? []);
}

async function confinementOf(config: Config): Promise<Confinement> {
  const { confinementFor } = await import("./agent/sandbox/verdict.js");
  const { sandbox: mode } = config.tools.terminal;
  const temporary = join(config.home, "sandbox", "tmp");
  // With it the home folder: what is not there cannot be hidden, but could be made.
  if (mode === "off") return confinementFor(mode, null);
  makeFolder(temporary);
  const walls = wallsOf(config, ownFiles(config), temporary);
  const { sweepTemporary } = await import("./agent/sandbox/sweep.js");
  await sweepTemporary(walls);
  return confinementFor(mode, await lookForSandbox(walls));
}

function wallsOf(config: Config, hidden: readonly string[], temporary: string): Walls {
  return {
    folders: [config.agent.workdir, ...config.tools.folders],
    hidden,
    home: userFolder(),
    path: childEnvironment().PATH ?? "/usr/local/bin:/usr/bin:/bin",
    temporary,
    network: config.tools.terminal.network === "on",
  };
}

async function lookForSandbox(walls: Walls): Promise<FoundSandbox> {
  return (await import("./agent/sandbox/open-sandbox.js")).openSandbox(walls);
}

/** Where the agent works, and whether its commands are walled in there. */
export async function sandboxFindings(config: Config): Promise<Finding[]> {
  const { sandboxFinding } = await import("./agent/sandbox/verdict.js");
  const { workdir } = config.agent;
  const { sandbox: mode } = config.tools.terminal;
  const where = workdir === workspace() ? `${workdir}, made when it is first used` : workdir;
  // Only to try it out: the doctor makes nothing, and another check looks at what is in the files of secrets.
  const own = [...(config.store.file === null ? databaseFiles(config) : []), ...secretFiles(config)];
  const hidden = existsSync(config.home) ? [config.home, ...own] : own;
  const found = mode === "off" ? null : await lookForSandbox(wallsOf(config, hidden, tmpdir()));
  return [{ check: "workdir", status: "ok", finding: where }, sandboxFinding(mode, found)];
}
