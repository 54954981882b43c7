/**
 * The tool `terminal`: a shell command in the foreground or in the background. On this machine it runs in a folder that
 * file tools may use, and in a sandbox if there is one; to leave that, it must ask each time. Without a sandbox it has
 * all the rights of this user, and Baton asks before some commands. In another environment Baton asks before the same
 * ones. All of this is checked alike in the foreground and in the background.
 */
import { resolve } from "node:path";
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { Danger, Tool, ToolContext } from "../agent.js";
import type { Confinement, Sandbox } from "../sandbox/sandbox.js";
import { BACKGROUND_PARAMETERS, backgroundWish } from "./background.js";
import {
  type Asked,
  type CommandPlace,
  dangerHere,
  dangerThere,
  placeHere,
  placeThere,
  realOf,
  workPlaceThere,
} from "./command-place.js";
import { Confined } from "./confined.js";
import type { WorkPlace } from "./danger-outside.js";
import { NamedEnvironments } from "./named-environments.js";
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
  /** How commands are confined on this machine; by default not at all. */
  readonly confinement?: Confinement;
  /** Where else commands may run. */
  readonly environments?: readonly CommandEnvironment[];
  /** The name of the environment for commands that name no other; this machine by default. */
  readonly defaultEnvironment?: string;
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
  const environments = new NamedEnvironments(options.environments ?? [], options.defaultEnvironment);
  const placeOf = async (args: Arguments, context: ToolContext): Promise<CommandPlace> => {
    const workdir = args.optionalText("workdir", LONGEST_FOLDER);
    const there = environments.named(args.optionalText("environment", LONGEST_FOLDER) ?? null);
    if (there === undefined) throw new Refused(`there is no such environment. ${environments.known()}`);
    if (there !== null) return placeThere(there, workdir);
    if (confinement.kind === "missing") throw new Refused(confinement.why);
    const isOutside = args.flag("outside");
    if (isOutside && isWalled && !mayLeave) throw new Refused(NO_WAY_OUT);
    const sandbox = isWalled && !isOutside ? confinement.sandbox : null;
    const { cwd, environment } = options;
    const files = sandbox ? context.files : undefined;
    return placeHere(workdir, context.approved, { cwd, environment, confined, sandbox, files });
  };
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
        ...environments.parameter(),
        ...(mayLeave ? LEAVING : {}),
      },
      required: ["command"],
      additionalProperties: false,
    },
    danger: async (args) => {
      const command = textOf(args, "command");
      if (command === null) return null;
      const there = environments.named(textOf(args, "environment"));
      if (there === undefined) return null;
      const { allow } = options;
      const workdir = textOf(args, "workdir");
      const getsInput = isTrue(args, "background");
      const hasTerminal = isTrue(args, "pty");
      const how = howItRuns(getsInput, hasTerminal);
      if (there !== null) {
        const place = workPlaceThere(there, workdir);
        const reason = await reasonToAsk(command, { place, getsInput, hasTerminal, allow });
        return reason === null ? null : dangerThere(there, { folder: workdir ?? "", command, how }, reason);
      }
      if (confinement.kind === "missing") return null;
      const folder = resolve(options.cwd, workdir ?? "");
      if (mayLeave && isTrue(args, "outside")) {
        const typed = getsInput ? await whyTyped(command, hasTerminal) : "";
        return dangerOutside(
          { folder, command, how },
          `${LEAVES}${typed}`,
          options.environment,
          textOf(args, "reason"),
        );
      }
      const isSafe = isWalled && confinement.sandbox.doubt === null;
      if (isSafe && !allow) return null;
      const folders = [realOf(folder), folder, ...confined.folders];
      const place = { folders, ...(confined.home === null ? {} : { home: confined.home }) };
      const reason = await reasonToAsk(command, {
        place,
        getsInput: getsInput && !isSafe,
        hasTerminal,
        allow,
      });
      return reason === null ? null : dangerHere({ folder, command, how }, reason, options.environment);
    },
    run: answering(async (args, context) => {
      const command = commandOf(args);
      const wish = backgroundWish(args);
      const wanted = (args.optionalNumber("timeout", 0.001) ?? timeoutMs / 1_000) * 1_000;
      const place = await placeOf(args, context);
      try {
        if (wish) {
          if (!context.background) throw new Refused(NO_BACKGROUND);
          const { environment: variables, ...launch } = await place.launch(
            command,
            wish.pty ? "terminal" : "background",
          );
          const { folder: workdir, environment, walled } = place;
          const shown = { command, workdir, environment };
          return await context.background({ ...wish, ...launch, ...shown, variables, walled });
        }
        const launch = await place.launch(command, "foreground");
        const limits = { maxOutput, timeoutMs: Math.min(wanted, maxTimeoutMs) };
        const result = await runShell(launch, { folder: place.folder, ...limits }, context);
        return wanted > maxTimeoutMs
          ? `(Its time-out was limited to ${maxTimeoutMs / 1_000} s.) ${result}`
          : result;
      } finally {
        await place.close();
      }
    }),
  };
}

const NO_BACKGROUND =
  "not run: commands can't run in the background here. Run it without `background`, within its time-out.";

/** A yes to one form is none to another. */
function howItRuns(inBackground: boolean, pty: boolean): string {
  return inBackground ? `, in the background${pty ? " with a terminal" : ""}` : "";
}

async function reasonToAsk(
  command: string,
  {
    allow,
    ...context
  }: {
    place: WorkPlace;
    getsInput: boolean;
    hasTerminal: boolean;
    allow: readonly string[] | undefined;
  },
): Promise<string | null> {
  const { dangerOf } = await import("./danger.js"); // Loaded only now, because it needs a parser.
  return dangerOf(command, { ...context, ...(allow ? { allow } : {}) });
}

/** Who allows it to leave the sandbox must know if that is for more than this command. */
async function whyTyped(command: string, hasTerminal: boolean): Promise<string> {
  const [{ dangerOf }, { TAKES_COMMANDS }, { TAKES_KEYS }] = await Promise.all([
    import("./danger.js"),
    import("./danger-input.js"),
    import("./danger-keys.js"),
  ]);
  const reason = dangerOf(command, { getsInput: true, hasTerminal });
  return reason === TAKES_COMMANDS || reason === TAKES_KEYS ? `, and ${reason}` : "";
}

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

function dangerOutside(
  asked: Asked,
  reason: string,
  environment: TerminalToolOptions["environment"],
  why: string | null,
): Danger {
  const danger = dangerHere(asked, reason, environment);
  const what = `${danger.what}, outside the sandbox\n\nThe agent's reason: ${why?.trim() || "none given"}`;
  return { ...danger, what, onlyOwner: true };
}

function commandOf(args: Arguments): string {
  const command = args.words("command", Number.POSITIVE_INFINITY);
  if (command.includes("\0")) throw new Refused("`command` must be a text without NUL characters.");
  return command;
}

function textOf(args: unknown, name: string): string | null {
  if (typeof args !== "object" || args === null) return null;
  const value = (args as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : null;
}
