/** The scripts for the other side, in every shell that this machine has. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { shellText, shellWords } from "./encoded-words.js";
import { FORGET, LEAD, RUN, SIGNAL, STATUS } from "./there.js";

const folder = mkdtempSync(join(tmpdir(), "baton-there-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SHELLS = [
  ["/bin/sh"],
  ["/bin/bash"],
  ["/bin/dash"],
  ["/bin/busybox", "ash"],
  ["/bin/mksh"],
  ["/bin/ksh93"],
].filter(([file = ""]) => existsSync(file));

const ANYTHING = fc.string({ unit: "binary", maxLength: 20 });
const HOSTILE = fc.string({
  unit: fc.constantFrom(..."'\"\\!$`\n -%~#;&|(){}*?[]^=0ä".split("")),
  maxLength: 20,
});

const kept = (mark: string) => `/tmp/.baton-run-${mark}`;

describe.each(SHELLS)("in %s %s", (...shell) => {
  const [file = "", ...first] = shell.filter((word) => word !== undefined);
  /** The words, with this shell in the place of /bin/sh. */
  const inShell = (script: string, args: readonly string[]) => [
    ...first,
    ...shellWords(script, args).slice(1),
  ];
  const run = (script: string, args: readonly string[]) =>
    spawnSync(file, inShell(script, args), { encoding: "utf8" });

  it("gives every text unchanged, also through a shell that reads it as text", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(ANYTHING, HOSTILE), { maxLength: 4 }), (texts) => {
        const args = texts.map((text) => text.replaceAll("\0", "0").toWellFormed());
        const script = 'for x do printf "%s|" "$x"; done';
        const expected = args.map((text) => `${text}|`).join("");
        expect(run(script, args).stdout).toBe(expected);
        const words = [file, ...inShell(script, args)];
        expect(spawnSync(file, [...first, "-c", shellText(words)], { encoding: "utf8" }).stdout).toBe(
          expected,
        );
      }),
      { numRuns: 20 },
    );
  });

  it("runs a command in a group of its own, and tells its code until it is forgotten", () => {
    const mark = randomBytes(16).toString("hex");
    const command = `ls -ld ${kept(mark)} | cut -c1-10; umask; exit 9`;
    const ran = run(RUN, [mark, "pipes", folder, command, LEAD]);
    expect(ran.stdout).toMatch(/^drwx------\n0?022\n$/);
    expect(ran.status).toBe(9);
    expect(statSync(kept(mark)).mode & 0o777).toBe(0o700);
    expect(run(STATUS, [mark]).stdout).toBe("exited 9\n");
    expect(run(STATUS, [mark]).stdout).toBe("exited 9\n");
    expect(run(SIGNAL, [mark, "KILL"]).status).toBe(1);
    expect(run(FORGET, [mark]).status).toBe(0);
    expect(existsSync(kept(mark))).toBe(false);
    expect(run(STATUS, [mark])).toMatchObject({ stdout: "", status: 1 });
  });

  it("signals the whole group of a command that runs, and nothing else", async () => {
    const mark = randomBytes(16).toString("hex");
    const words = inShell(RUN, [mark, "pipes", "", "sleep 1000 & echo ready; wait", LEAD]);
    const child = spawn(file, words, { stdio: ["ignore", "pipe", "ignore"], detached: true });
    await once(child.stdout, "data");
    expect(run(STATUS, [mark]).stdout).toBe("running\n");
    const ended = once(child, "close");
    expect(run(SIGNAL, [mark, "TERM"]).status).toBe(0);
    expect((await ended)[0]).toBe(143);
    expect(run(STATUS, [mark]).stdout).toBe("exited 143\n");
    run(FORGET, [mark]);
  });

  it("believes no code while the command runs", async () => {
    const mark = randomBytes(16).toString("hex");
    const command = `echo 0 >${kept(mark)}/code; echo ready; exec sleep 1000`;
    const words = inShell(RUN, [mark, "pipes", "", command, LEAD]);
    const child = spawn(file, words, { stdio: ["ignore", "pipe", "ignore"], detached: true });
    await once(child.stdout, "data");
    expect(run(STATUS, [mark]).stdout).toBe("running\n");
    const ended = once(child, "close");
    expect(run(SIGNAL, [mark, "KILL"]).status).toBe(0);
    await ended;
    expect(run(STATUS, [mark]).stdout).toBe("exited 137\n");
    run(FORGET, [mark]);
  });

  it("tells the code of a command that left something running, and reaches that", async () => {
    const mark = randomBytes(16).toString("hex");
    const command = "sleep 1000 >/dev/null 2>&1 & echo $!; exit 3";
    const left = Number(run(RUN, [mark, "pipes", "", command, LEAD]).stdout);
    expect(existsSync(`/proc/${left}/stat`)).toBe(true);
    expect(run(STATUS, [mark]).stdout).toBe("exited 3\n");
    expect(run(SIGNAL, [mark, "0"]).status).toBe(0);
    expect(existsSync(`/proc/${left}/stat`)).toBe(true);
    expect(run(SIGNAL, [mark, "KILL"]).status).toBe(0);
    await expect.poll(() => run(SIGNAL, [mark, "0"]).status).toBe(1);
    run(FORGET, [mark]);
  });

  it("does not touch a process that has the number now", async () => {
    const mark = randomBytes(16).toString("hex");
    const other = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    await once(other, "spawn");
    mkdirSync(kept(mark), { mode: 0o700 });
    writeFileSync(join(kept(mark), "leader"), `${other.pid} 1\n`);
    expect(run(SIGNAL, [mark, "KILL"]).status).toBe(1);
    expect(run(STATUS, [mark]).stdout).toBe("");
    expect(other.exitCode ?? other.signalCode).toBeNull();
    expect(existsSync(`/proc/${other.pid}`)).toBe(true);
    other.kill("SIGKILL");
    run(FORGET, [mark]);
  });

  it("runs nothing in a folder that somebody made before it, and trusts no folder of another user", () => {
    const mark = randomBytes(16).toString("hex");
    mkdirSync(kept(mark), { mode: 0o777 });
    expect(run(RUN, [mark, "pipes", "", "touch evil", LEAD])).toMatchObject({ status: 125, stdout: "" });
    if (process.getuid?.() === 0) {
      writeFileSync(join(kept(mark), "code"), "0\n");
      execFileSync("chown", ["nobody", kept(mark)]);
      expect(run(STATUS, [mark]).stdout).toBe("");
    }
    rmSync(kept(mark), { recursive: true });
  });

  it("removes what is left of a command that ended days ago", () => {
    const [old, mark] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    run(RUN, [old, "pipes", "", "true", LEAD]);
    utimesSync(join(kept(old), "code"), 1, 1);
    run(RUN, [mark, "pipes", "", "true", LEAD]);
    expect(existsSync(kept(old))).toBe(false);
    expect(existsSync(kept(mark))).toBe(true);
    run(FORGET, [mark]);
  });

  it("touches nothing behind a link, no matter who owns the target", () => {
    const [linked, mark] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    const project = mkdtempSync(join(folder, "project-"));
    const files = ["code", "leader", "waiter"];
    for (const name of files) {
      writeFileSync(join(project, name), "7\n");
      utimesSync(join(project, name), 1, 1);
    }
    symlinkSync(project, kept(linked));
    run(RUN, [mark, "pipes", "", "true", LEAD]);
    expect(readdirSync(project)).toEqual(files);
    expect(run(STATUS, [linked])).toMatchObject({ stdout: "", status: 1 });
    expect(run(SIGNAL, [linked, "0"]).status).toBe(1);
    expect(run(FORGET, [linked]).status).toBe(1);
    expect(run(RUN, [linked, "pipes", "", "echo evil", LEAD])).toMatchObject({ status: 125, stdout: "" });
    expect(readdirSync(project)).toEqual(files);
    rmSync(kept(linked));
    run(FORGET, [mark]);
  });

  it("says that the folder is missing, and runs nothing", () => {
    const mark = randomBytes(16).toString("hex");
    const ran = run(RUN, [mark, "pipes", "/nowhere/at all", "echo evil", LEAD]);
    expect(ran.status).toBe(126);
    expect(ran.stdout).toContain("/nowhere/at all");
    expect(ran.stdout).not.toContain("evil");
    run(FORGET, [mark]);
  });
});
