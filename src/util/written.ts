import type { Writable } from "node:stream";
import { setImmediate as immediately } from "node:timers/promises";

/** Settles when the written data has left the process, or never will; what failed was told to the listeners then. */
export async function written(stream: Writable): Promise<void> {
  if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write("", () => resolve()));
  // Nothing else is written: that could fail, too.
  await immediately();
}
