/** What a check-up found last. It may start programs and ask other machines: so it is done seldom, and nobody waits long for it. */
import type { Clock } from "../../../util/clock.js";
import type { Finding } from "../../../util/finding.js";
import type { OnProblem } from "../../../util/problem.js";
import { withinTime } from "../../../util/within-time.js";

const VALID_MS = 10 * 60_000;
const PATIENCE_MS = 2_000;

export interface RememberedSetting {
  readonly findings: () => Promise<readonly Finding[]>;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
  readonly patienceMs?: number;
}

/** Each call gives what is known; nothing before the first check-up is done. */
export function rememberedFindings(setting: RememberedSetting): () => Promise<readonly Finding[]> {
  const { findings, clock, onProblem, patienceMs = PATIENCE_MS } = setting;
  let known: readonly Finding[] = [];
  let lookedAt: number | null = null;
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    lookedAt = clock();
    try {
      known = await findings();
    } catch (cause) {
      onProblem("The page could not check the setup. Run `baton doctor` to check it.", { cause });
    } finally {
      looking = null;
    }
  };
  return async () => {
    if (!looking && (lookedAt === null || Math.abs(clock() - lookedAt) >= VALID_MS)) looking = look();
    if (looking) await withinTime(looking, patienceMs);
    return known;
  };
}
