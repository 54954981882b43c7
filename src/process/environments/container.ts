/**
 * A container that Baton makes once, with limits and without rights, and keeps: Docker's, or Podman's, which takes the
 * same commands. What holds:
 * - it sees no file of this machine but what the settings mount, gets no new privileges and no capabilities;
 * - its name follows from the home folder and the setting, so a gateway that starts again finds it, and no second one is
 *   made: engines refuse a name twice;
 * - a container that was made with other settings is not used.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { ContainerConfig, EnvironmentUse } from "../../util/environment-config.js";
import { cleanLine, shorten } from "../../util/text.js";
import { withoutDescriptors } from "../../util/without-descriptors.js";
import { controlledCommand, type ReachThere } from "./controlled.js";

export type ContainerOptions = ContainerConfig & EnvironmentUse;

/** How long the engine may take; it may have to fetch the image first. */
const PATIENCE_MS = 600_000;
const LABEL = "baton.settings";
/** The first process: it does nothing, ends when asked, and collects what commands leave behind. */
const WAIT = 'trap "exit 0" TERM; while :; do sleep 3600 & wait "$!"; done';
/** Keys that leave `exec` by default are keys that programs use. Nobody types these. */
const LEAVE = "ctrl-^,ctrl-@,ctrl-^,ctrl-@";

export function containerEnvironment(options: ContainerOptions): CommandEnvironment {
  const { name, program, image, mounts, network, workdir, variables, home } = options;
  const container = `baton-${digest(home).slice(0, 12)}-${name}`;
  const reach: ReachThere = (words, mode) => [
    program,
    "exec",
    ...(mode === "terminal" ? ["-it", "--detach-keys", LEAVE, "-e", "TERM=xterm-256color"] : ["-i"]),
    ...[container, ...words],
  ];
  const engine = new Engine(program, variables);
  let making: Promise<void> = Promise.resolve();
  return {
    name,
    where: containerWords(program, image, mounts, network),
    workdir,
    launch: async (command, folder, mode) => {
      making = making.catch(() => {}).then(() => make(engine, container, options));
      await making;
      return { ...controlledCommand(reach, { command, workdir: folder, mode }), environment: variables };
    },
  };
}

/** What a person approves: all that decides what a command can reach there. */
export function containerWords(
  program: string,
  image: string,
  mounts: readonly string[],
  network: string | null = null,
): string {
  return [
    `in a container of ${image} by ${program}`,
    ...(mounts.length > 0 ? [`with ${mounts.join(" and ")}`] : []),
    ...(network === null ? [] : [`network ${network}`]),
  ].join(", ");
}

/** Finds the container, starts it or makes it. */
async function make(engine: Engine, container: string, options: ContainerOptions): Promise<void> {
  const wanted = settingsOf(options);
  const found = await engine.find(container);
  if (found === null) {
    try {
      await engine.do(["run", "-d", "--name", container, "--label", `${LABEL}=${digest(wanted)}`, ...wanted]);
    } catch (error) {
      // Another gateway may have made it meanwhile.
      if ((await engine.find(container))?.settings !== digest(wanted)) throw error;
    }
    return;
  }
  if (found.settings !== digest(wanted)) {
    throw new Error(
      `the container ${container} was made with other settings. Run \`${options.program} rm -f ${container}\` to remove it and everything that runs in it. Baton then makes a new one.`,
    );
  }
  if (!found.isRunning) await engine.do(["start", container]);
}

function settingsOf({ image, memory, cpus, pids, network, mounts }: ContainerOptions): string[] {
  return [
    ...["--memory", memory, "--cpus", String(cpus), "--pids-limit", String(pids)],
    ...(network === null ? [] : ["--network", network]),
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...mounts.flatMap((mount) => ["--volume", mount]),
    ...["--entrypoint", "/bin/sh", image, "-c", WAIT],
  ];
}

function digest(what: string | readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex");
}

interface FoundContainer {
  readonly isRunning: boolean;
  /** What it was made with, as a digest. */
  readonly settings: string;
}

class Engine {
  readonly #program: string;
  readonly #variables: Readonly<Record<string, string>>;

  constructor(program: string, variables: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#variables = variables;
  }

  async find(container: string): Promise<FoundContainer | null> {
    const format = `{{.State.Running}} {{index .Config.Labels "${LABEL}"}}`;
    try {
      const [running = "", settings = ""] = (
        await this.do(["container", "inspect", "--format", format, container])
      ).split(" ");
      return { isRunning: running === "true", settings };
    } catch (error) {
      if (/no such container/i.test((error as Error).message)) return null;
      throw error;
    }
  }

  /** What it prints; throws an `Error` with what it says if it fails. */
  do(args: readonly string[]): Promise<string> {
    const options = { cwd: "/", env: { ...this.#variables }, timeout: PATIENCE_MS, maxBuffer: 1_000_000 };
    return new Promise((resolve, reject) => {
      // What it leaves running, such as the container's monitor, would keep what we inherited.
      const [file, ...words] = withoutDescriptors(this.#program, args);
      execFile(file, words, options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout.trim());
        const said = cleanLine(shorten(stderr || error.message, 500));
        reject(new Error(`${this.#program} failed: ${said}`));
      });
    });
  }
}
