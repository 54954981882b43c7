/** After a file that shares its process: the next one finds the functions and the clock as they were. */
import { afterAll, vi } from "vitest";

afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});
