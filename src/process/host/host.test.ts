import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { helloOf, localSpec } from "../../../test/support/process-host.js";
import { hostOfTest as world } from "../../../test/support/process-registry.js";
import { newProcessId } from "../../session/ids.js";
import { isGroupRunning } from "../../util/process-group.js";
import { newSocketPath, socketPath } from "../places.js";

const HAS_ENDED = { kind: "exited", signal: null, by: "itself", leftBehind: false };

describe.each([
  ["pipes", null],
  ["a PTY", { cols: 80, rows: 24 }],
] as const)("a process with %s", (_, pty) => {
  test("its output is seen at once, while it is quiet", async () => {
    const { client, spawn, outputOf } = world();
    const { id } = await spawn("printf x; exec sleep 600", { pty });
    await expect.poll(() => outputOf(id)).toBe("x");
    expect(await client.request("status", { id })).toMatchObject({ end: null, output: { from: 0, to: 1 } });
  });

  test("its exit code and all its output are known", async () => {
    const { spawn, ended, outputOf } = world();
    const { id } = await spawn("for i in 1 2 3; do echo line $i; echo error $i >&2; done; exit 7", { pty });
    expect((await ended(id)).end).toEqual({ ...HAS_ENDED, code: 7 });
    expect((await outputOf(id)).replaceAll("\r", "")).toBe(
      "line 1\nerror 1\nline 2\nerror 2\nline 3\nerror 3\n",
    );
  });

  test("the result names a signal that another program sent", async () => {
    const { spawn, ended } = world();
    const { id, pid } = await spawn("exec sleep 600", { pty });
    process.kill(pid, "SIGUSR1");
    expect((await ended(id)).end).toEqual({ ...HAS_ENDED, code: null, signal: "SIGUSR1", by: "another" });
  });

  test("it reads what is written, and sees the end of its input", async () => {
    const { client, spawn, ended, outputOf } = world();
    const script = 'while read -r line; do echo "got $line"; done; echo over';
    const { id } = await spawn(script, { pty });
    await client.request("write", { id, text: "one\n" });
    await expect.poll(() => outputOf(id)).toContain("got one");
    await client.request("write", { id, text: "two\n" });
    await expect.poll(() => outputOf(id)).toContain("got two");
    await client.request("close", { id });
    expect((await ended(id)).end).toMatchObject({ code: 0 });
    expect(await outputOf(id)).toContain("over");
    await expect(client.request("write", { id, text: "more" })).rejects.toMatchObject({
      code: "process_input_closed",
    });
  });

  test("killing it ends the whole group, and answers when it is gone", async () => {
    const { client, spawn, outputOf } = world();
    const { id, pid } = await spawn("sleep 600 & sleep 600 & echo ready; wait", { pty });
    await expect.poll(() => outputOf(id)).toContain("ready");
    const killed = await client.request("kill", { id, by: "person", graceMs: 5_000 });
    expect(killed.end).toMatchObject({ kind: "exited", signal: "SIGTERM", by: "person", leftBehind: false });
    expect(isGroupRunning(pid)).toBe(false);
  });

  test("what ignores TERM is killed after the grace period", async () => {
    const { client, spawn, outputOf } = world();
    const { id, pid } = await spawn("trap '' TERM; echo ready; while :; do sleep 1; done", { pty });
    await expect.poll(() => outputOf(id)).toContain("ready");
    const killed = await client.request("kill", { id, by: "agent", graceMs: 100 });
    expect(killed.end).toMatchObject({ kind: "exited", signal: "SIGKILL", by: "agent" });
    expect(isGroupRunning(pid)).toBe(false);
  });

  test("what it leaves behind is told, and can be ended", async () => {
    const { client, spawn, ended } = world();
    const { id, pid } = await spawn("trap '' HUP; sleep 600 </dev/null >/dev/null 2>&1 & exit 3", { pty });
    expect((await ended(id)).end).toEqual({ ...HAS_ENDED, code: 3, leftBehind: true });
    expect(isGroupRunning(pid)).toBe(true);
    const killed = await client.request("kill", { id, by: "person", graceMs: 1_000 });
    expect(killed.end).toEqual({ ...HAS_ENDED, code: 3 });
    expect(isGroupRunning(pid)).toBe(false);
  });
});

test("killing it at once ends it, too", { timeout: 120_000 }, async () => {
  const { client, spawn } = world();
  for (let round = 0; round < 30; round++) {
    const { id, pid } = await spawn("exec sleep 600", { pty: { cols: 80, rows: 24 } });
    expect((await client.request("kill", { id, by: "agent", graceMs: 5_000 })).end).toMatchObject({
      by: "agent",
    });
    expect(isGroupRunning(pid)).toBe(false);
  }
});

test("killing a shell in a terminal also ends its jobs, which are groups of their own", async () => {
  const { client, spawn, outputOf } = world();
  const { id } = await spawn('set -m; sleep 600 & echo "job $!."; wait', { pty: { cols: 80, rows: 24 } });
  await expect.poll(() => outputOf(id)).toMatch(/job \d+\./);
  const job = Number(/job (\d+)/.exec(await outputOf(id))?.[1]);
  expect(isGroupRunning(job)).toBe(true);
  const killed = await client.request("kill", { id, by: "person", graceMs: 5_000 });
  expect(killed.end).toMatchObject({ kind: "exited", by: "person", leftBehind: false });
  expect(isGroupRunning(job)).toBe(false);
});

test("a job that a shell leaves behind in a terminal is reported, and can be ended", async () => {
  const { client, spawn, ended, outputOf } = world();
  const { id } = await spawn(
    "set -m; trap '' HUP; sleep 600 </dev/null >/dev/null 2>&1 & echo \"job $!.\"; exit 3",
    {
      pty: { cols: 80, rows: 24 },
    },
  );
  expect((await ended(id)).end).toEqual({ ...HAS_ENDED, code: 3, leftBehind: true });
  const job = Number(/job (\d+)/.exec(await outputOf(id))?.[1]);
  expect((await client.request("kill", { id, by: "person", graceMs: 1_000 })).end).toEqual({
    ...HAS_ENDED,
    code: 3,
  });
  expect(isGroupRunning(job)).toBe(false);
});

test("a PTY has a size that can be changed", async () => {
  const { client, spawn, outputOf } = world();
  const script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.1; done";
  const { id } = await spawn(script, { pty: { cols: 100, rows: 30 } });
  await expect.poll(() => outputOf(id)).toContain("30 100");
  expect(await client.request("resize", { id, cols: 70, rows: 20 })).toMatchObject({
    pty: { cols: 70, rows: 20 },
  });
  await expect.poll(() => outputOf(id)).toContain("20 70");
});

test("an id is started once, also if it is asked for twice", async () => {
  const { client, folder, outputOf, ended } = world();
  const spec = { ...localSpec("echo started; read -r go; echo over"), id: newProcessId() };
  const spawn = () => client.request("spawn", { spec });
  const answers = [...(await Promise.all([spawn(), spawn()])), await spawn()];
  // Each answer names what it started, which runs until it gets input.
  expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
  await client.request("write", { id: spec.id, text: "\n" });
  const { pid, end } = await ended(spec.id);
  expect(await spawn()).toMatchObject({ pid, end });
  expect(await outputOf(spec.id)).toBe("started\nover\n");
  expect(readdirSync(folder).filter((file) => file.endsWith(".out"))).toHaveLength(1);
});

test("what cannot be started leaves nothing", async () => {
  const { client, folder } = world();
  const spec = { ...localSpec("true"), id: newProcessId(), file: "/no/such/program" };
  await expect(client.request("spawn", { spec })).rejects.toMatchObject({
    code: "process_not_started",
    message: expect.stringMatching(/^The command can't be started: .*ENOENT\.$/),
  });
  expect(readdirSync(folder).filter((file) => file.startsWith("p_"))).toEqual([]);
});

test("a process that empties its own output is read on, and positions never go back", async () => {
  const { client, spawn, outputOf } = world();
  const { id } = await spawn("echo the first line; read -r go; echo two > /dev/stderr; exec sleep 600");
  await expect.poll(() => outputOf(id)).toBe("the first line\n");
  expect((await client.request("poll", { id, limit: 100 })).output.to).toBe(15);
  await client.request("write", { id, text: "\n" });
  await expect.poll(() => outputOf(id)).toBe("two\n");
  expect((await client.request("poll", { id, limit: 100 })).output).toEqual({
    text: "two\n",
    from: 15,
    to: 19,
  });
});

test("a poll gives what is new since the last one", async () => {
  const { client, spawn, ended, outputOf } = world();
  const { id } = await spawn("echo one; read -r go; echo two");
  await expect.poll(() => outputOf(id)).toBe("one\n");
  expect((await client.request("poll", { id, limit: 1_000 })).output.text).toBe("one\n");
  expect((await client.request("poll", { id, limit: 1_000 })).output.text).toBe("");
  await client.request("write", { id, text: "\n" });
  await ended(id);
  const { output, status } = await client.request("poll", { id, limit: 2 });
  expect(output).toEqual({ text: "o\n", from: 6, to: 8 });
  expect(status.end).toMatchObject({ code: 0 });
});

test.each([
  ["pipes", null],
  ["a PTY", { cols: 80, rows: 24 }],
])("input that is not read is bounded and stops nobody: %s", async (_, pty) => {
  const { client, spawn, outputOf } = world();
  // A terminal that waits for a line drops what is too long for one; a raw one keeps it back.
  const { id } = await spawn("[ -t 0 ] && stty raw -echo; echo ready; exec sleep 600", { pty });
  await expect.poll(() => outputOf(id)).toContain("ready");
  const text = "x".repeat(600_000);
  await client.request("write", { id, text });
  await expect(client.request("write", { id, text })).rejects.toMatchObject({ code: "process_input_full" });
});

test("a program on a PTY that answers while it reads gets all of a long input", async () => {
  const { client, spawn, outputOf } = world();
  const { id } = await spawn("stty raw -echo; echo ready; exec cat", { pty: { cols: 80, rows: 24 } });
  await expect.poll(() => outputOf(id)).toContain("ready");
  const text = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join("");
  await client.request("write", { id, text });
  await expect.poll(async () => (await outputOf(id)).split("ready")[1]?.trimStart()).toBe(text);
});

test("only the user can use the socket and read the files", async () => {
  const { spawn, folder } = world();
  await spawn("exec sleep 600");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(socketPath(folder) ?? "").mode & 0o777).toBe(0o600);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
});

test.skipIf(process.getuid?.() !== 0)("another user of the machine can't even connect", async () => {
  const { spawn, folder } = world();
  await spawn("exec sleep 600");
  const path = JSON.stringify(socketPath(folder));
  const script = `require("net").connect(${path}, () => process.exit()).on("error", ({ code }) => console.log(code))`;
  const as = { uid: 65_534, encoding: "utf8", timeout: 60_000 } as const;
  expect(execFileSync(process.execPath, ["-e", script], as).trim()).toBe("EACCES");
});

test("a long path gets a hashed socket in a private folder", () => {
  const path = newSocketPath(join("/home", "x".repeat(200)));
  expect(path).toMatch(/^\/(?:run\/user\/\d+|tmp\/baton-\d+)\/[0-9a-f]{32}\.sock$/);
  expect(Buffer.byteLength(path)).toBeLessThan(104);
});

test.each([
  ["pipes", null],
  ["a PTY", { cols: 200, rows: 50 }],
])(
  "a process with %s sees no descriptor and no variable of the host or of another process",
  async (_, pty) => {
    const { spawn, ended, outputOf } = world();
    await spawn("exec sleep 600", { pty: { cols: 80, rows: 24 } });
    await spawn("exec sleep 600");
    const { id } = await spawn("env; echo; for f in /proc/self/fd/*; do readlink $f || echo gone; done", {
      pty,
    });
    await ended(id);
    const [variables = "", descriptors = ""] = (await outputOf(id)).replaceAll("\r", "").split("\n\n");
    expect(variables).toContain("PATH=");
    expect(variables).not.toContain("BATON_CANARY");
    const [input, output, errors, ...others] = descriptors.trim().split("\n");
    expect([input, output, errors].join()).toMatch(
      pty ? /^(\/dev\/pts\/\d+),\1,\1$/ : /^socket:\[\d+\],(.*\.out),\1$/,
    );
    expect(others.filter((one) => one !== "gone" && !one.startsWith("/proc/"))).toEqual([]);
  },
);

test("bash does not take the socket that it reads from for a remote login", async () => {
  const { spawn, ended, outputOf, folder } = world();
  writeFileSync(join(folder, ".bashrc"), "echo from the settings of the user");
  const environment = { PATH: process.env.PATH ?? "", HOME: folder };
  const { id } = await spawn("", { file: "/bin/bash", args: ["-c", "echo hello"], environment });
  await ended(id);
  expect(await outputOf(id)).toBe("hello\n");
});

test("the host ends when it has nothing to do, and releases its folder", async () => {
  const made = world();
  const { spawn, ended, folder } = made;
  const idle = await made.serve({ idleMs: 50 });
  const { id } = await spawn("true");
  await ended(id);
  await idle.over;
  expect(readdirSync(folder).filter((file) => file.startsWith("host"))).toEqual([]);
});

test("a host that cannot listen ends and leaves the folder to the next one", async () => {
  const made = world();
  mkdirSync(join(made.folder, "host.socket.tmp"));
  const host = await made.start();
  await expect.poll(() => host.exitCode).toBe(1);
  expect(readFileSync(join(made.folder, "host.log"), "utf8")).toContain("host.socket");
  rmdirSync(join(made.folder, "host.socket.tmp"));
  await made.spawn("true");
});

test("a host that lost its lock leaves the next one its socket", async () => {
  const made = world();
  const first = await made.serve({});
  rmSync(join(made.folder, "host.lock"));
  const second = await made.start();
  await expect
    .poll(() => readFileSync(join(made.folder, "host.lock"), "utf8"))
    .toContain(`"pid":${second.pid}`);
  await first.over;
  expect(await helloOf(made.clientOf([1]))).toMatchObject({ pid: second.pid });
});

test("what cannot be read of an earlier process stops no host", async () => {
  const made = world();
  writeFileSync(join(made.folder, "p_0000000001.json"), "null");
  writeFileSync(join(made.folder, "p_0000000002.json"), "{");
  writeFileSync(
    join(made.folder, "p_0000000003.json"),
    JSON.stringify({ id: "p_0000000003", place: { base: 0 } }),
  );
  mkdirSync(join(made.folder, "p_0000000003.out"));
  expect(await made.client.request("list", {})).toEqual([]);
});

test("what ran before the machine was restarted is lost, though its number and start time are another's now", async () => {
  const made = world();
  const { id, pid } = await made.spawn("exec sleep 600");
  const [first] = made.hosts;
  first?.kill("SIGKILL");
  await expect.poll(() => first?.signalCode).toBe("SIGKILL");
  const path = join(made.folder, `${id}.json`);
  const record = JSON.parse(readFileSync(path, "utf8"));
  const name = JSON.parse(record.name);
  const place = name.place.replace(/^[^/]+/, "6d1ae1c2-0000-4000-8000-000000000000");
  writeFileSync(path, JSON.stringify({ ...record, name: JSON.stringify({ ...name, place }) }));
  expect((await made.ended(id)).end).toEqual({ kind: "lost", why: expect.stringMatching(/was restarted/) });
  await made.client.request("kill", { id, by: "person", graceMs: 1_000 });
  expect(isGroupRunning(pid)).toBe(true);
});

test("it speaks the highest protocol that both know, and says so if there is none", async () => {
  const made = world();
  await made.serve({ protocols: [1, 2] });
  const { clientOf } = made;
  expect(await helloOf(clientOf([1]))).toMatchObject({ protocol: 1, protocols: [1, 2] });
  expect(await helloOf(clientOf([1, 2, 3]))).toMatchObject({ protocol: 2 });
  await expect(helloOf(clientOf([3]))).rejects.toMatchObject({ code: "process_host_version" });
});

test("a verb that it does not know is an error, and nothing else happens", async () => {
  const { client } = world();
  await expect(client.request("dance" as "list", {})).rejects.toMatchObject({ code: "process_host_failed" });
  await expect(client.request("toString" as "list", {})).rejects.toMatchObject({
    code: "process_host_failed",
  });
  expect(await client.request("list", {})).toEqual([]);
});

test("hosts that start at the same time are one", async () => {
  const made = world();
  await Promise.all([made.start(), made.start(), made.start()]);
  const { pid } = await helloOf(made.client);
  const left = () => made.hosts.filter(({ exitCode }) => exitCode === null).map((host) => host.pid);
  await expect.poll(left).toEqual([pid]);
  expect(execFileSync("ps", ["-o", "args=", "-p", `${pid}`], { encoding: "utf8" })).toContain(made.folder);
  expect(readFileSync(join(made.folder, "host.lock"), "utf8")).toContain(`"pid":${pid}`);
});
