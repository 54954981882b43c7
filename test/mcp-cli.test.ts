/** Servers of the configuration, as the command line uses them: nothing waits for them long, and nothing is left. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { baton, makeHome } from "./support/baton.js";

const SERVER = fileURLToPath(new URL("support/mcp-server.mjs", import.meta.url));

let home: string;
let notes: string;

beforeEach(() => {
  home = makeHome();
  notes = join(home, "..", "notes");
  mkdirSync(notes);
});

function configure(modes: readonly string[], more = ""): void {
  const server = (mode: string) =>
    `    ${mode}: { command: ${process.execPath}, args: [${SERVER}, ${mode}, ${notes}]${more} }\n`;
  writeFileSync(join(home, "config.yaml"), `mcp:\n  servers:\n${modes.map(server).join("")}`);
}

const noted = (name: string): string[] =>
  existsSync(join(notes, name)) ? readFileSync(join(notes, name), "utf8").split("\n").filter(Boolean) : [];

function living(): string[] {
  return [...noted("starts"), ...noted("child")].filter((pid) => {
    try {
      return process.kill(Number(pid), 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  });
}

describe("baton chat", () => {
  it("answers whatever the servers do, and leaves none of them behind", async () => {
    configure(["family", "silent", "dies"]);
    const { code, stdout, stderr } = await baton(home, ["chat", "--message", "hi"]);
    expect(code).toBe(0);
    expect(stdout).not.toBe("");
    expect(stderr).toContain("Can't use the MCP server dies: it exited with code 3.");
    expect(stderr).toMatch(
      /Can't use the MCP server dies: it exited with code 3\. It printed:\n +.*no licence found/,
    );
    expect(stderr).toContain("MCP server silent is not ready: its tools are missing.");
    expect(noted("starts").length).toBeGreaterThanOrEqual(1);
    await vi.waitFor(() => expect(living()).toEqual([]), { timeout: 20_000 });
  });

  it("waits for a command that installs itself, and has its tools then", async () => {
    const npx = join(home, "..", "npx");
    writeFileSync(npx, `#!/bin/sh\nsleep 4\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    writeFileSync(
      join(home, "config.yaml"),
      `mcp:\n  servers:\n    slow: { command: ${npx}, args: [${SERVER}, plain, ${notes}] }\n`,
    );
    const { code, stderr } = await baton(home, ["chat", "--message", "hi"]);
    expect(code).toBe(0);
    expect(stderr).not.toContain("missing");
    expect(noted("starts")).toHaveLength(1);
  });

  it("starts none that is not enabled", async () => {
    configure(["plain"], ", enabled: false");
    expect((await baton(home, ["chat", "--message", "hi"])).code).toBe(0);
    expect(noted("starts")).toEqual([]);
  });

  it("shows how they are", async () => {
    configure(["plain"]);
    const { stdout } = await baton(home, ["chat", "--message", "/status"]);
    expect(stdout).toMatch(/MCP server plain: (?:connecting|ready, 11 tools)\./);
    await vi.waitFor(() => expect(living()).toEqual([]), { timeout: 20_000 });
  });
});

describe("baton doctor", () => {
  it("tries each of them, and says what to do", async () => {
    configure(["plain", "dies"]);
    const { code, stdout } = await baton(home, ["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ MCP plain +ready, 11 tools/);
    expect(stdout).toMatch(
      /! MCP dies +it exited with code 3\n +.*no licence found.*\n +→ mend `mcp\.servers\.dies` in config\.yaml/,
    );
    await vi.waitFor(() => expect(living()).toEqual([]), { timeout: 20_000 });
  });
});
