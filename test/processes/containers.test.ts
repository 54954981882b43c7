/** The container that Baton makes, with a real podman: what it may, and that there is one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { terminalTool } from "../../src/agent/tools/terminal.js";
import { type ContainerOptions, containerEnvironment } from "../../src/process/environments/container.js";
import { aCall } from "../support/a-call.js";
import { openPodman } from "../support/podman.js";

const engine = openPodman();
if (typeof engine === "string") console.warn(`NOT TESTED: containers, because ${engine}`);

const work = mkdtempSync(join(tmpdir(), "baton-containers-"));
afterAll(() => {
  rmSync(work, { recursive: true, force: true });
  if (typeof engine !== "string") engine.close();
});

describe.runIf(typeof engine !== "string")("a container", { timeout: 120_000 }, () => {
  if (typeof engine === "string") return;
  const { program, image, variables, run } = engine;
  afterEach(() => void run("rm", "-af", "-t", "0"));

  const environment = (more: Partial<ContainerOptions> = {}) =>
    containerEnvironment({
      ...{ name: "box", program, image, memory: "64m", cpus: 1, pids: 100, network: "none", mounts: [] },
      ...{ workdir: "/tmp", variables, home: work, ...more },
    });
  const shell = (command: string, more: Partial<ContainerOptions> = {}) =>
    terminalTool({
      ...{ cwd: work, environment: variables, environments: [environment(more)], defaultEnvironment: "box" },
    }).run({ command }, { call: aCall, signal: new AbortController().signal });

  it("has limits, no capabilities, no new privileges, no network, and no file of this machine", async () => {
    writeFileSync(join(work, "secret"), "a canary");
    const output = await shell(
      "cat /proc/self/status; ls /sys/class/net; cat /proc/mounts; pwd; find / -name secret",
    );
    expect(output).toMatch(/^Exit code 0\./);
    expect(output).toMatch(/CapEff:\s+0{16}\n/);
    expect(output).toMatch(/CapBnd:\s+0{16}\n/);
    expect(output).toMatch(/NoNewPrivs:\s+1\n/);
    expect(output).not.toContain(work);
    expect(output).not.toContain("eth0");
    const [made] = JSON.parse(run("container", "inspect", run("ps", "-q"))) as [
      { HostConfig: { Memory: number; PidsLimit: number; NanoCpus: number; Binds: string[] } },
    ];
    expect(made.HostConfig).toMatchObject({ Memory: 64 * 1024 ** 2, PidsLimit: 100, Binds: [] });
  });

  it("sees what is mounted, as it is mounted", async () => {
    mkdirSync(join(work, "data"), { recursive: true });
    writeFileSync(join(work, "data", "file"), "shared");
    const output = await shell("cat /data/file; touch /data/new", {
      mounts: [`${join(work, "data")}:/data:ro`],
    });
    expect(output).toMatch(/shared/);
    expect(output).toMatch(/Read-only file system/);
  });

  it("is made once, also by two at the same time, and found again", async () => {
    await Promise.all(["echo a", "echo b", "echo c"].map((command) => shell(command)));
    const first = run("ps", "-q");
    expect(first).toMatch(/^[0-9a-f]+$/);
    await shell("touch /tmp/kept");
    expect(await shell("ls /tmp")).toContain("kept");
    expect(run("ps", "-aq")).toBe(first);
  });

  it("is started again if somebody stopped it", async () => {
    await shell("touch /root-file; true");
    run("stop", "-t", "0", run("ps", "-q"));
    expect(await shell("echo again")).toBe("Exit code 0.\n\nagain");
    expect(run("ps", "-aq").split("\n")).toHaveLength(1);
  });

  it("that was made with other settings is not used", async () => {
    await shell("true");
    const output = await shell("echo evil", { memory: "128m" });
    expect(output).toMatch(/was made with other settings\. Run `.* rm -f baton-[0-9a-f]{12}-box`/);
    expect(output).not.toContain("evil");
  });

  it("is another one for another home folder", async () => {
    await shell("true");
    await shell("true", { home: join(work, "other") });
    expect(run("ps", "-q").split("\n")).toHaveLength(2);
  });

  it("is not replaced by this machine if the engine fails", async () => {
    const output = await shell("echo evil", { image: "localhost/not-there" });
    expect(output).toMatch(/^Error: not run: the environment `box` can't be used: /);
    const none = await shell("echo evil", { program: join(work, "no-engine") });
    expect(none).toMatch(/^Error: not run: the environment `box` can't be used: .*no-engine: No such file/);
  });
});
