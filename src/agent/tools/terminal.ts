/**
 * The tool `terminal`: a shell command in the foreground or in the background, in a folder that file tools may use. It
 * runs in a sandbox if there is one; to leave that, it must ask each time. Without a sandbox it has all the rights of
 * this user, and Baton asks before some commands. All of this is checked alike for both.
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Danger, Tool } from "../agent.js";
import type { Confinement, Sandbox } from "../sandbox/sandbox.js";
import { BACKGROUND_PARAMETERS, backgroundLaunch, backgroundWish } from "./background.js";
import { Confined } from "./confined.js";
import { identity, type OpenFolder } from "./open-folder.js";
import { type Arguments, answering, Refused } from "./refused.js";
import { runShell } from "./shell-run.js";

export interface TerminalToolOptions {
  /** The folder for commands that name no other. */
  readonly cwd: string;
  /** The folders that they may name; `cwd` by default. */
  readonly confined?: Confined;
  /** The whole environment that commands see. */
  readonly environment: Readonly<Record<string, string>>;
  /** The time-out for a command that names none. */
  readonly timeoutMs?: number;
  /** The longest time-out that a command may ask for. */
  readonly maxTimeoutMs?: number;
  /** The longest output that is returned, in UTF-16 units. */
  readonly maxOutput?: number;
  /** If given, Baton runs only these commands without asking. */
  readonly allow?: readonly string[];
  /** How commands are confined; by default not at all. */
  readonly confinement?: Confinement;
}

const DESCRIPTION =
  "Runs a shell command and returns its exit code and output. The command gets no input, and is killed after a time-out. With `background` it runs on, and the tool `process` looks after it.";

const LEAVES = "leaves the sandbox and runs with all the rights of Baton's user";

const LONGEST_FOLDER = 10_000;

export function terminalTool(options: TerminalToolOptions): Tool {
  const { maxTimeoutMs = 600_000, maxOutput = 30_000 } = options;
  const { confined = new Confined({ folders: [options.cwd], base: options.cwd, forbidden: [] }) } = options;
  const { timeoutMs = Math.min(120_000, maxTimeoutMs), confinement = { kind: "none" } } = options;
  const isWalled = confinement.kind === "sandbox";
  const mayLeave = isWalled && confinement.mayLeave;
  return {
    name: "terminal",
    description: isWalled ? `${DESCRIPTION} ${aboutSandbox(confinement.sandbox)}` : DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command that the shell runs." },
        workdir: { type: "string", description: "The folder to run it in; the working folder by default." },
        timeout: {
          type: "number",
          description: `After how many seconds to kill it; ${timeoutMs / 1_000} by default, at most ${maxTimeoutMs / 1_000}.`,
        },
        ...BACKGROUND_PARAMETERS,
        ...(mayLeave ? LEAVING : {}),
      },
      required: ["command"],
      additionalProperties: false,
    },
    danger: async (args) => {
      const command = textOf(args, "command");
      if (command === null || confinement.kind === "missing") return null;
      const folder = resolve(options.cwd, textOf(args, "workdir") ?? "");
      const how = isTrue(args, "background") ? ", in the background" : "";
      if (mayLeave && isTrue(args, "outside"))
        return dangerOutside({ folder, command, how }, textOf(args, "reason"));
      if (isWalled && confinement.sandbox.doubt === null && !options.allow) return null;
      const { dangerOf } = await import("./danger.js"); // Loaded only now, because it needs a parser.
      const folders = [realOf(folder), folder, ...confined.folders];
      const place = { folders, ...(confined.home === null ? {} : { home: confined.home }) };
      const reason = dangerOf(command, { ...(options.allow ? { allow: options.allow } : {}), place });
      if (reason === null) return null;
      return dangerIn({ folder, command, how }, reason);
    },
    run: answering(async (args, context) => {
      const command = commandOf(args);
      const wish = backgroundWish(args);
      const wanted = (args.optionalNumber("timeout", 0.001) ?? timeoutMs / 1_000) * 1_000;
      if (confinement.kind === "missing") throw new Refused(confinement.why);
      const isOutside = args.flag("outside");
      if (isOutside && isWalled && !mayLeave) throw new Refused(NO_WAY_OUT);
      const sandbox = isWalled && !isOutside ? confinement.sandbox : null;
      const folder = await folderOf(args, options.cwd, confined);
      try {
        await checkApproved(folder, context.approved);
        const { path: cwd, way } = folder;
        if (wish) {
          if (!context.background) throw new Refused(NO_BACKGROUND);
          const launch = backgroundLaunch(command, cwd, options.environment, { pty: wish.pty, sandbox });
          return await context.background({
            ...wish,
            ...launch,
            command,
            workdir: cwd,
            cwd: folder.wayFromOutside,
          });
        }
        const limits = { maxOutput, timeoutMs: Math.min(wanted, maxTimeoutMs) };
        const result = await runShell(command, { ...options, ...limits, cwd, way, sandbox }, context);
        return wanted > maxTimeoutMs
          ? `(Its time-out was limited to ${maxTimeoutMs / 1_000} s.) ${result}`
          : result;
      } finally {
        await folder.close();
      }
    }),
  };
}

const NO_BACKGROUND =
  "not run: commands can't run in the background here. Run it without `background`, within its time-out.";

const NO_WAY_OUT =
  "not run: commands can't leave the sandbox, because `tools.terminal.sandbox` is `required`.";

const LEAVING = {
  outside: {
    type: "boolean",
    description:
      "True to run outside the sandbox. Baton asks the owner each time, so try inside first and say why in `reason`.",
  },
  reason: { type: "string", description: "Why it must run outside the sandbox, for the owner to read." },
};

/** What the model should know before it tries. */
function aboutSandbox({ folders, network }: Sandbox): string {
  return [
    `It runs in a sandbox: it can write in ${folders.join(", ")} and /tmp, and read the system's programs.`,
    "The rest of the home folder is hidden, and files written there are lost after the command.",
    network ? "It can use the network." : "It has no network.",
    "Processes that it leaves behind are killed when it ends; for those that should go on, use `background`.",
  ].join(" ");
}

/** As `Arguments.flag` reads it. */
function isTrue(args: unknown, name: string): boolean {
  const value = (args as Readonly<Record<string, unknown>>)[name];
  return value === true || value === "true";
}

/** What would be run where, and how, as after the folder. */
interface Asked {
  readonly folder: string;
  readonly command: string;
  readonly how: string;
}

function dangerOutside(asked: Asked, why: string | null): Danger {
  const danger = dangerIn(asked, LEAVES);
  const what = `${danger.what}, outside the sandbox\n\nThe agent's reason: ${why?.trim() || "none given"}`;
  return { ...danger, what, onlyOwner: true };
}

interface WorkingFolder {
  readonly path: string;
  /** What the folder is, whatever its name; null if it does not exist. */
  readonly identity: string | null;
}

function realOf(folder: string): string {
  return placeOf(folder).path;
}

/** Where a path leads now. */
function placeOf(path: string): WorkingFolder {
  try {
    const real = realpathSync(path);
    return { path: real, identity: identity(statSync(real, { bigint: true })) };
  } catch {
    return { path, identity: null };
  }
}

/** The person sees, and approves, the folder that is really meant. */
function dangerIn({ folder, command, how }: Asked, reason: string): Danger {
  const place = placeOf(folder);
  const isStillSo = (): boolean => {
    const now = placeOf(folder);
    return now.path === place.path && now.identity === place.identity;
  };
  const what = `${command}\n\nin ${place.path}${how}`;
  return { reason, what, isStillSo, place: place.path, identity: place.identity };
}

function commandOf(args: Arguments): string {
  const command = args.words("command", Number.POSITIVE_INFINITY);
  if (command.includes("\0")) throw new Refused("`command` must be a text without NUL characters.");
  return command;
}

/** Held open until the command has ended: another command could swap it for a link to anywhere. */
async function folderOf(args: Arguments, cwd: string, confined: Confined): Promise<OpenFolder> {
  const written = args.optionalText("workdir", LONGEST_FOLDER);
  if (written) return confined.openFolder(written, async () => {}); // It may be any of the folders.
  try {
    return await confined.hold(cwd);
  } catch (error) {
    if (error instanceof Refused) throw new Refused(`no shell could be started in ${cwd}: ${error.message}`);
    throw error;
  }
}

/** Checks that the open folder is the one that the person saw. */
async function checkApproved(folder: OpenFolder, approved: Danger | undefined): Promise<void> {
  if (approved?.place === undefined) return;
  if (folder.path === approved.place && (await folder.identity()) === approved.identity) return;
  throw new Refused("not run: the folder has changed since this was approved.");
}

function textOf(args: unknown, name: string): string | null {
  if (typeof args !== "object" || args === null) return null;
  const value = (args as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : null;
}
