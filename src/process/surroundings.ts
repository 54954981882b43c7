/**
 * What ends together with this process. systemd ends a service by its control group, which no child can leave by itself;
 * so a process host of a service needs a group of its own.
 */
import { existsSync, readFileSync } from "node:fs";

export type Surroundings =
  /** A terminal or a login: the host may stay when this process ends. */
  | { readonly kind: "free" }
  | { readonly kind: "service"; readonly manager: "user" | "system" }
  /** This is its main process: everything in it ends together. */
  | { readonly kind: "container" };

/** `cgroup` is the text of /proc/self/cgroup, of version 1 or 2; empty if the system has none. */
export function surroundingsIn(cgroup: string, uid: number, isMain: boolean): Surroundings {
  const units = cgroup
    .split("\n")
    .map(unitsOf)
    .find(({ length }) => length > 0);
  if (units?.at(-1)?.endsWith(".service")) {
    const isUsers = uid !== 0 || units.some((unit) => /^user@\d+\.service$/.test(unit));
    return { kind: "service", manager: isUsers ? "user" : "system" };
  }
  return { kind: isMain ? "container" : "free" };
}

/** The services and scopes on a line that systemd made, the outermost first. */
function unitsOf(line: string): string[] {
  const [, path] = /^(?:0:|\d+:name=systemd):(.*)$/.exec(line) ?? [];
  return path?.split("/").filter((part) => /\.(?:service|scope)$/.test(part)) ?? [];
}

/** Those of this process. */
export function surroundings(): Surroundings {
  // The first process may be a small one that starts the main one.
  const isMain = process.pid === 1 || (process.ppid === 1 && isContainer());
  return surroundingsIn(ownCgroup(), process.getuid?.() ?? 0, isMain);
}

/** True if this machine is a container of Docker or Podman. */
export function isContainer(): boolean {
  return ["/.dockerenv", "/run/.containerenv"].some((file) => existsSync(file));
}

function ownCgroup(): string {
  try {
    return readFileSync("/proc/self/cgroup", "utf8");
  } catch {
    return ""; // Not Linux, or a Linux without control groups: nothing ends us by them.
  }
}
