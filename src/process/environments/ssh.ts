/**
 * Another machine, by the system's ssh client. What holds:
 * - it never asks for anything, forwards nothing, and sends no variable of ours;
 * - all commands share one connection, which a client keeps for a while. Those in the background have their own: the one
 *   of the foreground belongs to the gateway and ends with it.
 */
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { EnvironmentUse, SshConfig } from "../../util/environment-config.js";
import { shortSocketPath } from "../places.js";
import { controlledCommand, type ReachThere } from "./controlled.js";
import { shellText } from "./encoded-words.js";
import { tried } from "./trial.js";

const SETTINGS = [
  ...["BatchMode=yes", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no"],
  ...["PermitLocalCommand=no", "RemoteCommand=none", "EscapeChar=none", "LogLevel=ERROR"],
  ...["ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3"],
  ...["ControlMaster=auto", "ControlPersist=600"],
];

/** How long it may take to sign in. */
const PATIENCE_MS = 30_000;

/** The server gives the command to a shell as one argument, and the kernel takes no longer one. */
const LONGEST = 128 * 1_024 - 1;

export function sshEnvironment(options: SshConfig & EnvironmentUse): CommandEnvironment {
  const { name, host, port, configFile, workdir, variables, home } = options;
  const shared = (whose: string) =>
    shortSocketPath(JSON.stringify([home, name, host, port, configFile, whose]));
  const reachFor =
    (whose: string): ReachThere =>
    (words, mode) => [
      ...clientWords(options, [...SETTINGS, `ControlPath=${shared(whose)}`]),
      mode === "terminal" ? "-tt" : "-T",
      ...["--", host, shellText(words)],
    ];
  return {
    name,
    where: [
      `on ${host}`,
      ...(port === null ? [] : [`port ${port}`]),
      ...(configFile === null ? [] : [`as ${configFile} says`]),
    ].join(", "),
    workdir,
    launch: async (command, folder, mode) => {
      const whose = mode === "foreground" ? "gateway" : "host";
      const given = { command, workdir: folder, mode };
      const { file, args, remote } = controlledCommand(reachFor(whose), given);
      if (args.some((word) => Buffer.byteLength(word) > LONGEST)) {
        throw new Error("the command is too long for ssh. Write it to a file there and run that.");
      }
      await reached(options, shared(whose));
      return { file, args, remote, environment: variables };
    },
  };
}

/**
 * Throws if nobody can sign in there: then certainly nothing was run. It does not make the connection that is shared,
 * because the one of the host must not belong to this process.
 */
async function reached(options: SshConfig & EnvironmentUse, shared: string): Promise<void> {
  const { host, variables } = options;
  const check = [...clientWords(options, [`ControlPath=${shared}`]), "-O", "check", "--", host] as const;
  if ((await tried(check, variables, PATIENCE_MS)) === null) return;
  const failure = await tried(sshTrial(options), variables, PATIENCE_MS);
  if (failure !== null)
    throw new Error(`${failure.replace(/\.$/, "")}. Run \`${sshByHand(options)}\` to see more.`);
}

function clientWords(
  { port, configFile }: SshConfig,
  settings: readonly string[],
): readonly [string, ...string[]] {
  return [
    "ssh",
    ...(configFile === null ? [] : ["-F", configFile]),
    ...settings.flatMap((setting) => ["-o", setting]),
    ...(port === null ? [] : ["-p", String(port)]),
  ];
}

/** What a person types to sign in. */
export function sshByHand(config: SshConfig): string {
  return [...clientWords(config, []), config.host].join(" ");
}

/** Signs in there, by a connection of its own, and does nothing. */
export function sshTrial(config: SshConfig): readonly [string, ...string[]] {
  return [...clientWords(config, ["ControlPath=none", ...SETTINGS]), "-T", "--", config.host, "exit 0"];
}
