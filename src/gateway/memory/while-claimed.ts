/**
 * Works on the memory of one session while this process has it by a claim, and renews the lease meanwhile. The work ends
 * the claim: it records what it found, fails, or releases it. If it throws, the claim is released.
 */
import type { ConsolidationClaim, Consolidations } from "../../memory/consolidations.js";
import type { SessionId } from "../../session/ids.js";
import type { Clock } from "../../util/clock.js";
import { timerMs } from "../../util/timer-ms.js";

export interface ClaimSetting {
  readonly consolidations: Consolidations;
  readonly holder: string;
  readonly clock: Clock;
}

const LEASE_MS = 60_000;

/** Null if another process has the session. */
export async function whileClaimed<Result>(
  { consolidations, holder, clock }: ClaimSetting,
  sessionId: SessionId,
  work: (claim: ConsolidationClaim) => Promise<Result>,
): Promise<Result | null> {
  const claim = await consolidations.claim(sessionId, { holder, leaseMs: LEASE_MS }, clock());
  if (!claim) return null;
  const beat = setInterval(
    () => consolidations.renew(claim, LEASE_MS, clock()).catch(() => {}), // What comes of a lost claim is not recorded.
    timerMs(LEASE_MS / 3),
  );
  try {
    return await work(claim);
  } catch (error) {
    await consolidations.release(claim);
    throw error;
  } finally {
    clearInterval(beat);
  }
}
