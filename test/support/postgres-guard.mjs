// Runs a PostgreSQL server for as long as the process that started this one lives: its end closes our stdin, however it
// ended. Then the server is stopped at once and its folder removed. Told a signal, it ends the server by it and says
// "down"; told "start", it starts it again and says "up".
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const { folder, binary, args, options } = JSON.parse(process.argv[2]);
let asked = false;
/** @type {"up" | "going down" | "down"} */
let state = "up";
let server = start(() => {});

function start(onReady) {
  const started = spawn(binary, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  createInterface(started.stderr).on("line", (line) => {
    process.stderr.write(`${line}\n`);
    if (line.includes("ready to accept connections")) onReady();
  });
  started.on("exit", () => {
    if (state !== "going down" || asked) return end();
    state = "down";
    tell(state);
  });
  return started;
}

function end() {
  // A server that failed to start keeps its folder, for the next attempt on another port.
  if (asked) rmSync(folder, { recursive: true, force: true });
  process.exit(asked ? 0 : 1);
}

function tell(what) {
  if (process.connected) process.send(what);
}

process.stdin.resume();
process.stdin.on("end", () => {
  asked = true;
  if (state === "down") end();
  else server.kill("SIGQUIT");
});
process.stderr.on("error", () => {});
process.on("message", (wish) => {
  if (wish === "start") {
    state = "up";
    server = start(() => tell(state));
  } else {
    state = "going down";
    server.kill(wish);
  }
});
process.on("disconnect", () => {}); // Its stdin tells.
