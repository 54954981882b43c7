/**
 * What happens if the output can't be written. A reader that is gone, as with `| head -1`, ends the program quietly. A
 * full disk ends it with a sentence and exit code 1. Problems are written to stderr; if that fails, the result still counts.
 */
import type { Writable } from "node:stream";
import { fileReason } from "./file-problem.js";

export function onOutputEnd(stdout: Writable, stderr: Writable, end: (exitCode: number) => void): void {
  let isSaid = false;
  const isGone = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE";
  stdout.on("error", (error) => {
    if (isGone(error)) return end(0);
    if (!isSaid) stderr.write(`baton: Can't write the output: ${fileReason(error)}.\n`);
    isSaid = true;
    end(1);
  });
  stderr.on("error", (error) => {
    if (isGone(error)) end(0);
  });
}
