/** Timing: ours and the bare driver take turns within a round, so that whatever else the machine does hits both. */
import { setImmediate as nextTick } from "node:timers/promises";

export type Step = () => unknown;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * Runs every step `times` a round, in turn, and returns for each the median over rounds of its median in milliseconds.
 * The first round warms up and does not count. What a step leaves to be done behind it runs between the timings, and so does
 * the function that it may return.
 */
export async function interleave(steps: readonly Step[], rounds: number, times: number): Promise<number[]> {
  const medians = steps.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    const samples = steps.map((): number[] => []);
    for (let time = 0; time < times; time++) {
      for (let place = 0; place < steps.length; place++) {
        const which = (place + time) % steps.length;
        const step = steps[which] as Step;
        const began = performance.now();
        const after = await step();
        samples[which]?.push(performance.now() - began);
        await nextTick();
        if (typeof after === "function") await after();
      }
    }
    if (round === 0) continue;
    for (const [which, sample] of samples.entries()) medians[which]?.push(median(sample));
  }
  return medians.map(median);
}
