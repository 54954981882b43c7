/** A home with secrets, a working folder in it, and doors of a machine: what hostile commands aim at, watched. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

export interface World {
  readonly home: string;
  readonly work: string;
  readonly own: string;
  readonly inner: string;
  readonly temporary: string;
  readonly places: Readonly<Record<string, string>>;
  /** Which parts of a text nobody inside may see. */
  leaks(text: string): string[];
  /** All that must not change, as a text. */
  state(): string;
  /** Processes that the commands have left, by their ids. */
  left(): number[];
  close(): Promise<void>;
}

export async function makeWorld(): Promise<World> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-world-")));
  const home = join(root, "home", "ann");
  const [work, own, out] = [join(home, "work"), join(home, ".baton"), join(home, "documents")];
  const inner = join(work, "deep", "own");
  const canary = `canary-${randomUUID()}`;
  const mark = String(1_000_000_000 + randomInt(1_000_000_000));
  const temporary = join(own, "sandbox", "tmp");
  const files: Readonly<Record<string, string>> = {
    [join(home, ".bashrc")]: "# mine\n",
    [join(home, ".profile")]: "# mine\n",
    [join(home, ".gitconfig")]: "[user]\n\tname = Ann\n",
    [join(home, ".npmrc")]: `token=${canary}-npm\n`,
    [join(home, ".netrc")]: `${canary}-netrc\n`,
    [join(home, ".ssh", "id_rsa")]: `${canary}-ssh\n`,
    [join(home, ".ssh", "authorized_keys")]: "ssh-ed25519 AAAA ann\n",
    [join(home, ".aws", "credentials")]: `${canary}-aws\n`,
    [join(out, "diary.txt")]: `a diary ${canary}-diary\n`,
    [join(out, "run.sh")]: "#!/bin/sh\n",
    [join(out, "empty", "..", "repo", ".git", "hooks", "pre-commit.sample")]: "#!/bin/sh\n",
    [join(root, "home", "bob", "secret.txt")]: `${canary}-bob\n`,
    [join(own, "config.yaml")]: `agent: { name: ${canary}-config }\n`,
    [join(own, "secrets", "key")]: `${canary}-key\n`,
    [join(own, "baton.db")]: `${canary}-database\n`,
    [join(inner, "config.yaml")]: `agent: { name: ${canary}-inner }\n`,
    [join(inner, "secrets", "key")]: `${canary}-inner-key\n`,
    [join(work, "store.db")]: `${canary}-store\n`,
  };
  for (const folder of [temporary, join(out, "empty"), join(root, "run")]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  chmodSync(join(out, "run.sh"), 0o755);
  const socket = join(root, "run", "docker.sock");
  const abstract = `baton-${randomUUID()}`;
  const visitors = new Set<Socket>();
  const open = async (where: ListenOptions): Promise<Server> => {
    const door = createServer((visitor) => {
      visitors.add(visitor);
      visitor.on("error", () => {}).end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    });
    await once(door.listen(where), "listening");
    return door;
  };
  const loopback = await open({ port: 0, host: "127.0.0.1" });
  const doors = [loopback, await open({ path: socket }), await open({ path: `\0${abstract}` })];
  const sentinel = spawn("sh", ["-c", `while :; do sleep 60; done # ${mark}`], {
    cwd: out,
    env: { PATH: process.env.PATH, SECRET: `${canary}-environment` },
    stdio: "ignore",
    detached: true,
  });
  await once(sentinel, "spawn");
  const places = {
    home,
    out,
    own,
    inner,
    socket,
    abstract,
    mark,
    pid: String(sentinel.pid),
    port: String((loopback.address() as AddressInfo).port),
  };
  const left = () => processesWith(mark).filter((pid) => pid !== sentinel.pid);
  return {
    home,
    work,
    own,
    inner,
    temporary,
    places,
    leaks: (text) => [
      ...new Set(text.match(new RegExp(`${canary}-[\\w-]+|${mark} could .*|^root:[^x:][^:]*:\\d+:.*`, "gm"))),
    ],
    state: () =>
      [
        ...listed(root, (path) => path === work || path === temporary),
        ...listed(inner, () => false),
        ...listed(join(work, "store.db"), () => false),
        `visitors ${visitors.size}`,
        `sentinel ${howIs(sentinel)}`,
        ...machine(mark),
      ].join("\n"),
    left,
    close: async () => {
      for (const pid of left()) kill(pid);
      kill(-(sentinel.pid ?? 0));
      for (const visitor of visitors) visitor.destroy();
      await Promise.all(doors.map((door) => new Promise((closed) => door.close(closed))));
      chmodSync(home, 0o700);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A line for each file and folder; those that `isLeftOut` names are not looked into. */
function listed(path: string, isLeftOut: (path: string) => boolean): string[] {
  if (isLeftOut(path)) return [];
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [`${path} is gone`];
  const what = stats.isSymbolicLink()
    ? readlinkSync(path)
    : stats.isFile()
      ? createHash("sha256").update(readFileSync(path)).digest("hex")
      : "";
  const time = stats.isDirectory() ? "" : stats.mtimeMs;
  const line = `${path} ${stats.mode} ${stats.uid} ${stats.gid} ${time} ${what}`;
  const below = stats.isDirectory() ? readdirSync(path).sort() : [];
  return [line, ...below.flatMap((name) => listed(join(path, name), isLeftOut))];
}

/** What of the machine commands aim at. */
function machine(mark: string): string[] {
  const stated = [
    "/etc/hosts",
    "/etc/passwd",
    "/etc/group",
    "/etc/ld.so.preload",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
  ];
  const folders = [
    "/",
    "/etc",
    "/etc/cron.d",
    "/usr/bin",
    "/usr/local/bin",
    "/opt",
    "/var",
    "/dev/shm",
    "/tmp",
  ];
  return [
    ...stated.map((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      const isDevice = stats?.isCharacterDevice() ?? false;
      return `${path} ${stats?.mode} ${stats?.size} ${isDevice ? stats?.mtimeMs === 1_000 : stats?.mtimeMs}`;
    }),
    ...folders.flatMap((folder) => {
      const names = lstatSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];
      return names.filter((name) => name.includes(mark)).map((name) => `${folder}/${name}`);
    }),
    `host ${hostname()}`,
  ];
}

function howIs(child: ChildProcess): string {
  if (child.exitCode !== null || child.signalCode !== null) return "ended";
  const status = readFileSync(`/proc/${child.pid}/stat`, "utf8").replace(/^.*\) /s, "");
  const [state = "", ...fields] = status.split(" ");
  return `${state === "S" || state === "R" || state === "D" ? "runs" : state} ${fields[15]}`; // With its niceness.
}

function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
      } catch {
        return false; // It has just ended.
      }
    })
    .map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
