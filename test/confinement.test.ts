/**
 * Nothing outside the folders is read or written by the file tools: not by 500 and more hostile paths, not through links,
 * not in a race with a process that swaps folders for links, and not Baton's own things inside.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tool } from "../src/agent/agent.js";
import { Confined } from "../src/agent/tools/confined.js";
import { editFileTool } from "../src/agent/tools/edit-file.js";
import { listFilesTool } from "../src/agent/tools/list-files.js";
import { readFileTool } from "../src/agent/tools/read-file.js";
import { searchFilesTool } from "../src/agent/tools/search-files.js";
import { writeFileTool } from "../src/agent/tools/write-file.js";
import { aCall } from "./support/a-call.js";

const CANARY = "canary-7f3a91";
const WRITTEN = "written-by-the-tool";

let root: string;
/** May be used. */
let inside: string;
/** May not: holds the canary. */
let outside: string;
/** Baton's own, within the folder. */
let home: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "baton-confined-")));
  inside = join(root, "inside");
  outside = join(root, "outside");
  home = join(inside, "home");
  for (const folder of [inside, outside, home, join(inside, "a/b")]) mkdirSync(folder, { recursive: true });
  mkdirSync(join(root, "inside-too"));
  for (const file of [join(outside, "secret"), join(root, "inside-too/secret"), join(home, "secret")]) {
    writeFileSync(file, `${CANARY}\n`);
  }
  writeFileSync(join(inside, "a/b/plain.txt"), "harmless\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const tools = (byDescriptor: boolean): Record<string, Tool> => {
  const confined = new Confined({
    folders: [inside],
    base: inside,
    forbidden: [home, "/proc"],
    byDescriptor,
  });
  return {
    read: readFileTool(confined),
    write: writeFileTool(confined),
    edit: editFileTool(confined),
    list: listFilesTool(confined),
    search: searchFilesTool(confined),
  };
};

const signal = new AbortController().signal;

/** Every tool at this path, and what they said. */
async function useAll(all: Record<string, Tool>, path: string): Promise<Record<string, string>> {
  const args: Record<string, unknown> = {
    read: { path },
    write: { path, content: WRITTEN },
    edit: { path, old_text: CANARY, new_text: WRITTEN, all: true },
    list: { path, depth: 3 },
    search: { path, query: "a" },
  };
  const said = Object.entries(all).map(async ([name, tool]) => [
    name,
    await tool.run(args[name], { call: aCall, signal }),
  ]);
  return Object.fromEntries(await Promise.all(said)) as Record<string, string>;
}

/** Everything there is outside and in Baton's own folder, by path. */
function outsideNow(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of [outside, home, join(root, "inside-too")]) {
    for (const name of readdirSync(folder)) {
      found[relative(root, join(folder, name))] = readFileSync(join(folder, name), "utf8");
    }
  }
  found.root = readdirSync(root).sort().join(" ");
  return found;
}

/** Descriptors that are open in folders of this test: none may be left. */
function heldOpen(): string[] {
  const links = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // The one by which the folder was read.
    }
  });
  return links.filter((path) => path.startsWith(root));
}

/** Paths that must be refused by all, whatever the tool. */
function hostilePaths(): string[] {
  const targets = [
    join(outside, "secret"),
    outside,
    "/etc/passwd",
    "/etc",
    join(root, "inside-too/secret"),
    root,
  ];
  const climbs = targets.flatMap((target) => {
    const way = relative(inside, target);
    return [
      target,
      way,
      `./${way}`,
      `a/../${way}`,
      `a/b/../../${way}`,
      `a/./b/.././../${way}`,
      `nowhere/../${way}`,
      `a//..///${way}`,
      `${inside}/../${relative(root, target)}`,
      `${inside}/a/../../${relative(root, target)}`,
      `//${target}`,
      `/.${target}`,
      `/..${target}`,
      `/../../..${target}`,
      `${target}/`,
      `${target}/.`,
      `/proc/self/root${target}`,
      `/proc/self/cwd/../../../../../../../../..${target}`,
      `/proc/${process.pid}/root${target}`,
      `/proc/thread-self/root${target}`,
      `/dev/fd/../../..${target}`,
      `~/../..${target}`,
      `~root/../..${target}`,
      `file://${target}`.replace("file://", ""),
      `${target}\0.txt`,
      `a/b/plain.txt\0/../../${way}`,
      `${way}\n`,
      `\u001b[2J${way}`,
      way.replaceAll("/", "\\"),
      `..\\..\\${way}`,
      `C:\\..\\${way}`,
      `C:/../${way}`,
      `\\\\?\\${target}`,
      `\\\\localhost\\c$${target}`,
      `${"../".repeat(50)}${target.slice(1)}`,
      `${"a/../".repeat(50)}../${relative(root, target)}`,
      `${"a/b/../../".repeat(300)}../${relative(root, target)}`,
    ];
  });
  const own = ["secret", ".", "", "../home/secret", "new.txt"].flatMap((name) =>
    [
      `home/${name}`,
      `./home/${name}`,
      `a/../home/${name}`,
      `${inside}/home/${name}`,
      `link-to-home/${name}`,
      `a/link-to-home/${name}`,
      `link-to-inside/home/${name}`,
    ].map((path) => path.replace(/\/$/, "")),
  );
  const system = [
    "/proc/self/environ",
    "/proc/self/mem",
    "/proc/self/fd/0",
    "/proc/1/environ",
    `/proc/${process.ppid}/environ`,
    "/proc/self/cwd/package.json",
    "/dev/zero",
    "/dev/stdin",
    "/dev/tty",
    "/dev/mem",
    "/sys/kernel/uevent_helper",
    "/",
    "..",
    "../",
    "../..",
    "~",
    "~/",
    "~root",
    "~/.ssh/id_rsa",
    ".\u0000",
    "\u0000",
    " ",
    "a/\u0007bell",
    "\ud800",
    "a/\udfff/b",
    "x".repeat(256),
    `a/${"y".repeat(300)}/z`,
    "z/".repeat(2_100),
    "é".repeat(200),
    "x".repeat(100_000),
  ];
  const links = linkNames.flatMap((name) => [
    name,
    `./${name}`,
    `${inside}/${name}`,
    `a/../${name}`,
    `${name}/secret`,
    `${name}/../secret`,
    `${name}/./secret`,
    `${name}/outside/secret`,
    `${name}/new.txt`,
    `${name}/new/deep.txt`,
    `link-to-inside/${name}`,
    `link-to-inside/link-to-inside/${name}/secret`,
    `a/b/../../${name}/secret`,
    `${name}//secret`,
  ]);
  return [...new Set([...climbs, ...own, ...system, ...links])];
}

const linkNames: string[] = [];

/** Links of every kind, each of which leads out or nowhere. */
function makeLinks(): void {
  const link = (name: string, target: string) => {
    symlinkSync(target, join(inside, name));
    linkNames.push(name);
  };
  link("absolute", outside);
  link("absolute-file", join(outside, "secret"));
  link("relative", "../outside");
  link("relative-file", "../outside/secret");
  link("up", "..");
  link("system", "/");
  link("chain-1", "chain-2");
  link("chain-2", "a/../chain-3");
  link("chain-3", "../outside");
  link("dangling-outside", join(outside, "new.txt"));
  link("dangling-parent", "../nothing/here");
  link("loop", "loop");
  link("loop-a", "loop-b");
  link("loop-b", "loop-a");
  link("magic-root", "/proc/self/root");
  link("magic-cwd", "/proc/self/cwd");
  link("magic-environ", "/proc/self/environ");
  link("magic-fd", "/proc/self/fd/0");
  link("neighbour", "../inside-too");
  link("through-inside", `${inside}/../outside`);
  link("device", "/dev/zero");
  link("long-chain-0", "long-chain-1");
  for (let step = 1; step < 60; step++)
    symlinkSync(`long-chain-${step + 1}`, join(inside, `long-chain-${step}`));
  symlinkSync("../outside", join(inside, "long-chain-60"));
  symlinkSync(".", join(inside, "link-to-inside"));
  symlinkSync("home", join(inside, "link-to-home"));
  symlinkSync("../home", join(inside, "a/link-to-home"));
}

// On another system names are paths; here that way is tried as well, but for the races.
describe.each([
  ["by descriptors", true],
  ["by paths", false],
])("%s", (_name, byDescriptor) => {
  beforeAll(() => {
    if (linkNames.length === 0) makeLinks();
  });

  it("500 hostile paths and links: nothing outside is read, written or made", async () => {
    const before = outsideNow();
    const paths = hostilePaths();
    expect(paths.length).toBeGreaterThanOrEqual(500);
    const all = tools(byDescriptor);
    for (const path of paths) {
      const said = await useAll(all, path);
      for (const [tool, text] of Object.entries(said)) {
        const what = `${tool} ${JSON.stringify(path).slice(0, 200)}`;
        expect(text, what).not.toContain(CANARY);
        expect(text, what).not.toMatch(/root:.*:0:0|\/proc\/self\/fd\/\d+\/|\bPATH=/);
        // `link/..` may be taken for the folder that the link is in: then it stays inside.
        if (!/link-to-home\/\.\.|\/\.\.\/secret$/.test(path)) expect(text, what).toMatch(/^Error: [^\n]+/);
      }
    }
    expect(outsideNow()).toEqual(before);
    expect(heldOpen()).toEqual([]);
  });

  it("look-alikes of dots and slashes are names like others, and stay inside", async () => {
    const before = outsideNow();
    const all = tools(byDescriptor);
    const alike = [
      "․․/outside/secret",
      "‥/outside/secret",
      "．．/outside/secret",
      "..／outside／secret",
      "..∕outside∕secret",
    ];
    for (const path of [
      ...alike,
      "%2e%2e/outside/secret",
      "..%2foutside",
      "%00",
      "..;/x",
      ".../x",
      "a/.. /x",
    ]) {
      for (const [tool, text] of Object.entries(await useAll(all, path))) {
        expect(text, `${tool} ${path}`).not.toContain(CANARY);
      }
    }
    expect(outsideNow()).toEqual(before);
  });

  it("devices, pipes and sockets are refused without being opened", async () => {
    const place = join(inside, byDescriptor ? "special-1" : "special-2");
    mkdirSync(place);
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(place, "pipe")]);
    if (process.getuid?.() === 0) execFileSync("sh", ["-c", 'mknod "$0" c 1 5', join(place, "device")]);
    const server = createServer().listen(join(place, "socket"));
    await once(server, "listening");
    const all = tools(byDescriptor);
    for (const name of readdirSync(place)) {
      const { read, write, edit } = await useAll(all, join(place, name));
      for (const text of [read, write, edit])
        expect(text).toMatch(/ is not a file but a (?:pipe|device|socket)\.$/);
    }
    expect(await all.search?.run({ path: place, query: "a" }, { call: aCall, signal })).toMatch(
      /^0 matching lines .*; 0 files/,
    );
    server.close();
    rmSync(place, { recursive: true });
  });

  it("what is in order is let through", async () => {
    const { read, list, search } = await useAll(
      {
        ...tools(byDescriptor),
        write: tools(byDescriptor).read as Tool,
        edit: tools(byDescriptor).read as Tool,
      },
      "a/b/plain.txt",
    );
    expect(read).toContain("harmless");
    expect(list).toContain("is not a folder but a file");
    expect(search).toContain("is not a folder but a file");
    const throughLink = await tools(byDescriptor).read?.run(
      { path: "link-to-inside/a/b/plain.txt" },
      { call: aCall, signal },
    );
    expect(throughLink).toContain(`${inside}/a/b/plain.txt`);
  });

  it("the home folder is refused as a folder of its own, too", async () => {
    for (const folder of [home, join(home, "work")]) {
      mkdirSync(folder, { recursive: true });
      const confined = new Confined({ folders: [folder], base: folder, forbidden: [home], byDescriptor });
      expect(await readFileTool(confined).run({ path: "secret" }, { call: aCall, signal })).toMatch(
        /belongs to Baton, and tools may not use it\.$/,
      );
    }
    rmSync(join(home, "work"), { recursive: true });
  });

  it("a file of Baton's is known under another name", async () => {
    const alias = join(inside, "alias.db");
    linkSync(join(home, "secret"), alias);
    const forbidden = [join(home, "secret")];
    const confined = new Confined({ folders: [inside], base: inside, forbidden, byDescriptor });
    expect(await readFileTool(confined).run({ path: "alias.db" }, { call: aCall, signal })).toMatch(
      /belongs to Baton, and tools may not use it\.$/,
    );
    expect(
      await searchFilesTool(confined).run({ query: CANARY, glob: "alias.db" }, { call: aCall, signal }),
    ).toContain("0 matching");
    rmSync(alias);
  });

  it("a folder that was swapped for a link after the start is refused", async () => {
    const place = join(root, "place");
    mkdirSync(place);
    const confined = new Confined({ folders: [place], base: place, forbidden: [], byDescriptor });
    expect(await listFilesTool(confined).run({}, { call: aCall, signal })).toContain("(empty)");
    rmSync(place, { recursive: true });
    symlinkSync(outside, place);
    expect(await readFileTool(confined).run({ path: "secret" }, { call: aCall, signal })).toMatch(/^Error: /);
    rmSync(place);
  });
});

describe("a process that swaps a folder and a file for links, all the time", () => {
  let racer: ChildProcess;
  const rounds: string[] = [];

  beforeAll(async () => {
    mkdirSync(join(inside, "race/folder"), { recursive: true });
    writeFileSync(join(inside, "race/folder/secret"), "inside\n");
    writeFileSync(join(inside, "race/file"), "inside\n");
    const script = fileURLToPath(new URL("support/folder-racer.mjs", import.meta.url));
    const place = join(inside, "race");
    racer = spawn(
      process.execPath,
      [script, join(place, "folder"), outside, join(place, "file"), join(outside, "secret")],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    racer.stdout?.setEncoding("utf8").on("data", (text: string) => rounds.push(text));
    await once(racer.stdout as NodeJS.ReadableStream, "data");
  });
  afterAll(() => racer.kill("SIGKILL"));

  it("gets nothing out and nothing in", async () => {
    const before = outsideNow();
    const all = tools(true);
    let throughs = 0;
    let turnedAway = 0;
    for (let round = 0; round < 120; round++) {
      const path =
        ["race/folder/secret", "race/file", "race/folder", `race/folder/new-${round % 7}.txt`][round % 4] ??
        "";
      for (const text of Object.values(await useAll(all, path))) {
        expect(text).not.toContain(CANARY);
        if (text.startsWith("Error: ")) turnedAway++;
        else throughs++;
      }
    }
    expect(outsideNow()).toEqual(before);
    expect(heldOpen()).toEqual([]);
    // Both happened, or nothing was raced for.
    expect(throughs).toBeGreaterThan(50);
    expect(turnedAway).toBeGreaterThan(50);
    expect(rounds.length).toBeGreaterThan(0);
  });
});
