/** A real sshd on loopback, with keys of its own, that lets only the test's own user in. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const SSHD = "/usr/sbin/sshd";

export interface SshServer {
  /** The configuration of a client that knows it as `there`. */
  readonly configFile: string;
  /** Cuts all connections, as a network that fails would. */
  cut(): void;
  close(): void;
}

/** Null if one can be started here, else why not. */
export function whyNoSshd(): string | null {
  if (!existsSync(SSHD)) return "openssh-server is not installed";
  if (userInfo().uid === 0 && !existsSync("/run/sshd")) return "root needs the folder /run/sshd for it";
  return null;
}

export async function startSshd(): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), "baton-sshd-"));
  const at = (name: string) => join(folder, name);
  for (const name of ["host", "user"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
  }
  const port = await freePort();
  const known = `[127.0.0.1]:${port} ${readFileSync(at("host.pub"), "utf8")}`;
  writeFileSync(at("known"), known);
  writeFileSync(
    at("sshd_config"),
    [
      ...[`ListenAddress 127.0.0.1:${port}`, `HostKey ${at("host")}`, "PidFile none", "UsePAM no"],
      ...[`AuthorizedKeysFile ${at("user.pub")}`, "StrictModes no", "PasswordAuthentication no"],
      // It takes all that a client would send.
      ...[
        "PermitRootLogin prohibit-password",
        "AcceptEnv *",
        "X11Forwarding yes",
        "AllowAgentForwarding yes",
      ],
      // The profile of whoever runs the tests does not count.
      ...["MaxSessions 100", `SetEnv HOME=${folder}`, "LogLevel ERROR", ""],
    ].join("\n"),
  );
  writeFileSync(
    at("ssh_config"),
    [
      ...["Host there", "  HostName 127.0.0.1", `  Port ${port}`, `  User ${userInfo().username}`],
      ...[`  IdentityFile ${at("user")}`, "  IdentitiesOnly yes", `  UserKnownHostsFile ${at("known")}`],
      // What somebody may have in theirs: the command line counts first.
      ...["  ForwardAgent yes", "  SendEnv LANG LC_*", "  RemoteCommand echo evil", "  RequestTTY yes", ""],
    ].join("\n"),
  );
  const server = spawn(SSHD, ["-D", "-e", "-f", at("sshd_config")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await listens(port, server);
  const cut = () => {
    for (const pid of connectionsOf(server)) kill(pid);
  };
  return {
    configFile: at("ssh_config"),
    cut,
    close: () => {
      const connections = connectionsOf(server);
      server.kill("SIGKILL");
      for (const pid of connections) kill(pid);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Each connection is a child of the server. */
function connectionsOf({ pid }: ChildProcess): number[] {
  const children = `/proc/${pid}/task/${pid}/children`;
  return readFileSync(children, "utf8").split(" ").filter(Boolean).map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function listens(port: number, { exitCode }: ChildProcess): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.end(() => resolve(true)));
      socket.on("error", () => resolve(false));
    });
    if (isOpen) return;
    if (exitCode !== null) throw new Error(`sshd ended with ${exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
