/** Something that is done after a while. Passed in where that matters, so that tests let time pass. */
import { timerMs } from "./timer-ms.js";

/** Calls it after a while; the returned function cancels that. */
export type Later = (call: () => void, ms: number) => () => void;

/** By the timers of Node.js. It keeps no process alive. */
export const later: Later = (call, ms) => {
  const timer = setTimeout(call, timerMs(ms)).unref();
  return () => clearTimeout(timer);
};
