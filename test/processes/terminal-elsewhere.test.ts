/** The tool `terminal` with environments: what it asks about, and commands in the foreground on a real sshd. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { BackgroundCommand } from "../../src/agent/agent.js";
import { terminalTool } from "../../src/agent/tools/terminal.js";
import { digestOf } from "../../src/gateway/approvals.js";
import { sshEnvironment } from "../../src/process/environments/ssh.js";
import type { CommandEnvironment } from "../../src/util/command-environment.js";
import { aCall } from "../support/a-call.js";
import { startSshd, whyNoSshd } from "../support/ssh-server.js";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const work = mkdtempSync(join(tmpdir(), "baton-elsewhere-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const variables = { PATH, HOME: homedir() };

function named(name: string, where: string, launch?: CommandEnvironment["launch"]): CommandEnvironment {
  const refuse = async () => Promise.reject(new Error("nobody is there"));
  return { name, where, workdir: "/srv", launch: launch ?? refuse };
}

function terminal(environments: readonly CommandEnvironment[], defaultEnvironment?: string) {
  return terminalTool({
    ...{ cwd: work, environment: { PATH }, environments },
    ...(defaultEnvironment ? { defaultEnvironment } : {}),
  });
}

const signal = () => new AbortController().signal;
const two = [named("one", "on one.example"), named("two", "on two.example")];

describe("an environment", () => {
  it("is a parameter only if there is more than this machine", () => {
    const of = (tool: ReturnType<typeof terminal>) =>
      (tool.parameters as { properties: Record<string, unknown> }).properties.environment;
    expect(of(terminal([]))).toBeUndefined();
    expect(of(terminal(two, "two"))).toMatchObject({
      enum: ["local", "one", "two"],
      description: expect.stringContaining("`two` by default"),
    });
  });

  it("that nobody set up is refused with the known ones", async () => {
    const result = await terminal(two).run(
      { command: "true", environment: "three" },
      { call: aCall, signal: signal() },
    );
    expect(result).toMatch(/^Error: there is no such environment\. There are `local`.*`one`.*`two`/);
  });

  it("that cannot be used runs nothing, and never here", async () => {
    const result = await terminal(two, "one").run(
      { command: "touch here" },
      { call: aCall, signal: signal() },
    );
    expect(result).toBe("Error: not run: the environment `one` can't be used: nobody is there");
    expect(readdirSync(work)).toEqual([]);
  });

  it("is part of what a person approves: a yes for one is none for another", async () => {
    const command = "rm -rf /var/lib/x";
    const dangers = await Promise.all([
      terminal(two).danger?.({ command }),
      terminal(two).danger?.({ command, environment: "one" }),
      terminal(two).danger?.({ command, environment: "two" }),
      terminal(two).danger?.({ command, environment: "one", background: true }),
      terminal(two).danger?.({ command, environment: "one", workdir: "/other" }),
      // The same name for another machine.
      terminal([named("one", "on another.example")]).danger?.({ command, environment: "one" }),
    ]);
    const digests = dangers.map((danger) => danger && digestOf("terminal", danger));
    expect(digests.every(Boolean)).toBe(true);
    expect(new Set(digests).size).toBe(dangers.length);
    expect(dangers[1]?.what).toBe(`${command}\n\nin /srv, environment one: on one.example`);
    // The default is the same as its name.
    const byDefault = await terminal(two, "one").danger?.({ command });
    expect(byDefault && digestOf("terminal", byDefault)).toBe(digests[1]);
  });

  it("is asked about by the same rules, whatever sandbox there is here", async () => {
    const tool = terminalTool({
      ...{ cwd: work, environment: { PATH }, environments: two },
      confinement: { kind: "missing", why: "not run: there is no sandbox." },
    });
    expect(await tool.danger?.({ command: "sudo reboot", environment: "one" })).not.toBeNull();
    expect(await tool.danger?.({ command: "ls", environment: "one" })).toBeNull();
    expect(await tool.run({ command: "ls" }, { call: aCall, signal: signal() })).toContain("no sandbox");
  });

  it("is handed over with a command in the background", async () => {
    const remote = { signal: ["s"], status: ["t"], forget: ["f"] } as const;
    const launch: CommandEnvironment["launch"] = async (command, folder, mode) => ({
      ...{ file: "client", args: [command, folder ?? "", mode], environment: { A: "b" }, remote },
    });
    const started: BackgroundCommand[] = [];
    const background = async (command: BackgroundCommand) => String(started.push(command));
    const tool = terminal([named("one", "on one.example", launch)]);
    const args = { command: "sleep 9", environment: "one", background: true, pty: true };
    await tool.run(args, { call: aCall, signal: signal(), background });
    expect(started[0]).toMatchObject({
      ...{ command: "sleep 9", workdir: "/srv", environment: "one", file: "client", remote, cwd: "/" },
      ...{ args: ["sleep 9", "/srv", "terminal"], variables: { A: "b" }, hasOwnProcesses: false, pty: true },
    });
  });
});

const why = whyNoSshd();
if (why !== null) console.warn(`NOT TESTED: commands in the foreground on another machine, because ${why}`);

describe.runIf(why === null)(
  "a command in the foreground on another machine",
  { timeout: 120_000 },
  async () => {
    const server = why === null ? await startSshd() : null;
    afterAll(() => server?.close());
    const environment = sshEnvironment({
      ...{ name: "there", host: "there", port: null, configFile: server?.configFile ?? "", workdir: "/" },
      ...{ home: work, variables },
    });
    const run = (args: object, stop = signal()) =>
      terminal([environment], "there").run(args, { call: aCall, signal: stop });
    const nap = () => String(1_000_000_000 + Math.floor(Math.random() * 1_000_000_000));
    const sleepers = (seconds: string) =>
      readdirSync("/proc").filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
        } catch {
          return false; // It has just ended.
        }
      });

    it("gives its output and its exit code, also 255", async () => {
      expect(await run({ command: "pwd; echo err >&2; exit 255" })).toBe("Exit code 255.\n\n/\nerr");
      expect(await run({ command: "cat; echo $SSH_CONNECTION", workdir: "/tmp" })).toMatch(
        /^Exit code 0\.\n\n127\.0\.0\.1 /,
      );
      expect(await run({ command: "kill -9 $$" })).toBe("Killed by SIGKILL.\n\n(no output)");
    });

    it("leaves nothing there", async () => {
      const result = await run({ command: "echo $BATON_RUN; ls -d /tmp/.baton-run-$BATON_RUN" });
      const [mark = ""] = /[0-9a-f]{32}/.exec(result) ?? [];
      expect(mark).not.toBe("");
      expect(existsSync(`/tmp/.baton-run-${mark}`)).toBe(false);
    });

    it("is ended there at its time-out, with its group", async () => {
      const seconds = nap();
      const result = await run({ command: `trap '' TERM; sleep ${seconds} & sleep ${seconds}`, timeout: 1 });
      expect(result).toMatch(/^Timed out after 1 s\. Killed by SIGKILL\./);
      await expect.poll(() => sleepers(seconds)).toEqual([]);
    });

    it("is ended there when the turn is stopped", async () => {
      const seconds = nap();
      const controller = new AbortController();
      const result = run({ command: `echo begun; exec sleep ${seconds}` }, controller.signal);
      await expect.poll(() => sleepers(seconds).length, { timeout: 30_000 }).toBe(1);
      controller.abort();
      expect(await result).toMatch(/^Stopped\. Killed by SIGTERM\.\n\nbegun$/);
      await expect.poll(() => sleepers(seconds)).toEqual([]);
    });

    it("has no exit code if the connection is cut", async () => {
      const seconds = nap();
      const result = run({ command: `exec sleep ${seconds}` });
      await expect.poll(() => sleepers(seconds).length, { timeout: 30_000 }).toBe(1);
      server?.cut();
      expect(await result).toMatch(/^The connection was lost, and the command still runs there\./);
      const [pid = ""] = sleepers(seconds);
      const [, mark = ""] =
        /BATON_RUN=([0-9a-f]{32})/.exec(readFileSync(`/proc/${pid}/environ`, "utf8")) ?? [];
      process.kill(Number(pid), "SIGKILL");
      const left = `/tmp/.baton-run-${mark}`;
      await expect.poll(() => existsSync(`${left}/code`), { timeout: 30_000 }).toBe(true);
      rmSync(left, { recursive: true });
    });

    it("runs nothing and says why if nobody can be reached", async () => {
      const nowhere = sshEnvironment({
        ...{ name: "nowhere", host: "127.0.0.1", port: 1, configFile: "/dev/null", workdir: null },
        ...{ home: work, variables },
      });
      const result = await terminal([nowhere], "nowhere").run(
        { command: "true" },
        { call: aCall, signal: signal() },
      );
      expect(result).toMatch(
        /^Error: not run: the environment `nowhere` can't be used: .*Connection refused\. Run `ssh -F \/dev\/null -p 1 127\.0\.0\.1` to see more\.$/,
      );
    });
  },
);
