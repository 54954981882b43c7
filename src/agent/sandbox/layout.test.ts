/** What the sandbox is made of, and what is done before it is: in folders of its own, and in the real thing where there is one. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bubblewrapArgs, type SandboxLayout, startedSafely } from "./bubblewrap.js";
import { gapIn } from "./hidden.js";
import { layoutOf, lookAround, realFolders } from "./layout.js";
import { openSandbox } from "./open-sandbox.js";
import type { Sandbox, Walls } from "./sandbox.js";
import { seatbeltProfile } from "./seatbelt.js";
import { Unreadable } from "./unreadable.js";
import { confinementFor, sandboxFinding } from "./verdict.js";

const NOTHING = { system: [], secret: [] };
let root: string;
let walls: Walls;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "baton-layout-")));
  for (const folder of [
    "home/.baton/sandbox",
    "home/.ssh",
    "home/work/deep/er/own",
    "home/tool/bin",
    "home/tool/lib",
    "tmp",
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, "home/work/store.db"), "");
  walls = {
    folders: [join(root, "home/work")],
    hidden: [
      join(root, "home/.baton"),
      join(root, "home/work/deep/er/own"),
      join(root, "home/work/store.db"),
      join(root, "none"),
    ],
    home: join(root, "home"),
    path: `relative:/usr/bin:${root}/home/tool/bin:${root}:${root}/home`,
    temporary: join(root, "tmp"),
    network: true,
  };
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const layout = (changes: Partial<Walls> = {}) => {
  const all = { ...walls, ...changes };
  return layoutOf(all, realFolders(all.folders), NOTHING);
};

describe("the layout", () => {
  it("hides what lies in a working folder, and pins what lies above it", () => {
    const { hidden, pinned } = layout();
    expect(hidden).toEqual([
      { kind: "folder", path: join(root, "home/work/deep/er/own") },
      { kind: "file", path: join(root, "home/work/store.db") },
    ]);
    expect(pinned).toEqual([join(root, "home/work/deep"), join(root, "home/work/deep/er")]);
  });

  it("hides keys and Baton's own where the whole home is a working folder", () => {
    const { hidden, mounts } = layout({ folders: [join(root, "home")] });
    expect(hidden.map(({ path }) => path)).toEqual(
      expect.arrayContaining([join(root, "home/.ssh"), join(root, "home/.baton")]),
    );
    expect(mounts).not.toContainEqual(expect.objectContaining({ kind: "empty", path: join(root, "home") }));
  });

  it("shows programs with their libraries, and never the home that they lie in", () => {
    const shown = layout()
      .mounts.filter(({ kind }) => kind === "read-only")
      .map(({ path }) => path);
    expect(shown).toEqual([join(root, "home/tool/bin"), join(root, "home/tool/lib")]);
  });

  it("shows no folder in which other programs have their sockets", () => {
    const { mounts } = layoutOf(walls, ["/srv/x"], lookAround(walls, ["/srv/x"], true));
    const shown = mounts.filter(({ kind }) => kind === "read-only" || kind === "writable");
    expect(shown.map(({ path }) => path)).toContain("/usr");
    const taboo = ["/", "/run", "/var", "/var/run", "/home", "/root", "/dev", "/proc"];
    expect(shown.filter(({ path, from }) => taboo.includes(path) || taboo.includes(from))).toEqual([]);
  });

  it("keeps /tmp between commands, unless a working folder lies there", () => {
    const temporary = (folders: readonly string[]) =>
      layoutOf(walls, folders, NOTHING).mounts.filter(({ path }) => path === "/tmp");
    expect(temporary(["/srv/x"])).toEqual([{ kind: "writable", path: "/tmp", from: walls.temporary }]);
    expect(temporary(["/tmp/x"])).toEqual([{ kind: "empty", path: "/tmp", from: "" }]);
  });

  it("shows the files of the conversation to read, and never below a /tmp in which a command could leave links", () => {
    const files = join(root, "home/.baton/files/1");
    mkdirSync(files, { recursive: true });
    const shown = (given: string | null, path: string) =>
      layoutOf(walls, ["/srv/x"], NOTHING, given).mounts.filter((mount) => mount.path === path);
    expect(shown(files, files)).toEqual([{ kind: "read-only", path: files, from: files }]);
    expect(shown(null, files)).toEqual([]);
    expect(shown("/tmp/files", "/tmp")).toEqual([{ kind: "empty", path: "/tmp", from: "" }]);
    expect(shown("/srv/x/files", "/srv/x/files")).toEqual([]);
  });

  it("finds what not every user may read, and does not look into it", () => {
    const settings = join(root, "etc");
    mkdirSync(join(settings, "open"), { recursive: true });
    mkdirSync(join(settings, "keys"));
    for (const name of ["hosts", "open/shadow", "open/list", "keys/key"])
      writeFileSync(join(settings, name), "");
    chmodSync(join(settings, "open/shadow"), 0o640);
    chmodSync(join(settings, "keys"), 0o710);
    symlinkSync("gone", join(settings, "link"));
    const unreadable = new Unreadable();
    const found = () => unreadable.in([settings]).toSorted((a, b) => a.path.localeCompare(b.path));
    const expected = [
      { kind: "folder", path: join(settings, "keys") },
      { kind: "file", path: join(settings, "open/shadow") },
    ];
    expect(found()).toEqual(expected);
    expect(found()).toEqual(expected);
    writeFileSync(join(settings, "open/token"), "", { mode: 0o600 });
    expect(found()).toEqual([...expected, { kind: "file", path: join(settings, "open/token") }]);
    expect(new Unreadable(1).in([settings])).toContainEqual({ kind: "folder", path: join(settings, "open") });
    expect(unreadable.in([join(root, "missing")])).toEqual([]);
  });

  it("hides from root's commands what only root may read beside programs, but not in a working folder", () => {
    for (const name of ["home/tool/lib/.env", "home/work/.env"])
      writeFileSync(join(root, name), "", { mode: 0o600 });
    const path = `${root}/home/tool/bin:${root}/home/work`;
    const secret = (isRoot: boolean) =>
      lookAround({ ...walls, path }, walls.folders, isRoot)
        .secret.map((one) => one.path)
        .filter((one) => one.startsWith(root));
    expect(secret(true)).toEqual([join(root, "home/tool/lib/.env")]);
    expect(secret(false)).toEqual([]);
  });

  it("hides the folder of a file, since another may take its name; there or not", () => {
    const own = join(root, "home/work/keys");
    mkdirSync(join(own, "deep"), { recursive: true });
    writeFileSync(join(own, "token"), "");
    const hidden = [join(own, "token"), join(own, "baton.db-wal"), join(own, "deep"), join(own, "none/key")];
    expect(layout({ hidden }).hidden).toEqual([{ kind: "folder", path: own }]);
    expect(gapIn(hidden, walls.folders)).toBeNull();
  });

  it("has a gap where that folder is a working folder", () => {
    for (const name of ["store.db", "none.db-wal", "none/key"]) {
      const path = join(root, "home/work", name);
      expect(gapIn([join(root, "home/.baton"), path], walls.folders)).toBe(path);
    }
  });

  it("does not look a folder up that lies in another: it may have become a link", () => {
    symlinkSync("/etc", join(root, "home/work/notes"));
    const folders = [join(root, "home/work"), join(root, "home/work/notes"), join(root, "home/work/")];
    expect(realFolders(folders)).toEqual([join(root, "home/work")]);
    expect(realFolders([join(root, "home/work/notes")])).toEqual(["/etc"]);
    expect(realFolders([join(root, "missing")])).toEqual([]);
  });
});

describe("the command line of bubblewrap", () => {
  const some: SandboxLayout = {
    mounts: [
      { kind: "writable", path: "/home/ann/work", from: "/home/ann/work" },
      { kind: "empty", path: "/home/ann", from: "" },
      { kind: "read-only", path: "/usr", from: "/usr" },
      { kind: "link", path: "/bin", from: "usr/bin" },
    ],
    pinned: ["/home/ann/work/deep"],
    hidden: [
      { kind: "folder", path: "/home/ann/work/deep/own" },
      { kind: "file", path: "/etc/shadow" },
    ],
    given: ["/home/ann/work/deep/own/files/1", "/elsewhere/files/1"],
    network: false,
    isRoot: true,
    isModern: true,
  };

  it("mounts what lies deeper later, and hides last of all", () => {
    expect(bubblewrapArgs(some, "/home/ann/work").join(" ")).toBe(
      [
        "--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try --unshare-net --disable-userns",
        "--die-with-parent --new-session --cap-drop ALL --uid 65534 --gid 65534",
        "--proc /proc --remount-ro /proc --dev /dev --ro-bind /usr /usr --symlink usr/bin /bin",
        "--size 1073741824 --tmpfs /home/ann --bind /home/ann/work /home/ann/work",
        "--bind /home/ann/work/deep /home/ann/work/deep",
        "--tmpfs /home/ann/work/deep/own",
        "--ro-bind /home/ann/work/deep/own/files/1 /home/ann/work/deep/own/files/1",
        "--remount-ro /home/ann/work/deep/own --ro-bind /dev/null /etc/shadow",
        "--remount-ro / --chdir /home/ann/work",
      ].join(" "),
    );
  });

  it("leaves out what an old one does not know, and what only root needs", () => {
    const old = bubblewrapArgs({ ...some, network: true, isRoot: false, isModern: false }, "/").join(" ");
    for (const option of ["--disable-userns", "--size", "--uid", "--unshare-net"])
      expect(old).not.toContain(option);
  });

  it.runIf(process.platform === "linux")("is started without descriptors that lead out", () => {
    const folder = openSync(root, "r");
    const [file = "", ...args] = startedSafely(["ls", "/proc/self/fd"], "/bin/bash", null);
    const inherit = ["pipe", "pipe", "pipe", "pipe", ...Array(8).fill(folder)] as ("pipe" | number)[];
    const { stdout } = spawnSync(file, args, { stdio: inherit, encoding: "utf8" });
    closeSync(folder);
    expect(stdout.trim().split("\n")).toEqual(["0", "1", "2", "3", "4"]); // The last one is the folder that ls looks at.
  });
});

describe("a machine without a sandbox", () => {
  const machine = { platform: "linux", isRoot: false, bwrap: ["/nowhere/bwrap"], unshare: [] } as const;

  it("says what to install", async () => {
    expect(await openSandbox(walls, machine)).toEqual({
      sandbox: null,
      why: "bubblewrap is not installed.",
      fix: "apt install bubblewrap",
    });
    expect(await openSandbox(walls, { ...machine, platform: "aix" })).toMatchObject({ sandbox: null });
  });

  it.runIf(process.platform === "linux")("says what bubblewrap complains of", async () => {
    const bwrap = join(root, "bwrap");
    writeFileSync(
      bwrap,
      '#!/bin/sh\n[ "$1" = --version ] && { echo bubblewrap 0.4.1; exit; }\necho "bwrap: No permissions to create a namespace" >&2\nexit 1\n',
      { mode: 0o700 },
    );
    const found = await openSandbox(walls, { ...machine, bwrap: [bwrap] });
    expect(found).toMatchObject({
      sandbox: null,
      why: "bubblewrap 0.4.1 does not work here: No permissions to create a namespace.",
    });
  });
});

it("the profile for macOS denies before it allows, hides last, and no path ends its text", () => {
  const profile = seatbeltProfile({
    folders: ['/Users/ann/a "b" \\c'],
    hidden: ["/Users/ann/.baton"],
    home: "/Users/ann",
    programs: [],
    temporary: "/Users/ann/.baton/sandbox/tmp",
    files: ["/Users/ann/.baton/files/1"],
    network: false,
  });
  const rules = profile.trimEnd().split("\n");
  expect(rules).toContain('(allow file-read* file-write* (subpath "/Users/ann/a \\"b\\" \\\\c"))');
  expect(rules.indexOf("(deny file-write*)")).toBeLessThan(
    rules.findIndex((rule) => rule.startsWith("(allow file-read* file-write*")),
  );
  expect(rules.slice(-3)).toEqual([
    '(deny file-read* file-write* (subpath "/Users/ann/.baton"))',
    '(allow file-read* (subpath "/Users/ann/.baton/files/1"))',
    '(allow file-read* file-write* (subpath "/Users/ann/.baton/sandbox/tmp"))',
  ]);
  expect(rules).toContain("(deny network*)");
  expect(rules.every((rule) => /^\(.*\)$/.test(rule))).toBe(true);
});

describe("what follows from the setting and the machine", () => {
  const sandbox: Sandbox = {
    name: "bubblewrap 1.0.0",
    folders: [],
    network: true,
    doubt: null,
    gap: null,
    launch: () => ({ file: "", args: [], environment: {}, hasOwnProcesses: true }),
  };
  const missing = {
    sandbox: null,
    why: "bubblewrap is not installed.",
    fix: "apt install bubblewrap",
  } as const;

  it("auto uses what is there, and lets commands ask to leave", () => {
    expect(confinementFor("auto", { sandbox })).toEqual({ kind: "sandbox", sandbox, mayLeave: true });
    expect(confinementFor("auto", missing)).toEqual({ kind: "none" });
    expect(sandboxFinding("auto", { sandbox })).toEqual({
      check: "sandbox",
      status: "ok",
      finding: "commands run in bubblewrap 1.0.0, with the network on",
    });
    expect(sandboxFinding("auto", missing)).toMatchObject({ status: "hint", fix: "apt install bubblewrap" });
    const doubtful = sandboxFinding("auto", { sandbox: { ...sandbox, doubt: "it is new" } });
    expect(doubtful).toMatchObject({
      status: "hint",
      finding: expect.stringMatching(/still asks before dangerous ones, because it is new$/),
    });
  });

  it("required runs nothing without one, and lets nothing out", () => {
    expect(confinementFor("required", { sandbox })).toEqual({ kind: "sandbox", sandbox, mayLeave: false });
    expect(confinementFor("required", missing)).toEqual({
      kind: "missing",
      why: expect.stringMatching(/^not run: .*required.* bubblewrap is not installed\. .*baton doctor/),
    });
    expect(sandboxFinding("required", missing)).toMatchObject({
      status: "broken",
      fix: "apt install bubblewrap",
    });
  });

  it.each(["auto", "required"] as const)("a gap means that nothing is run (%s)", (mode) => {
    const gap = "/work/store.db is directly in a working folder";
    const open = { sandbox: { ...sandbox, gap } };
    expect(confinementFor(mode, open)).toEqual({
      kind: "missing",
      why: expect.stringMatching(/^not run: \/work\/store\.db is directly .*\. Move it /),
    });
    const fix = expect.stringMatching(/^Move/);
    expect(sandboxFinding(mode, open)).toMatchObject({ status: "broken", fix });
  });

  it("off looks for none", () => {
    expect(confinementFor("off", null)).toEqual({ kind: "none" });
    expect(sandboxFinding("off", null)).toMatchObject({
      status: "hint",
      finding: expect.stringMatching(/^off: /),
    });
  });
});
