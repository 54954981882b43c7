/**
 * The systemd unit of the gateway, for the user's own manager. It confines little on purpose: commands have a sandbox of
 * their own, which needs user namespaces, mounts and an unmasked /proc, so settings such as `RestrictNamespaces`,
 * `ProtectKernelTunables`, `PrivateDevices` or `SystemCallFilter` must not stand here. Neither do secrets.
 */
import { CliError } from "../failure.js";
import { checkService, environmentFile, type Service, WRITTEN_BY } from "./description.js";

export const UNIT = "baton.service";

export function systemdUnit(given: Service): string {
  const { node, main, home, path } = checkService(given);
  return `# ${WRITTEN_BY}
[Unit]
Description=Baton, one agent conversation across every chat platform
# systemd tries a gateway that fails at once five times, then gives up.
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
ExecStart=${executable(node)} ${argument(main)} gateway
Environment=${assignment("BATON_HOME", home)} ${assignment("PATH", path)}
# NAME=value lines, for secrets; chmod 600. The file is optional.
EnvironmentFile=-${bare(environmentFile(home))}
# Not the working folder of the agent: Baton reads a baton.yaml here, and the agent must not write it.
WorkingDirectory=%h
Restart=on-failure
RestartSec=5
# Exit code 2 is wrong usage: starting again does not help.
RestartPreventExitStatus=2
# Only the gateway gets the signal: running turns and their commands have ten seconds to end.
KillMode=mixed
TimeoutStopSec=30
# A command that runs out of memory does not end the gateway; no memory with secrets is written to disk.
OOMPolicy=continue
LimitCORE=0

[Install]
WantedBy=default.target
`;
}

/** The program's own path is taken as it is, but never with quotes or backslashes. */
function executable(path: string): string {
  if (!/["'\\]/.test(path)) return quote(bare(path));
  throw new CliError(
    "invalid_path",
    `systemd can't run a program with a quote or a backslash in its path: ${path}`,
  );
}

/** A word of a command line: quoted, with nothing for systemd to expand. */
function argument(word: string): string {
  return quote(bare(word).replaceAll("$", "$$$$"));
}

function assignment(name: string, value: string): string {
  return quote(`${name}=${bare(value)}`);
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Specifiers are expanded everywhere, in quotes or not. */
function bare(text: string): string {
  return text.replaceAll("%", "%%");
}
