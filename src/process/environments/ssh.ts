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

const SETTINGS = [
  ...["BatchMode=yes", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no"],
  ...["PermitLocalCommand=no", "RemoteCommand=none", "EscapeChar=none", "LogLevel=ERROR"],
  ...["ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3"],
  ...["ControlMaster=auto", "ControlPersist=600"],
];

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
      const reach = reachFor(mode === "foreground" ? "gateway" : "host");
      const { file, args, remote } = controlledCommand(reach, { command, workdir: folder, mode });
      if (args.some((word) => Buffer.byteLength(word) > LONGEST)) {
        throw new Error("the command is too long for ssh. Write it to a file there and run that.");
      }
      return { file, args, remote, environment: variables };
    },
  };
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

/** Signs in there, by a connection of its own, and does nothing. */
export function sshTrial(config: SshConfig): readonly [string, ...string[]] {
  return [...clientWords(config, ["ControlPath=none", ...SETTINGS]), "-T", "--", config.host, "exit 0"];
}
