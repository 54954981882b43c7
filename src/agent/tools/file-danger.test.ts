/** File tools ask by where a path leads, not by its name, and act on nothing sensitive that was not approved. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { Danger, Tool } from "../agent.js";
import { Confined } from "./confined.js";
import { editFileTool } from "./edit-file.js";
import { listFilesTool } from "./list-files.js";
import { readFileTool } from "./read-file.js";
import { searchFilesTool } from "./search-files.js";
import { writeFileTool } from "./write-file.js";

const CANARY = "canary-3b1f";

/** A home folder with secrets in it, all of which file tools may use. */
let home: string;
let work: string;
let tools: Readonly<Record<"read" | "write" | "edit" | "list" | "search", Tool>>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "baton-home-")));
  work = join(home, "work");
  mkdirSync(work);
  put(".ssh/id_ed25519", CANARY);
  put(".ssh/config", "Host x");
  put(".bashrc", "# mine");
  put(".netrc", CANARY);
  put(".aws/credentials", CANARY);
  put("work/notes.md", "notes");
  const confined = new Confined({ folders: [home], base: work, forbidden: [], home });
  tools = {
    read: readFileTool(confined),
    write: writeFileTool(confined),
    edit: editFileTool(confined),
    list: listFilesTool(confined),
    search: searchFilesTool(confined),
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(name: string, content: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), content);
}

async function danger(tool: keyof typeof tools, path: unknown): Promise<Danger | null> {
  return (
    (await tools[tool].danger?.({ path, content: "x", old_text: "a", new_text: "b", query: "c" })) ?? null
  );
}

const reason = async (tool: keyof typeof tools, path: unknown) => (await danger(tool, path))?.reason ?? null;

async function run(tool: keyof typeof tools, args: unknown, approved?: Danger | null): Promise<string> {
  const { signal } = new AbortController();
  return tools[tool].run(args, { call: aCall, signal, ...(approved ? { approved } : {}) });
}

describe("a file tool asks", () => {
  it("before it writes where that has effects of its own", async () => {
    expect(await reason("write", join(home, ".ssh/authorized_keys"))).toMatch(/SSH keys/);
    expect(await reason("write", `${home}//./.bashrc`)).toMatch(/every shell/);
    expect(await reason("write", ".git/hooks/pre-commit")).toMatch(/git/);
    expect(await reason("write", "new/.config/autostart/x.desktop")).toMatch(/automatically/);
    expect(await reason("edit", "../.bashrc")).toMatch(/every shell/);
    expect((await danger("write", "../.bashrc"))?.what).toContain('path: "../.bashrc"\ncontent: "x"');
    const system = new Confined({ folders: ["/"], base: "/", forbidden: [] });
    expect(await writeFileTool(system).danger?.({ path: "/etc/hosts", content: "" })).toMatchObject({
      reason: expect.stringMatching(/system/),
    });
  });

  it("before it reads keys and credentials", async () => {
    for (const path of [".ssh/id_ed25519", ".aws/credentials", ".netrc"])
      expect(await reason("read", join(home, path)), path).toMatch(/keys|credentials/);
    put("work/.env", "");
    put(".docker/config.json", "");
    put(".config/google-chrome/Default/Cookies", "");
    for (const path of [".env", "../.docker/config.json", "../.config/google-chrome/Default/Cookies"])
      expect(await reason("read", path), path).not.toBeNull();
    expect(await reason("list", "../.ssh")).toMatch(/keys/);
    expect(await reason("search", "../.aws")).toMatch(/credentials/);
    expect(await reason("edit", "../.netrc")).toMatch(/credentials/);
  });

  it("about nothing else", async () => {
    for (const path of ["notes.md", "etc/notes.md", "docs/.sshrc.md", "bashrc.md", ".env.example", 7])
      for (const tool of ["read", "write", "edit"] as const) expect(await reason(tool, path)).toBeNull();
    expect(await reason("read", "../.ssh/config")).toBeNull();
    expect(await reason("read", "../.bashrc")).toBeNull();
    expect(await reason("list", undefined)).toBeNull();
    expect(await reason("search", "..")).toBeNull();
    expect(await tools.edit.danger?.(null)).toBeNull();
    expect(await reason("read", "/etc/shadow")).toBeNull(); // Outside: it is refused, whoever says yes.
  });

  it("about nothing in a folder of the system that was given to it", async () => {
    const confined = new Confined({ folders: ["/usr/share"], base: "/usr/share", forbidden: [] });
    expect(await writeFileTool(confined).danger?.({ path: "x/y.txt", content: "" })).toBeNull();
  });
});

describe("another name of a sensitive file", () => {
  it("is seen through where it is a link, at the end or on the way", async () => {
    symlinkSync("../.bashrc", join(work, "notes.txt"));
    symlinkSync("notes.txt", join(work, "again.txt"));
    symlinkSync(join(home, ".ssh"), join(work, "docs"));
    expect(await danger("write", "again.txt")).toMatchObject({
      reason: expect.stringMatching(/every shell/),
      what: expect.stringContaining(`\nis: ${join(home, ".bashrc")}`),
    });
    expect(await reason("read", "docs/id_ed25519")).toMatch(/keys/);
    expect(await reason("write", "docs/new-key")).toMatch(/SSH/);
    expect(await reason("list", "docs")).toMatch(/keys/);
  });

  it("is seen through where it is a hard link", async () => {
    linkSync(join(home, ".ssh/id_ed25519"), join(work, "photo.txt"));
    linkSync(join(home, ".bashrc"), join(work, "todo.txt"));
    linkSync(join(work, "notes.md"), join(work, "same-notes.md"));
    expect(await reason("read", "photo.txt")).toMatch(/keys.*another name of .*id_ed25519/);
    expect(await reason("edit", "todo.txt")).toMatch(/every shell.*another name of .*\.bashrc/);
    expect(await reason("read", "same-notes.md")).toBeNull();
    expect(await run("search", { query: "canary" })).toMatch(/^0 matching lines/);
  });
});

describe("at the moment of acting", () => {
  it("a file that was swapped for a sensitive one since is left alone", async () => {
    expect(await danger("write", "notes.md")).toBeNull();
    unlinkSync(join(work, "notes.md"));
    symlinkSync("../.bashrc", join(work, "notes.md"));
    expect(await run("write", { path: "notes.md", content: "evil" })).toMatch(/^Error: .*needs.* approval/);
    expect(await run("edit", { path: "notes.md", old_text: "mine", new_text: "evil" })).toMatch(/approval/);
    expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("# mine");
    unlinkSync(join(work, "notes.md"));
    symlinkSync("../.ssh/id_ed25519", join(work, "notes.md"));
    expect(await run("read", { path: "notes.md" })).toMatch(/^Error: .*needs.* approval/);
  });

  it("only what was approved is used", async () => {
    symlinkSync("../.bashrc", join(work, "link"));
    const approved = await danger("write", "link");
    unlinkSync(join(work, "link"));
    symlinkSync("../.ssh/authorized_keys", join(work, "link"));
    expect(await run("write", { path: "link", content: "evil" }, approved)).toMatch(/needs.* approval/);
    unlinkSync(join(work, "link"));
    symlinkSync("../.bashrc", join(work, "link"));
    expect(await run("write", { path: "link", content: "good" }, approved)).toMatch(/^Wrote 4 bytes/);
    const key = join(home, ".ssh/id_ed25519");
    expect(await run("read", { path: key }, await danger("read", key))).toContain(CANARY);
    const keys = await danger("search", "../.ssh");
    expect(await run("search", { path: "../.ssh", query: "canary" }, keys)).toMatch(/^1 matching line/);
  });

  it("no folder is made beside a sensitive one", async () => {
    expect(await run("write", { path: "../.ssh/new/x", content: "" })).toMatch(/needs.* approval/);
    expect(() => readFileSync(join(home, ".ssh/new"))).toThrow(/ENOENT/);
  });

  it("a walk does not go into keys, and says so", async () => {
    const found = await run("search", { path: "..", query: "canary" });
    expect(found).toMatch(/^0 matching lines/);
    expect(found).toContain(`${join(home, ".ssh")} needs the user's approval`);
    expect(found).toContain(`${join(home, ".netrc")} needs the user's approval`);
    const listed = await run("list", { path: "..", depth: 3 });
    expect(listed).not.toContain("id_ed25519");
    expect(listed).toContain("Not listed: ");
  });
});
