/**
 * Another machine, by the system's ssh client. What holds:
 * - it never asks for anything, forwards nothing, and sends no variable of ours;
 * - all commands share one connection, which a client keeps for a while. Those in the background have their own: the one
 *   of the foreground belongs to the gateway and ends with it.
 */
import type { CommandEnvironment } from "../../util/command-environment.js";
import { shortSocketPath } from "../places.js";
import { controlledCommand, type ReachThere } from "./controlled.js";
import { shellText } from "./encoded-words.js";

export interface SshOptions {
  readonly name: string;
  /** As on the command line of ssh: a name, an alias of its configuration, or user@name. */
  readonly host: string;
  readonly port: number | null;
  /** Instead of the user's own and the system's configuration. */
  readonly configFile: string | null;
  readonly workdir: string | null;
  /** The whole environment of the client. */
  readonly variables: Readonly<Record<string, string>>;
  /** The home folder of Baton: two of them share no connection. */
  readonly home: string;
}

const SETTINGS = [
  ...["BatchMode=yes", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no"],
  ...["PermitLocalCommand=no", "RemoteCommand=none", "EscapeChar=none", "LogLevel=ERROR"],
  ...["ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3"],
  ...["ControlMaster=auto", "ControlPersist=600"],
];

/** The server gives the command to a shell as one argument, and the kernel takes no longer one. */
const LONGEST = 128 * 1_024 - 1;

export function sshEnvironment(options: SshOptions): CommandEnvironment {
  const { name, host, port, configFile, workdir, variables, home } = options;
  const shared = (whose: string) =>
    shortSocketPath(JSON.stringify([home, name, host, port, configFile, whose]));
  const reachFor =
    (whose: string): ReachThere =>
    (words, mode) => [
      "ssh",
      ...(configFile === null ? [] : ["-F", configFile]),
      ...[...SETTINGS, `ControlPath=${shared(whose)}`].flatMap((setting) => ["-o", setting]),
      ...(port === null ? [] : ["-p", String(port)]),
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
