/**
 * Starts the process host, so that it outlives this process. Inside a systemd service it gets a scope of its own by
 * `systemd-run`; if there is no way to make one, it is started all the same and knows that it ends with the service. It
 * gets only the given environment and no descriptor of ours, not even one that we inherited.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { withoutDescriptors } from "../util/without-descriptors.js";
import { ENDS_WITH_SERVICE_FLAG } from "./protocol.js";
import { type Surroundings, surroundings } from "./surroundings.js";

export interface HostStart {
  /** The program of the host, and the folder in which it keeps its processes. */
  readonly program: string;
  readonly folder: string;
  /** The whole environment of the host. Every process that it starts can look at it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly surroundings?: Surroundings;
}

/** The time that systemd has to make a scope. */
const SCOPE_MS = 10_000;

/** Resolves when the process of the host runs; until it listens, it takes another moment. */
export async function startHost(start: HostStart): Promise<void> {
  const { kind, ...where } = start.surroundings ?? surroundings();
  const host = [process.execPath, start.program, start.folder] as const;
  if (kind === "free") return startDirectly(host, start);
  if ("manager" in where && (await startInScope(host, start, where.manager))) return;
  await startDirectly([...host, ENDS_WITH_SERVICE_FLAG], start);
}

type HostCommand = readonly [program: string, ...args: string[]];

async function startDirectly(command: HostCommand, start: HostStart): Promise<void> {
  const child = spawnDetached(command, start.environment);
  await once(child, "spawn");
  child.unref();
}

/** False if that is impossible here. */
async function startInScope(
  host: HostCommand,
  { folder, environment }: HostStart,
  manager: "user" | "system",
): Promise<boolean> {
  const child = spawnDetached(["systemd-run", ...scopeOptions(folder, manager), "--", ...host], {
    ...runtimeFolder(),
    ...environment,
  });
  const isHost = await becomes(child, host);
  if (!isHost) child.kill();
  child.unref();
  return isHost;
}

function scopeOptions(folder: string, manager: "user" | "system"): string[] {
  const home = createHash("sha256").update(folder).digest("hex").slice(0, 8);
  // What a host that was killed had started may still be in its scope, so each start has a name of its own.
  const unit = `baton-processes-${home}-${randomBytes(4).toString("hex")}`;
  return [
    ...(manager === "user" ? ["--user"] : []),
    "--scope",
    "--collect",
    "--quiet",
    `--unit=${unit}`,
    // Otherwise systemd ends the whole scope if one process in it runs out of memory.
    "--property=Delegate=yes",
  ];
}

/** A system service of a user other than root does not know where that user's manager is. */
function runtimeFolder(): Record<string, string> {
  const folder = `/run/user/${process.getuid?.()}`;
  return existsSync(folder) ? { XDG_RUNTIME_DIR: folder } : {};
}

/** `systemd-run` replaces itself by the host once it is in the scope. */
async function becomes(child: ChildProcess, [program]: HostCommand): Promise<boolean> {
  let isThere = true;
  child.once("error", () => {
    isThere = false;
  });
  for (const deadline = Date.now() + SCOPE_MS; isThere && Date.now() < deadline; await sleep(5)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if (commandLine(child.pid).startsWith(`${program}\0`)) return true;
  }
  return child.exitCode === 0; // Then another host was faster, and this one ended at once.
}

function commandLine(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // It has ended.
  }
}

function spawnDetached(
  [program, ...words]: HostCommand,
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const [file, ...args] = withoutDescriptors(program, words);
  return spawn(file, args, { detached: true, stdio: "ignore", cwd: "/", env });
}
