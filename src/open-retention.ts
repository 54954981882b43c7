/** Rules, a store and a gateway → what removes ended sessions once a day. */
import type { Gateway } from "./gateway/gateway.js";
import { Media } from "./gateway/media.js";
import { RetentionKeeper } from "./gateway/retention-keeper.js";
import type { GatewayStore } from "./gateway/store.js";
import { type ToldWorkSetting, toldWork, whileTold } from "./gateway/told-work.js";
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
import { counted } from "./util/words.js";

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

/** Others see how far it is. */
export async function applyTold(
  retention: Retention,
  rules: RetentionRules,
  work: Parameters<Retention["apply"]>[1],
  setting: ToldWorkSetting,
): Promise<RetentionAmount> {
  const { sessions: total } = await retention.plan(rules);
  if (total === 0) return retention.apply(rules, work);
  const begun = { what: "Removing ended sessions", unit: "sessions", total };
  return whileTold(
    toldWork(setting, begun),
    (told) =>
      retention.apply(rules, {
        ...work,
        onRemoved: (removed) => {
          told.tell(removed.sessions);
          return work.onRemoved?.(removed);
        },
      }),
    ({ sessions }) => `${counted(sessions, "session")} removed`,
  );
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
      const removed = await applyTold(new Retention(store, clock), rules, work, {
        ...{ work: store.work, holder: gateway.holder, clock },
      });
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
