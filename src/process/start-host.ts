/**
 * Starts the process host, so that it outlives this process. Inside a systemd service it gets a scope of its own by
 * `systemd-run`; if there is no way to make one, it is started all the same and knows that it ends with the service. It
 * gets only the given environment and no descriptor of ours, not even one that we inherited.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanLine, shorten } from "../util/text.js";
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

/** A host that was just started. */
export interface StartedHost {
  /** Why it ended, in words; null while it runs, and if it ended because another one runs. */
  readonly failure: string | null;
  /** True if it ended because another one runs, or seems to. */
  readonly gaveWay: boolean;
  /** It listens, or nobody waits for that any more: from now on it is left alone. */
  leave(): void;
}

/** The time that systemd has to make a scope. */
const SCOPE_MS = 10_000;
const LONGEST_SAID = 10_000;
const LONGEST_REASON = 500;

/** Resolves when the process of the host runs; until it listens, it takes another moment. */
export async function startHost(start: HostStart): Promise<StartedHost> {
  const { kind, ...where } = start.surroundings ?? surroundings();
  const host = [process.execPath, start.program, start.folder] as const;
  if (kind === "free") return startDirectly(host, start);
  const inScope = "manager" in where ? await startInScope(host, start, where.manager) : null;
  return inScope ?? startDirectly([...host, ENDS_WITH_SERVICE_FLAG], start);
}

type HostCommand = readonly [program: string, ...args: string[]];

async function startDirectly(command: HostCommand, start: HostStart): Promise<StartedHost> {
  const { child, host } = spawnDetached(command, start.environment);
  await once(child, "spawn");
  return host;
}

/** Null if that is impossible here. */
async function startInScope(
  command: HostCommand,
  { folder, environment }: HostStart,
  manager: "user" | "system",
): Promise<StartedHost | null> {
  const { child, host } = spawnDetached(["systemd-run", ...scopeOptions(folder, manager), "--", ...command], {
    ...runtimeFolder(),
    ...environment,
  });
  if (await becomes(child, command)) return host;
  child.kill();
  host.leave();
  return null;
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

/** What it says before it listens is heard; it does not keep this process from ending. */
function spawnDetached(
  [program, ...words]: HostCommand,
  env: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readonly host: StartedHost } {
  const [file, ...args] = withoutDescriptors(program, words);
  const child = spawn(file, args, { detached: true, stdio: ["ignore", "ignore", "pipe"], cwd: "/", env });
  const { stderr } = child;
  let said = "";
  let failure: string | null = null;
  let gaveWay = false;
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(0, LONGEST_SAID);
  });
  child.once("close", (code, signal) => {
    if (code === 0) gaveWay = true;
    else failure = failureWords(said) ?? `it ended with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();
  if (stderr instanceof Socket) stderr.unref();
  const host: StartedHost = {
    get failure() {
      return failure;
    },
    get gaveWay() {
      return gaveWay;
    },
    leave: () => stderr.destroy(),
  };
  return { child, host };
}

/** Node.js prints the error amid other lines; a shell ends with it. */
function failureWords(said: string): string | null {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((each) => /^\w*Error\b/.test(each)) ?? lines.at(-1);
  return line === undefined ? null : cleanLine(shorten(line, LONGEST_REASON));
}
