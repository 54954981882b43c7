// Runs a PostgreSQL server for as long as the process that started this one lives: its end closes our stdin, however it
// ended. Then the server is stopped at once and its folder removed.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

const { folder, binary, args, options } = JSON.parse(process.argv[2]);
const server = spawn(binary, args, { ...options, stdio: ["ignore", "ignore", "inherit"] });
let asked = false;

process.stdin.resume();
process.stdin.on("end", () => {
  asked = true;
  server.kill("SIGQUIT");
});
process.stderr.on("error", () => {});

server.on("exit", () => {
  // A server that failed to start keeps its folder, for the next attempt on another port.
  if (asked) rmSync(folder, { recursive: true, force: true });
  process.exit(asked ? 0 : 1);
});
