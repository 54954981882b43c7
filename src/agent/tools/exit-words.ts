/** How a command ended, in words, if a shell tells it: a signal is 128 plus its number. */
import { constants } from "node:os";

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

export function howShellsTell(code: number): string {
  const signal = SIGNALS.get(code - 128);
  return signal === undefined ? `Exit code ${code}.` : `Killed by ${signal}.`;
}
