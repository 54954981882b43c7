import type { Writable } from "node:stream";

/** Settles when the written data has left the process, or never will. */
export function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
