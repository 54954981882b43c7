// In a pid namespace of its own: gives the pid of a process that has ended to another one, then asks the host to end the first.
// Prints what became of both. `pid-reuse-child.mjs <folder>`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

const start = (id, command) =>
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
    },
  });

async function gone(pid) {
  while (existsSync(`/proc/${pid}`)) await delay(5);
}

/** A process that leads a group under exactly this pid. */
async function innocentWith(pid) {
  for (let attempt = 0; attempt < 500; attempt++) {
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    await once(child, "spawn");
    if (child.pid === pid) return child;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  throw new Error(`No process got the pid ${pid}.`);
}

const isAlive = (child) => /^State:\s+[SR]/m.test(readFileSync(`/proc/${child.pid}/status`, "utf8"));

const first = await start("p_0000000001", "exec sleep 600");
hosts[0].kill("SIGKILL");
await once(hosts[0], "exit");
process.kill(first.pid, "SIGKILL");
await gone(first.pid);
const innocent = await innocentWith(first.pid);
const afterCrash = await client.request("kill", { id: "p_0000000001", by: "person", graceMs: 200 });

const second = await start("p_0000000002", "exit 3");
await gone(second.pid);
const other = await innocentWith(second.pid);
const afterEnd = await client.request("kill", { id: "p_0000000002", by: "person", graceMs: 200 });

console.log(
  JSON.stringify({
    ends: [afterCrash.end, afterEnd.end],
    hasSamePid: [innocent.pid === first.pid, other.pid === second.pid],
    isAlive: [isAlive(innocent), isAlive(other)],
  }),
);
client.close();
process.exit(0);
