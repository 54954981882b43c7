/** Takes an open handoff, for a process that carries it out. */
import { checkText } from "./checks.js";
import { InputError } from "./errors.js";
import { type Handoff, type HandoffStep, stepHandoff } from "./handoff.js";
import type { HandoffStore } from "./store.js";

/** The oldest one that can be taken, with a lease and a fence; null if there is none. */
export async function claimOldest(
  handoffs: Pick<HandoffStore, "open" | "step">,
  claim: { readonly holder: string; readonly leaseMs?: number },
  now: number,
): Promise<Handoff | null> {
  const { leaseMs = 30_000 } = claim;
  if (!Number.isSafeInteger(leaseMs) || leaseMs <= 0) {
    throw new InputError("invalid_handoff", "leaseMs must be a whole number of milliseconds above 0.");
  }
  const holder = checkText(claim.holder, "holder");
  for (const seen of await handoffs.open(now)) {
    const step: HandoffStep = { kind: "claim", fence: seen.fence, holder, leaseMs };
    if (!stepHandoff(seen, step, now).ok) continue;
    const outcome = await handoffs.step(seen.id, step, now);
    if (outcome?.ok && outcome.handoff.state === "running") return outcome.handoff;
  }
  return null;
}
