/**
 * The account through which jobs run. One process has it at a time, by a lease, as with every account: that process is the
 * scheduler, and goes on with the runs that another one left. Nobody reads what is said there: the result of a run is
 * delivered when its turn is over.
 */
import type { Adapter } from "../../adapter/adapter.js";
import { ended } from "../../adapter/ended.js";
import type { LiveReply } from "../../adapter/live-reply.js";
import { JOBS } from "../../schedule/job-source.js";
import type { Account } from "../store.js";

export const SCHEDULER: Account = { platform: JOBS, account: "scheduler" };

const UNSEEN: LiveReply = {
  text: () => {},
  reasoning: () => {},
  toolCall: () => {},
  toolResult: () => {},
  end: () => {},
};

export function jobAdapter(): Adapter {
  return {
    ...SCHEDULER,
    capabilities: {
      maxText: Number.MAX_SAFE_INTEGER,
      unit: "utf16",
      edit: false,
      threads: false,
      isUnattended: true,
    },
    async serve(line) {
      line.up({
        send: async () => ({ messageId: "unread" }),
        live: () => UNSEEN,
      });
      await ended(line.end);
    },
  };
}
