/**
 * Finds the sandbox of this machine, and tries it by running something in it. After that there is no fallback: a
 * command that can't be started in the sandbox is not run.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cleanLine, shorten } from "../../util/text.js";
import { isWithin } from "../../util/within.js";
import { bubblewrapArgs, firstProcess, startedSafely } from "./bubblewrap.js";
import { gapIn, hiddenOf } from "./hidden.js";
import { layoutOf, lookAround, programFolders, realFolders } from "./layout.js";
import { realPath } from "./real-path.js";
import type { Launch, Sandbox, Walls } from "./sandbox.js";
import { seatbeltProfile } from "./seatbelt.js";

export type FoundSandbox =
  | { readonly sandbox: Sandbox }
  /** Why there is no sandbox, as a sentence, and what to do about it. */
  | { readonly sandbox: null; readonly why: string; readonly fix: string };

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Where to look for the programs: never in PATH, which a command may have changed. */
  readonly bwrap: readonly string[];
  readonly unshare: readonly string[];
}

const THIS_MACHINE: Machine = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  bwrap: ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"],
  unshare: ["/usr/bin/unshare", "/bin/unshare", "/run/current-system/sw/bin/unshare"],
};
const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
/** How long a machine may take to run `true`. */
const PATIENCE_MS = 20_000;

export async function openSandbox(walls: Walls, machine: Machine = THIS_MACHINE): Promise<FoundSandbox> {
  if (machine.platform === "linux") return openBubblewrap(walls, machine);
  if (machine.platform === "darwin") return openSeatbelt(walls);
  return {
    sandbox: null,
    why: "Baton has no sandbox for this system.",
    fix: "run Baton on Linux or macOS",
  };
}

async function openBubblewrap(walls: Walls, { isRoot, bwrap, unshare }: Machine): Promise<FoundSandbox> {
  const program = bwrap.find((path) => existsSync(path));
  if (program === undefined) {
    return { sandbox: null, why: "bubblewrap is not installed.", fix: "apt install bubblewrap" };
  }
  const apart = isRoot ? unshare.find((path) => existsSync(path)) : null;
  if (apart === undefined) {
    return {
      sandbox: null,
      why: "`unshare` is missing, and root needs it for the sandbox.",
      fix: "apt install util-linux",
    };
  }
  const said = await outcomeOf({ file: program, args: ["--version"], environment: {} });
  const version = /\d{1,4}\.\d{1,4}\.\d{1,4}/.exec(said.text)?.[0] ?? "0";
  const isModern = version.localeCompare("0.8", "en", { numeric: true }) >= 0;
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  const folders = realFolders(walls.folders);
  const launch: Sandbox["launch"] = (command, cwd, environment, mode = "foreground", given) => {
    const around = lookAround(walls, folders, isRoot);
    const layout = { ...layoutOf(walls, folders, around, given), isRoot, isModern };
    const told = mode === "foreground" ? ["--info-fd", "3"] : [];
    const inside = firstProcess(command, shell, mode);
    const words = [program, ...bubblewrapArgs(layout, cwd, mode), ...told, "--", ...inside];
    const [file = program, ...args] = startedSafely(words, shell, apart, mode);
    return { file, args, environment: { ...environment, TMPDIR: "/tmp" }, hasOwnProcesses: true };
  };
  const { failed, text } = await outcomeOf(launch(["true"], "/", { PATH: walls.path }));
  if (failed) {
    return {
      sandbox: null,
      why: `bubblewrap ${version} does not work here: ${text || failed}.`,
      fix: remedy(),
    };
  }
  const name = `bubblewrap ${version}`;
  const [gap, doubt] = [gapAbout(walls, folders), doubtAbout(walls, folders)];
  return { sandbox: { name, folders, network: walls.network, doubt, gap, launch } };
}

async function openSeatbelt(walls: Walls): Promise<FoundSandbox> {
  const { home, network } = walls;
  const folders = realFolders(walls.folders);
  const temporary = realPath(walls.temporary) ?? walls.temporary;
  const launch: Sandbox["launch"] = (command, _cwd, environment, _mode, given) => {
    const hidden = hiddenOf(walls, folders).map(({ path }) => path);
    const programs = programFolders(walls);
    const files = given === undefined ? [] : [realPath(given) ?? given];
    const profile = seatbeltProfile({ folders, hidden, home, programs, temporary, files, network });
    const args = ["-p", profile, ...command];
    return {
      file: SANDBOX_EXEC,
      args,
      environment: { ...environment, TMPDIR: temporary },
      hasOwnProcesses: false,
    };
  };
  const { failed, text } = await outcomeOf(launch(["/usr/bin/true"], "/", { PATH: walls.path }));
  if (failed) {
    const why = `sandbox-exec does not work here: ${text || failed}.`;
    return { sandbox: null, why, fix: "report it: this sandbox is untested" };
  }
  const doubt = "this sandbox is untested";
  return {
    sandbox: { name: "sandbox-exec", folders, network, doubt, gap: gapAbout(walls, folders), launch },
  };
}

function gapAbout({ hidden }: Walls, folders: readonly string[]): string | null {
  const file = gapIn(hidden, folders);
  return file === null
    ? null
    : `${file} is directly in a working folder, where Baton can't reliably hide it from commands`;
}

/** Says whether commands can do harm even if they stay in the working folders. */
function doubtAbout({ home, hidden }: Walls, folders: readonly string[]): string | null {
  const all = folders.find((folder) => isWithin(folder, realPath(home) ?? home));
  if (all !== undefined) {
    return `the working folder ${all} contains your whole home folder`;
  }
  const moved = hidden.find(
    (path) => folders.some((folder) => isWithin(folder, path)) && realPath(path) !== path,
  );
  return moved === undefined ? null : `the path ${moved} goes through a link in a working folder`;
}

/** What to do if bubblewrap may not create namespaces. */
function remedy(): string {
  const isSet = (file: string, value: string) =>
    existsSync(file) && readFileSync(file, "utf8").trim() === value;
  if (isSet("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")) {
    return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 (or an AppArmor profile that allows bwrap user namespaces)";
  }
  if (isSet("/proc/sys/kernel/unprivileged_userns_clone", "0")) {
    return "sudo sysctl kernel.unprivileged_userns_clone=1";
  }
  if (isSet("/proc/sys/user/max_user_namespaces", "0")) return "sudo sysctl user.max_user_namespaces=10000";
  return "allow this user to create user namespaces; if this is a container, change its settings";
}

/** Runs a short command to its end. `failed` says how it failed; empty if it did not. */
export function outcomeOf({
  file,
  args,
  environment,
}: Omit<Launch, "hasOwnProcesses">): Promise<{ failed: string; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: "/",
      env: { ...environment },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    });
    let text = "";
    const add = (piece: string) => {
      text = shorten(text + piece, 1_000);
    };
    child.stdout?.setEncoding("utf8").on("data", add);
    child.stderr?.setEncoding("utf8").on("data", add);
    child.on("error", (error) => resolve({ failed: error.message, text: "" }));
    child.on("close", (code, signal) =>
      resolve({
        failed: code === 0 ? "" : signal === null ? `exit code ${code}` : signal,
        text: cleanLine(text)
          .replace(/^bwrap: /, "")
          .replace(/\.$/, ""),
      }),
    );
  });
}
