/** After a file that shares its process: the next one finds the functions and the clock as they were. */
import { afterAll, vi } from "vitest";

/** As the process began: a spy on a clock that was set brings that clock back when it is restored. */
const BEGINNING = Symbol.for("the clock as the process began");
const shared = globalThis as {
  [BEGINNING]?: Pick<typeof globalThis, "setTimeout" | "setInterval" | "setImmediate">;
};
shared[BEGINNING] ??= {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
};

afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  Object.assign(globalThis, shared[BEGINNING]);
});
