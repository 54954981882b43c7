/** One run of a cell: a conversation that is handed off and struck once or twice on the way, and what came of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { checkOutcome, type Outcome } from "./check.js";
import { expectedOutcomes } from "./expected.js";
import { FAULTS, type Fault, STEPS, type Step } from "./faults.js";
import { Stage, type Variant } from "./stage.js";

export interface Run {
  readonly step: Step;
  readonly fault: Fault;
  readonly variant: Variant;
}

const LONGEST_MS = 60_000;

export async function perform(path: string, { step, fault, variant }: Run): Promise<Outcome> {
  const stage = new Stage(path, variant);
  try {
    const before = await stage.begin();
    let strikes = 0;
    stage.onReached = (reached) => {
      if (reached.step === "handoffs.request") setTimeout(() => stage.release(), stage.random() * 20);
      if (strikes >= variant.strikes || reached.side !== variant.side || !STEPS[step](reached)) return;
      strikes += 1;
      FAULTS[fault](stage);
    };
    await stage.ask();
    const deadline = Date.now() + LONGEST_MS;
    while (strikes === 0) {
      await sleep(3);
      if (Date.now() > deadline)
        throw new Error(`The step was never reached: ${JSON.stringify(stage.witness.open())}`);
    }
    stage.release();
    await stage.settled();
    stage.sayLastWords(fault !== "target removed");
    await stage.settled();
    const outcome = await checkOutcome(stage, before);
    if (!expectedOutcomes({ step, fault, variant }).includes(outcome))
      throw new Error(`It is ${outcome}: ${stage.witness.handoffs()[0]?.error}`);
    return outcome;
  } catch (error) {
    const seen = [...stage.here.messages.values()].map(({ text }) => text);
    const told = [`${step} × ${fault}: ${(error as Error).message}`, JSON.stringify(variant)];
    throw new Error([...told, ...stage.problems, ...seen].join("\n"), { cause: error });
  } finally {
    await stage.close();
  }
}
