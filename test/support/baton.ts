/** Runs the built command line as a person or a script would: another process, its own home folder. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  /** Run this shell line instead; `baton` in it is ours. */
  readonly shell?: string;
}

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

/** A home folder that is gone after the tests, beside an empty working folder. */
export function makeHome(): string {
  const root = mkdtempSync(join(tmpdir(), "baton-cli-"));
  roots.push(root);
  mkdirSync(join(root, "work"));
  mkdirSync(join(root, "home"), { mode: 0o700 });
  return join(root, "home");
}

export function baton(home: string, words: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { env = {}, cwd = join(home, "..", "work"), uid, shell } = options;
  const [command, args] = shell
    ? ["/bin/sh", ["-c", `baton() { '${process.execPath}' '${MAIN}' "$@"; }\n${shell}`]]
    : [process.execPath, [MAIN, ...words]];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: join(home, ".."), TZ: "UTC", BATON_HOME: home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(uid === undefined ? {} : { uid }),
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
}
