/**
 * A wait that is over when its time has passed and every key that was pressed until then has been read: a process that
 * was busy finds that the time is over before it reads what was typed meanwhile.
 */
import { type Later, later } from "../../util/later.js";

export const laterThanKeys: Later = (call, ms) => {
  let isCancelled = false;
  const cancel = later(() => setImmediate(() => isCancelled || call()), ms); // It runs once the loop has looked for input.
  return () => {
    isCancelled = true;
    cancel();
  };
};
