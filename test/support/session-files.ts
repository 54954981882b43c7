/** Folders and stores for the tests of import, export and mirror. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { type OpenOptions, openSessions } from "../../src/open-sessions.js";
import type { Sessions } from "../../src/session/sessions.js";

const opened: Sessions[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const sessions of opened.splice(0)) await sessions.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export async function store(options: Partial<OpenOptions> = {}): Promise<Sessions> {
  const sessions = await openSessions({ url: "sqlite::memory:", ...options });
  opened.push(sessions);
  return sessions;
}

/** A folder with these files; objects are JSON, lists are JSON lines. */
export function folder(files: Record<string, unknown> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "baton-test-"));
  folders.push(path);
  for (const [name, content] of Object.entries(files)) put(join(path, name), content);
  return path;
}

export function put(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(path, content);
  else if (Array.isArray(content)) writeFileSync(path, lines(...content));
  else writeFileSync(path, JSON.stringify(content));
}

export function pipe(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
}

export function lines(...values: unknown[]): string {
  return values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
}

/** Every file with its bytes and time, to see that nothing was touched. */
export function fingerprint(path: string): string[] {
  return readdirSync(path)
    .sort()
    .map((name) => {
      const file = join(path, name);
      const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
      return `${name} ${statSync(file).mtimeMs} ${hash}`;
    });
}
