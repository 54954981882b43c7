/**
 * Reads a file in another process. A SQLite database may be open in this one, also for a while after it was closed, and
 * opening and closing its file here would drop its locks.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

const PROGRAM = `require("node:fs").createReadStream(process.argv[1], { highWaterMark: 2 ** 20 })
  .on("error", (error) => { process.exitCode = error.code === "ENOENT" ? 2 : 1; process.stderr.write(error.message); })
  .pipe(process.stdout)`;

/** Gives nothing for a file that does not exist. */
export async function* readApart(file: string): AsyncGenerator<Buffer> {
  const child = spawn(process.execPath, ["-e", PROGRAM, file], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
  });
  const ended = once(child, "close");
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    problem += text;
  });
  yield* child.stdout as AsyncIterable<Buffer>;
  const [code] = await ended;
  if (code !== 0 && code !== 2) throw new Error(`${file} can't be read: ${problem.trim()}`);
}
