/** The service manager of this machine: where its files are, and its commands. */
import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { join } from "node:path";
import { userFolder } from "../../config/paths.js";
import { CliError } from "../failure.js";
import type { Service } from "./description.js";
import { LABEL, launchdPlist } from "./launchd.js";
import { systemdUnit, UNIT } from "./systemd.js";

type CommandLine = readonly [command: string, ...args: string[]];

export interface ServiceManager {
  readonly name: "systemd" | "launchd";
  readonly file: string;
  describe(service: Service): string;
  /** The commands that start it for now and after each boot, and those that end that; each in order. */
  readonly start: readonly CommandLine[];
  readonly stop: readonly CommandLine[];
  /** Succeeds while the service runs. */
  readonly isActive: CommandLine;
  /** The command that shows why it ended. */
  readonly why: CommandLine;
  /** Advice for the user once it runs. */
  readonly hint: string | null;
}

export function serviceManager(): ServiceManager {
  const home = userFolder();
  if (process.platform === "linux") return systemd(home);
  if (process.platform === "darwin") return launchd(home, userInfo().uid);
  throw new CliError(
    "no_service_manager",
    "Baton installs services only with systemd and launchd. Let your own service manager run `baton gateway`.",
  );
}

function systemd(home: string): ServiceManager {
  const systemctl = (...args: string[]): CommandLine => ["systemctl", "--user", ...args];
  return {
    name: "systemd",
    file: join(home, ".config", "systemd", "user", UNIT),
    describe: systemdUnit,
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", UNIT)],
    stop: [systemctl("disable", "--now", UNIT)],
    isActive: systemctl("is-active", "--quiet", UNIT),
    why: ["journalctl", "--user", "--unit", UNIT],
    hint: "To keep it running while you are logged out: loginctl enable-linger",
  };
}

function launchd(home: string, uid: number): ServiceManager {
  const file = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  return {
    name: "launchd",
    file,
    describe: launchdPlist,
    start: [["launchctl", "bootstrap", `gui/${uid}`, file]],
    stop: [["launchctl", "bootout", `gui/${uid}/${LABEL}`]],
    isActive: ["launchctl", "print", `gui/${uid}/${LABEL}`],
    why: ["launchctl", "print", `gui/${uid}/${LABEL}`],
    hint: null,
  };
}

export type ServiceOutcome = { readonly done: true } | { readonly done: false; readonly why: string };

/** Runs these in order, up to the first that fails. */
export async function runAll(commands: readonly CommandLine[]): Promise<ServiceOutcome> {
  for (const words of commands) {
    const outcome = await runOne(words);
    if (!outcome.done) return outcome;
  }
  return { done: true };
}

function runOne([command, ...args]: CommandLine): Promise<ServiceOutcome> {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: "utf8" }, (error, _, stderr) => {
      if (!error) return resolve({ done: true });
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      resolve({ done: false, why: missing ? `${command} is not installed` : stderr.trim() || error.message });
    });
  });
}

/** The commands as one line to type. */
export function typed(commands: readonly CommandLine[]): string {
  return commands.map((words) => words.join(" ")).join(" && ");
}
