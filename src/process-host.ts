/**
 * The program of the process host: `process-host.js <folder> [--ends-with-service]`. Baton starts it when the first process
 * is asked for; it lives on without Baton.
 */
import { appendFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { serveProcesses } from "./process/host/serve.js";
import { ENDS_WITH_SERVICE_FLAG, PROTOCOLS } from "./process/protocol.js";

const IDLE_MS = 10 * 60 * 1_000;
const LONGEST_LOG = 100_000;

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const [folder = "", ...flags] = process.argv.slice(2);
const log = join(folder, "host.log");

function note(error: unknown): void {
  try {
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LONGEST_LOG) truncateSync(log);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    appendFileSync(log, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
  } catch {
    // There is nobody to tell.
  }
}

process.on("uncaughtException", note); // A mistake in one place must not end every process that this one holds.
process.on("SIGHUP", () => {}); // The terminal in which Baton ran was closed.
process.chdir("/");

try {
  const served = await serveProcesses({
    folder,
    version,
    protocols: PROTOCOLS,
    idleMs: IDLE_MS,
    endsWithService: flags.includes(ENDS_WITH_SERVICE_FLAG),
  });
  await served?.over;
  process.exit(0);
} catch (error) {
  note(error);
  process.stderr.write(`Error: ${(error as Error).message}\n`); // Who started it may still listen.
  process.exit(1);
}
