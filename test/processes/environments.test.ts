/**
 * The same cases over every environment, through the process host: on this machine with pipes and with a PTY, in the
 * sandbox, on another machine (a real sshd on loopback), and in a container (a real podman). What cannot run here is
 * skipped, and the reason is printed.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openSandbox } from "../../src/agent/sandbox/open-sandbox.js";
import { type CommandLaunch, launchHere, launchThere } from "../../src/agent/tools/command-launch.js";
import { apptainerEnvironment } from "../../src/process/environments/apptainer.js";
import { containerEnvironment } from "../../src/process/environments/container.js";
import { sshEnvironment } from "../../src/process/environments/ssh.js";
import type { ProcessEnd } from "../../src/process/process.js";
import type { ProcessId } from "../../src/session/ids.js";
import type { CommandEnvironment, LaunchMode } from "../../src/util/command-environment.js";
import { openApptainer } from "../support/apptainer.js";
import { openPodman } from "../support/podman.js";
import { hostWorld } from "../support/process-host.js";
import { startSshd, whyNoSshd } from "../support/ssh-server.js";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const CANARY = "canary-of-the-environment";
const POLL = { timeout: 60_000, interval: 20 };
const SIZE = { cols: 80, rows: 24 };

/** What a client of ours is given: only what the settings let through. */
const variables = { PATH, HOME: homedir(), LANG: "C.UTF-8" };

interface Place {
  launch(command: string, mode: LaunchMode, workdir?: string): Promise<CommandLaunch> | CommandLaunch;
  /** Makes a folder there that commands can use, and returns its path. */
  folder(): string;
  /** True if something is kept there of the command with this mark; absent if nothing is. */
  keeps?(mark: string): boolean;
  /** Cuts the connection; absent if there is none. */
  cut?(): void;
}

const cleanUps: (() => void)[] = [];
afterAll(() => {
  for (const cleanUp of cleanUps.reverse()) cleanUp();
});

const work = mkdtempSync(join(tmpdir(), "baton-environments-"));
cleanUps.push(() => rmSync(work, { recursive: true, force: true }));

function here(sandbox: Parameters<typeof launchHere>[1]["sandbox"]): Place {
  const environment = { PATH, HOME: homedir(), LANG: "C.UTF-8" };
  return {
    launch: (command, mode, folder = work) =>
      launchHere(command, { path: folder, way: folder, environment, sandbox }, mode),
    folder: () => work,
  };
}

function there(environment: CommandEnvironment, more: Omit<Place, "launch">): Place {
  return {
    launch: (command, mode, folder) => launchThere(command, environment, folder ?? environment.workdir, mode),
    ...more,
  };
}

async function sandboxed(): Promise<Place | string> {
  if (process.platform !== "linux") return "this is no Linux";
  const temporary = join(work, "temporary");
  mkdirSync(temporary);
  const walls = { folders: [work], hidden: [], home: homedir(), path: PATH, temporary, network: false };
  const found = await openSandbox(walls);
  return found.sandbox === null ? found.why : here(found.sandbox);
}

async function overSsh(): Promise<Place | string> {
  const why = whyNoSshd();
  if (why !== null) return why;
  const server = await startSshd();
  cleanUps.push(() => server.close());
  const { configFile, cut } = server;
  const environment = sshEnvironment({
    ...{ name: "there", host: "there", port: null, configFile, workdir: "/tmp", home: work },
    variables: { ...variables, SSH_AUTH_SOCK: join(work, "agent") },
  });
  const keeps = (mark: string) => existsSync(`/tmp/.baton-run-${mark}`);
  return there(environment, { folder: () => work, keeps, cut });
}

function inContainer(): Place | string {
  const engine = openPodman();
  if (typeof engine === "string") return engine;
  cleanUps.push(() => engine.close());
  const { program, image } = engine;
  const environment = containerEnvironment({
    ...{ name: "box", program, image, memory: "256m", cpus: 1, pids: 200, network: "none", mounts: [] },
    ...{ workdir: "/tmp", home: work, variables: { ...engine.variables, BATON_CANARY: CANARY } },
  });
  const inside = (...words: string[]) => engine.run("exec", engine.run("ps", "-q"), ...words);
  return there(environment, {
    folder: () => {
      inside("mkdir", "-p", "/tmp/work");
      return "/tmp/work";
    },
    keeps: (mark) => inside("ls", "-a", "/tmp").includes(mark),
  });
}

function inApptainer(): Place | string {
  const engine = openApptainer();
  if (typeof engine === "string") return engine;
  cleanUps.push(() => engine.close());
  const { program, image, folder } = engine;
  const environment = apptainerEnvironment({
    ...{ name: "image", program, image, mounts: [`${folder}:/tmp/work`], workdir: "/tmp" },
    variables: { ...variables, BATON_CANARY: CANARY },
  });
  return there(environment, { folder: () => "/tmp/work" });
}

const PLACES: Readonly<Record<string, Place | string>> = {
  "this machine": here(null),
  "the sandbox": await sandboxed(),
  "another machine, by ssh": await overSsh(),
  "a container of podman": inContainer(),
  "a container of apptainer": inApptainer(),
};

for (const [name, place] of Object.entries(PLACES)) {
  if (typeof place === "string") console.warn(`NOT TESTED: ${name}, because ${place}`);
}

const world = hostWorld();
const running: ProcessId[] = [];

afterEach(async () => {
  for (const id of running.splice(0)) await world.client.request("kill", { id, by: "person", graceMs: 0 });
});
afterAll(() => world.remove());

async function start(place: Place, command: string, mode: LaunchMode, workdir?: string) {
  const launch = await place.launch(command, mode, workdir);
  const status = await world.spawn("", { ...launch, pty: mode === "terminal" ? SIZE : null });
  running.push(status.id);
  const output = async () => (await world.outputOf(status.id)).replaceAll("\r", "");
  return {
    id: status.id,
    output,
    ended: async () => (await world.ended(status.id)).end,
    write: (text: string) => world.client.request("write", { id: status.id, text }),
    close: () => world.client.request("close", { id: status.id }),
    kill: async (graceMs: number) =>
      (await world.client.request("kill", { id: status.id, by: "agent", graceMs })).end,
    says: (text: string) => expect.poll(output, POLL).toContain(text),
  };
}

/** A number of seconds that no other process sleeps. */
const nap = () => String(1_000_000_000 + Math.floor(Math.random() * 1_000_000_000));

/** The processes that sleep so long, in whatever namespace. */
function sleepers(seconds: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").endsWith(`sleep\0${seconds}\0`)
      );
    } catch {
      return false; // It has just ended.
    }
  });
}

/** Apptainer tells a signal only as shells do. */
function isBy(signal: "SIGTERM" | "SIGKILL") {
  return (end: ProcessEnd) =>
    end.kind === "exited" && (end.signal === signal || end.code === 128 + constants.signals[signal]);
}

/** Also if nobody has collected it yet. */
function hasEnded(pid: string): boolean {
  try {
    return /^.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

const isGone = (seconds: string) => expect.poll(() => sleepers(seconds), POLL).toEqual([]);

/** What shells could take for something else than text. */
const HOSTILE = [
  "'; echo evil; '",
  '"; echo evil; "',
  "$(echo evil) `echo evil` $HOME $0 $$",
  "\\ \\\\ \\n \\0101 %s %b %%",
  "!! !x ^a^b # ; & | < > ( ) { } [ ] * ? ~",
  "  two\n\n lines\t\n",
  "\u00e4\u6f22\ud83d\ude00 \u2028",
  "'\\''\"'\"$'",
];

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

describe.each(Object.entries(PLACES))("%s", { timeout: 240_000 }, (_, place) => {
  if (typeof place === "string") return it.skip(place, () => {});
  const { cut, keeps } = place;

  describe.each(["background", "terminal"] as const)("in mode %s", (mode) => {
    const isTty = mode === "terminal";

    it("shows output at once, in order, while it is quiet", async () => {
      const run = await start(place, "printf a; printf b >&2; printf c; exec sleep 600", mode);
      await expect.poll(run.output, POLL).toBe("abc");
    });

    it("tells the exit code, also one that its client uses for itself", async () => {
      const codes = [0, 7, 126, 255];
      const runs = await Promise.all(codes.map((code) => start(place, `echo over; exit ${code}`, mode)));
      const ends = await Promise.all(runs.map(({ ended }) => ended()));
      expect(ends).toEqual(
        codes.map((code) => ({ kind: "exited", code, signal: null, by: "itself", leftBehind: false })),
      );
      for (const run of runs) expect(await run.output()).toBe("over\n");
    });

    it("tells a signal", async () => {
      const run = await start(place, "kill -9 $$", mode);
      expect(await run.ended()).toSatisfy(isBy("SIGKILL"));
      expect(await run.output()).toBe("");
    });

    it("takes input, and its end", async () => {
      const run = await start(place, 'while read -r x; do echo "<$x>"; done; echo over', mode);
      await run.write("one\n");
      await run.says("<one>");
      await run.write("two $(x) '\n");
      await run.says("<two $(x) '>");
      await run.close();
      expect(await run.ended()).toMatchObject({ code: 0 });
      expect(await run.output()).toContain("over\n");
    });

    it("ends with its whole group", async () => {
      const seconds = nap();
      const run = await start(place, `(sleep ${seconds} & sleep ${seconds} & wait) & echo ready; wait`, mode);
      await run.says("ready");
      await expect.poll(() => sleepers(seconds).length, POLL).toBe(2);
      const end = await run.kill(20_000);
      expect(end).toSatisfy(isBy("SIGTERM"));
      expect(end).toMatchObject({ by: "agent" });
      await isGone(seconds);
    });

    const endsByKill = async (first: string): Promise<void> => {
      const seconds = nap();
      const deaf = `trap '' TERM; ${first}; sleep ${seconds} & echo ready; while :; do sleep 1; done`;
      const run = await start(place, deaf, mode);
      await run.says("ready");
      await expect.poll(() => sleepers(seconds).length, POLL).toBe(1);
      const end = await run.kill(50);
      expect(end).toSatisfy(isBy("SIGKILL"));
      expect(end).toMatchObject({ by: "agent" });
      await isGone(seconds);
    };

    it("ends by KILL if it does not listen to TERM", () => endsByKill(":"));

    it("ends by KILL what does not listen to TERM, though the command itself does", async () => {
      const seconds = nap();
      const run = await start(
        place,
        `(trap '' TERM HUP; exec sleep ${seconds} >/dev/null 2>&1) & echo ready; wait`,
        mode,
      );
      await run.says("ready");
      await expect.poll(() => sleepers(seconds).length, POLL).toBe(1);
      expect(await run.kill(1_000)).toMatchObject({ by: "agent" });
      await isGone(seconds);
    });

    it.runIf(keeps)("is ended, though it says that it has ended", () =>
      endsByKill("echo 0 >/tmp/.baton-run-$BATON_RUN/code"),
    );

    it("is given the command as it is written", async () => {
      const all = HOSTILE.map((text) => (isTty ? text.replaceAll("\t", " ") : text));
      const run = await start(place, `printf '%s|' ${all.map(quoted).join(" ")}`, mode);
      expect(await run.ended()).toMatchObject({ code: 0 });
      expect(await run.output()).toBe(all.map((text) => `${text}|`).join(""));
    });

    it("takes no command for an option", async () => {
      for (const run of await Promise.all(
        ["-x", "--help", "-c id"].map((text) => start(place, text, mode)),
      )) {
        expect(await run.ended()).toMatchObject({ kind: "exited", code: 127 });
        expect(await run.output()).toMatch(/not found/);
      }
    });

    it("runs in the folder that is named, and not elsewhere", async () => {
      const name = "-a 'b' $(c) \u00e4\n\"";
      const base = place.folder();
      const first = await start(place, `cd ${quoted(base)} && mkdir -p -- ${quoted(name)}`, mode);
      expect(await first.ended()).toMatchObject({ code: 0 });
      const run = await start(place, 'printf %s "$PWD"', mode, `${base}/${name}`);
      expect(await run.ended()).toMatchObject({ code: 0 });
      expect(await run.output()).toBe(`${base}/${name}`);
    });

    it("sees no variable of ours", async () => {
      const run = await start(place, "env; cat /proc/self/environ | tr '\\0' '\\n'; echo over", mode);
      await run.ended();
      expect(await run.output()).toContain("over");
      expect(await run.output()).not.toMatch(/canary|SSH_AUTH_SOCK|BATON_(?!RUN)/);
    });
  });

  it("has a terminal with a size, which can be changed, and Ctrl-C", async () => {
    const script =
      "trap 'echo int; exit 3' INT; trap 'stty size' WINCH; stty size; while :; do sleep 0.1; done";
    const run = await start(place, script, "terminal");
    await run.says("24 80");
    await world.client.request("resize", { id: run.id, cols: 70, rows: 20 });
    await run.says("20 70");
    await run.write("\x03");
    expect(await run.ended()).toMatchObject({ kind: "exited", code: 3 });
  });

  it("is not left stopped by Ctrl-Z", async () => {
    const run = await start(place, 'echo ready; read -r x; echo "<$x>"; exit 4', "terminal");
    await run.says("ready");
    await run.write("\x1a");
    await run.write("on\r");
    expect(await run.ended()).toMatchObject({ kind: "exited", code: 4 });
    expect(await run.output()).toContain("on>"); // Where nothing stops, the key is input.
  });

  it.runIf(keeps)("leaves nothing there", async () => {
    const run = await start(place, "echo $BATON_RUN; ls -da /tmp/.baton-run-$BATON_RUN", "background");
    expect(await run.ended()).toMatchObject({ code: 0 });
    const [mark = ""] = /[0-9a-f]{32}/.exec(await run.output()) ?? [];
    expect(mark).not.toBe("");
    await expect.poll(() => keeps?.(mark), POLL).toBe(false);
  });

  /** What nobody asks about any more is left to the next day; the test removes it at once. */
  const remove = async (output: string) => {
    const [mark = ""] = /[0-9a-f]{32}/.exec(output) ?? [];
    expect(mark).not.toBe("");
    for (const name of ["leader", "waiter"]) {
      const path = `/tmp/.baton-run-${mark}/${name}`;
      const [pid = ""] = existsSync(path) ? readFileSync(path, "utf8").split(" ") : [];
      await expect.poll(() => pid === "" || hasEnded(pid), POLL).toBe(true);
    }
    rmSync(`/tmp/.baton-run-${mark}`, { recursive: true, force: true });
  };

  it.runIf(cut)("tells no exit code if the connection is cut: it is lost", async () => {
    const seconds = nap();
    const run = await start(place, `echo ready $BATON_RUN.; exec sleep ${seconds}`, "background");
    await run.says(".\n");
    cut?.();
    expect(await run.ended()).toMatchObject({ kind: "lost", why: expect.stringContaining("connection") });
    for (const pid of sleepers(seconds)) process.kill(Number(pid), "SIGKILL");
    await remove(await run.output());
  });

  it.runIf(cut)("tells no other exit code than its own if it ends as the connection is cut", async () => {
    const scripts = {
      background: "read -r x; exit 9",
      terminal: "trap 'exit 9' HUP; while :; do sleep 0.1; done",
    };
    for (const mode of ["background", "terminal"] as const) {
      const run = await start(place, `echo ready $BATON_RUN.; ${scripts[mode]}`, mode);
      await run.says(".\n");
      cut?.();
      expect(await run.ended()).toSatisfy((end) => end.kind === "lost" || end.code === 9);
      await remove(await run.output());
    }
  });
});
