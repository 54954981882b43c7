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

/** `installed`: as a command that may install itself, which scripts and the doctor wait for as long as it takes. */
function configure(modes: readonly string[], { more = "", installed = [] as readonly string[] } = {}): void {
  const npx = script("npx", `exec '${process.execPath}' "$@"`);
  const server = (mode: string) =>
    `    ${mode}: { command: ${installed.includes(mode) ? npx : process.execPath}, args: [${SERVER}, ${mode}, ${notes}]${more} }\n`;
  writeFileSync(join(home, "config.yaml"), `mcp:\n  servers:\n${modes.map(server).join("")}`);
}

function script(name: string, line: string): string {
  const file = join(home, "..", name);
  writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
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
    configure(["family", "silent", "dies"], { installed: ["family", "dies"] });
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

  it.each(["npx", "sh"])("waits for %s that installs itself, and has its tools then", async (command) => {
    const go = join(home, "..", "go"); // Who opens it waits for the other end.
    const npx = script("npx", `read -r _ <'${go}'; exec '${process.execPath}' "$@"`);
    const args = [SERVER, "plain", notes];
    const server =
      command === "npx" ? { command: npx, args } : { command, args: ["-c", `exec ${npx} ${args.join(" ")}`] };
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ mcp: { servers: { slow: server } } }));
    const { stdout } = await baton(home, [], {
      shell: `mkfifo '${go}'
        baton chat --message hi 2>&1 | while IFS= read -r line; do
          printf '%s\\n' "$line"
          case "$line" in *"Waiting for MCP server slow, up to 5 minutes"*) echo >'${go}' ;; esac
        done`,
    });
    expect(stdout).toContain("You said “hi”.");
    expect(stdout).not.toContain("missing");
    expect(noted("lists")).toHaveLength(1);
  });

  it("says which tools of the settings a server does not have", async () => {
    configure(["plain"], { more: ", tools: [echo, fly]", installed: ["plain"] });
    const { code, stderr } = await baton(home, ["chat", "--message", "hi"]);
    expect(code).toBe(0);
    expect(stderr).toContain('MCP server plain has no tool "fly": correct its `tools` in config.yaml.');
    const doctor = await baton(home, ["doctor"]);
    expect(doctor.stdout).toMatch(
      /! MCP plain +ready, 1 tool; it has no tool "fly"\n +→ correct `mcp\.servers\.plain\.tools`/,
    );
  });

  it("starts none that is not enabled", async () => {
    configure(["plain"], { more: ", enabled: false" });
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
    configure(["plain", "dies"], { installed: ["plain", "dies"] });
    const { code, stdout } = await baton(home, ["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ MCP plain +ready, 11 tools/);
    expect(stdout).toMatch(
      /! MCP dies +it exited with code 3\n +.*no licence found.*\n +→ mend `mcp\.servers\.dies` in config\.yaml/,
    );
    await vi.waitFor(() => expect(living()).toEqual([]), { timeout: 20_000 });
  });
});
