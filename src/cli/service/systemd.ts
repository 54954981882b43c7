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
# A gateway that fails at once is tried five times, then left.
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
ExecStart=${executable(node)} ${argument(main)} gateway
Environment=${assignment("BATON_HOME", home)} ${assignment("PATH", path)}
# NAME=value lines, for secrets; chmod 600. It need not be there.
EnvironmentFile=-${bare(environmentFile(home))}
# Not the folder that the agent works in, which it may write to: a baton.yaml is read here.
WorkingDirectory=%h
Restart=on-failure
RestartSec=5
# Wrong usage does not get better by trying again.
RestartPreventExitStatus=2
# Only the gateway is told to stop: running turns and their commands have ten seconds to end.
KillMode=mixed
TimeoutStopSec=30
# A command that takes all memory does not take the gateway along; no memory with secrets is written to disk.
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
    `systemd runs no program with a quote or a backslash in its path: ${path}`,
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
