/**
 * The tools that an agent has in a turn: those that the lists allow for its person, each call approved if needed and
 * recorded.
 */

import type { Adapter } from "../adapter/adapter.js";
import type { Danger, Tool } from "../agent/agent.js";
import { sessionTools } from "../agent/tools/sessions.js";
import { deliveryIdOf } from "../session/ids.js";
import type { Sessions } from "../session/sessions.js";
import type { Clock } from "../util/clock.js";
import { type Approvals, approver } from "./approvals.js";
import { askingTools } from "./asked-tools.js";
import type { Who } from "./authorize.js";
import { guardedTools } from "./guarded-tools.js";
import type { JobDesk } from "./jobs/desk.js";
import { scheduleTool } from "./jobs/schedule-tool.js";
import type { JobTurn } from "./jobs/turn.js";
import type { Notices } from "./notices.js";
import type { People } from "./people.js";
import { type ToolLists, toolsFor } from "./permissions.js";
import { startsInBackground } from "./processes/background.js";
import type { GatewayProcesses } from "./processes/options.js";
import { processTool } from "./processes/process-tool.js";
import { seenBy } from "./processes/rights.js";
import { sendTool } from "./send-tool.js";
import type { GatewayStore, InboxItem, NewDelivery, Turn } from "./store.js";

export interface TurnToolsSetting {
  readonly sessions: Sessions;
  readonly store: GatewayStore;
  readonly adapters: readonly Adapter[];
  readonly tools: (who: Who) => readonly Tool[] | Promise<readonly Tool[]>;
  readonly toolLists: ToolLists;
  /** Without it, nothing runs in the background. */
  readonly processes?: GatewayProcesses;
  /** Null if there are no scheduled jobs here. */
  readonly jobs: JobDesk | null;
  readonly holder: string;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly notices: Notices;
  readonly people: Pick<People, "access">;
}

interface TurnOfTools {
  readonly who: Who;
  readonly turn: Turn;
  readonly item: InboxItem;
  /** Aborted while a person's message waits that the agent has not read. */
  readonly unread: () => AbortSignal;
  /** Null if a person asked for the turn. */
  readonly job: JobTurn | null;
}

export async function turnTools(
  setting: TurnToolsSetting,
  { who, turn, item, unread, job }: TurnOfTools,
): Promise<readonly Tool[]> {
  const { sessions, store, adapters, holder, clock, approvals, notices } = setting;
  const view = sessions.as(who.viewer);
  const send = sendTool({
    turn,
    view,
    outbox: store.outbox,
    adapters,
    holder,
    clock,
    pieces: async ({ platform }, text) => {
      await notices.cut(platform, text);
      return notices.piecesOf(platform, text);
    },
  });
  const { processes, limits } = setting.processes ?? {};
  const ofProcesses =
    processes && limits
      ? [
          processTool({
            processes,
            limits,
            seen: async () => seenBy(await processes.list({}), who, view, turn.sessionId),
            personWrote: unread,
            clock,
          }),
        ]
      : [];
  const ofJobs = setting.jobs ? [scheduleTool({ desk: setting.jobs, who, item, clock })] : [];
  const ofSessions = sessionTools(view, { timeZone: sessions.timezone, clock });
  const all = [...(await setting.tools(who)), ...ofSessions, send, ...ofProcesses, ...ofJobs];
  const allowed = askingTools(toolsFor(who, all, setting.toolLists), setting.toolLists.ask ?? []);
  const theirs = job ? job.tools(allowed, who) : allowed;
  const here = adapters.find(
    ({ platform, account }) => platform === item.platform && account === item.account,
  );
  const show = async (text: string, number: number): Promise<readonly NewDelivery[]> => {
    const question = await notices.about(item, deliveryIdOf(turn.id, turn.fence, "asked", number), text);
    await store.outbox.add(question, clock());
    return question;
  };
  const about = { key: turn.key, author: who };
  const canAnswer = async (danger: Danger): Promise<boolean> => {
    if (item.source.chatType !== "dm") return true; // Somebody in the group may be allowed to.
    const there = await setting.people.access(item.source);
    return there.allowed && approvals.mayAnswer(there, { author: who, danger });
  };
  const isAsked = here && !here.capabilities.isUnattended && job === null; // A job has nobody who waits for it.
  const approve = approver(approvals, about, isAsked ? { show, canAnswer } : null, store.standing);
  const background =
    processes && !job?.isAlone ? { background: startsInBackground(processes, turn, item) } : {};
  return guardedTools(theirs, turn, store.journal, approve, background);
}
