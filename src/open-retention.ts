/** Rules, a store and a gateway → what removes ended sessions once a day. */
import type { Gateway } from "./gateway/gateway.js";
import { Media } from "./gateway/media.js";
import { RetentionKeeper } from "./gateway/retention-keeper.js";
import type { GatewayStore } from "./gateway/store.js";
import {
  Retention,
  type RetentionAmount,
  type RetentionRules,
  type SessionArchive,
} from "./session/retention.js";
import type { Sessions } from "./session/sessions.js";
import type { SessionStore } from "./session/store.js";
import type { Clock } from "./util/clock.js";
import type { OnProblem } from "./util/problem.js";

export interface GatewayRetention {
  readonly rules: RetentionRules;
  /** Where sessions go before they are removed; null to remove them without an archive. */
  readonly archive: ((sessions: Sessions) => SessionArchive) | null;
  /** Told what was removed, if anything was. */
  readonly onDone?: (removed: RetentionAmount) => void;
}

interface RetentionParts {
  readonly store: SessionStore & GatewayStore;
  readonly sessions: Sessions;
  readonly gateway: Pick<Gateway, "holder">;
  readonly clock: Clock;
  /** The folder for files that come with messages. */
  readonly mediaFolder?: string;
  readonly onProblem?: OnProblem;
}

/** It begins a while after the start, until it is stopped. */
export function keepRetention(
  { rules, archive, onDone = () => {} }: GatewayRetention,
  { store, sessions, gateway, clock, mediaFolder, onProblem }: RetentionParts,
): RetentionKeeper {
  const keeper = new RetentionKeeper({
    accounts: store.accounts,
    holder: gateway.holder,
    clock,
    apply: async (rest, signal) => {
      const work = { archive: archive?.(sessions) ?? null, onRemoved: rest, signal };
      const removed = await new Retention(store, clock).apply(rules, work);
      if (removed.sessions > 0 && mediaFolder !== undefined)
        await new Media(mediaFolder, store.files, clock).sweep();
      return removed;
    },
    onDone,
    onProblem: onProblem ?? ((problem) => process.emitWarning(problem)),
  });
  keeper.start();
  return keeper;
}
