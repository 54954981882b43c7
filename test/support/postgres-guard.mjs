// Runs a PostgreSQL server for as long as the process that started this one lives: its end closes our stdin, however it
// ended. Then the server is stopped at once and its folder removed. Told to, it lets the server crash and come back.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const { folder, binary, args, options } = JSON.parse(process.argv[2]);
let asked = false;
let crashing = false;
let server = start(() => {});

function start(onReady) {
  const started = spawn(binary, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  createInterface(started.stderr).on("line", (line) => {
    process.stderr.write(`${line}\n`);
    if (line.includes("ready to accept connections")) onReady();
  });
  started.on("exit", () => {
    if (crashing && !asked) {
      crashing = false;
      server = start(() => process.connected && process.send("back"));
      return;
    }
    // A server that failed to start keeps its folder, for the next attempt on another port.
    if (asked) rmSync(folder, { recursive: true, force: true });
    process.exit(asked ? 0 : 1);
  });
  return started;
}

process.stdin.resume();
process.stdin.on("end", () => {
  asked = true;
  server.kill("SIGQUIT");
});
process.stderr.on("error", () => {});
process.on("message", () => {
  crashing = true;
  server.kill("SIGQUIT");
});
process.on("disconnect", () => {}); // Its stdin tells.
