// In a pid namespace of its own: gives the pid of a process that has ended to another one, then asks the host to end the first.
// Prints what became of both. `pid-reuse-child.mjs <folder>`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { HostClient } from "../../dist/process/host-client.js";

const [folder] = process.argv.slice(2);
const program = fileURLToPath(new URL("../../dist/process-host.js", import.meta.url));
const hosts = [];
const client = new HostClient({
  folder,
  version: "test",
  start: () => void hosts.push(spawn(process.execPath, [program, folder], { stdio: "ignore" })),
  onEvent: () => {},
  onConnected: () => {},
  onLost: () => {},
});

const start = (id, command, rest = {}) =>
  client.request("spawn", {
    spec: {
      id,
      file: "/bin/sh",
      args: ["-c", command],
      environment: { PATH: process.env.PATH },
      cwd: "/",
      pty: null,
      hasOwnProcesses: false,
      remote: null,
      ...rest,
    },
  });

/** The groups that there are, by number. */
function groups() {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return [
        Number(
          readFileSync(`/proc/${pid}/stat`, "utf8")
            .replace(/^.*\) /s, "")
            .split(" ")[2],
        ),
      ];
    } catch {
      return [];
    }
  });
}

async function gone(pid) {
  while (existsSync(`/proc/${pid}`)) await delay(5);
}

/**
 * A process that leads a group under exactly this pid; or one of a group of that number whose leader is gone. Gives the pid
 * to look at.
 */
async function innocentWith(pid, isLed) {
  const command = isLed ? "exec sleep 600" : "sleep 600 & echo $!";
  for (let attempt = 0; attempt < 500; attempt++) {
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    const child = spawn("/bin/sh", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    await once(child, "spawn");
    if (child.pid !== pid) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
      continue;
    }
    if (isLed) return pid;
    const [said] = await once(child.stdout, "data");
    if (child.exitCode === null) await once(child, "exit");
    return Number(String(said));
  }
  throw new Error(`No process got the pid ${pid}.`);
}

/** True, or its state if it has ended. */
const isAlive = (pid) => {
  if (!existsSync(`/proc/${pid}`)) return "gone";
  const [, state] = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return !/[ZX]/.test(state) || state;
};

const seen = [];
for (const [n, isLed] of [true, false].entries()) {
  const lost = `p_000000000${n}`;
  const first = await start(lost, "exec sleep 600");
  const host = hosts.at(-1);
  host.kill("SIGKILL");
  await once(host, "exit");
  process.kill(first.pid, "SIGKILL");
  await gone(first.pid);
  await delay(20); // Starts are counted in hundredths of a second: two in one of them can't be told apart after a crash.
  const innocent = await innocentWith(first.pid, isLed);
  const afterCrash = await client.request("kill", { id: lost, by: "person", graceMs: 200 });

  const ended = `p_000000001${n}`;
  const second = await start(ended, "exit 3");
  await gone(second.pid);
  const other = await innocentWith(second.pid, isLed);
  const afterEnd = await client.request("kill", { id: ended, by: "person", graceMs: 200 });
  seen.push({ ends: [afterCrash.end, afterEnd.end], isAlive: [isAlive(innocent), isAlive(other)] });
}

// What was left behind ends, and a stranger's group has its number, before the host has looked.
const left = await start("p_0000000020", "sleep 600 & exit 4");
while ((await client.request("status", { id: left.id })).end === null) await delay(5);
hosts.at(-1).kill("SIGSTOP");
process.kill(-left.pid, "SIGKILL");
while (groups().includes(left.pid)) await delay(5);
const stranger = await innocentWith(left.pid, false);
hosts.at(-1).kill("SIGCONT");
const afterLeft = await client.request("kill", { id: left.id, by: "person", graceMs: 200 });
seen.push({ ends: [afterLeft.end], isAlive: [isAlive(stranger)] });

// A job that had the terminal of a sandbox has ended, and a stranger's group has its number.
const JOB = `import os, signal, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
reader, writer = os.pipe()
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.write(writer, b"x")
    time.sleep(600)
os.read(reader, 1)
os.tcsetpgrp(0, job)
os.kill(job, signal.SIGKILL)
os.waitpid(job, 0)
print("over", flush=True)
time.sleep(600)
`;
const terminal = await start("p_0000000030", "", {
  file: "unshare",
  args: ["--pid", "--fork", "python3", "-c", JOB],
  pty: { cols: 80, rows: 24 },
  hasOwnProcesses: true,
});
const said = async () => (await client.request("read", { id: terminal.id, from: 0, limit: 1_000 })).text;
while (!(await said()).includes("over")) await delay(5);
const foreground = Number(
  readFileSync(`/proc/${terminal.pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")[5],
);
const passer = await innocentWith(foreground, true);
const afterTerminal = await client.request("kill", { id: terminal.id, by: "person", graceMs: 200 });
seen.push({ ends: [afterTerminal.end], isAlive: [isAlive(passer)] });

console.log(JSON.stringify(seen));
client.close();
process.exit(0);
