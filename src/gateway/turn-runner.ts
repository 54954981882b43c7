/** Runs a turn that has begun: it puts together what the agent is given, and where its words go. */
import type { Agent } from "../agent/agent.js";
import type { Allowance } from "./allowance.js";
import { senderOf } from "./authorize.js";
import { burstAfter } from "./burst.js";
import { type BusyModes, momentOf } from "./busy.js";
import type { Common } from "./common.js";
import { editStream } from "./edit-stream.js";
import { messageOf } from "./inbound-text.js";
import { jobTurn } from "./jobs/turn.js";
import type { Lane } from "./lane.js";
import { tellOfLimits } from "./limit-notices.js";
import type { Notices } from "./notices.js";
import { authorIn } from "./requests.js";
import { sessionModel } from "./session-model.js";
import type { Surfaces } from "./surfaces.js";
import { type Begun, type TurnContextSetting, turnContext } from "./turn-context.js";
import { TurnRun } from "./turn-run.js";
import { type TurnToolsSetting, turnTools } from "./turn-tools.js";
import { showTyping } from "./typing.js";

export interface TurnRunnerSetting extends Common, TurnContextSetting {
  readonly agent: Agent;
  /** The model to ask, whatever a session chose. */
  readonly model?: string;
  readonly turnTools: TurnToolsSetting;
  readonly busy: BusyModes;
  readonly maxSends: number;
  /** False if nothing is shown of tools that run for long. */
  readonly progress?: boolean;
  readonly deadlineMs: number;
  readonly allowance: Allowance;
  readonly notices: Notices;
  readonly surfaces: Surfaces;
}

/** The first exchange may have failed, or its message may have been written again. */
const FIRST_MESSAGES = 3;

export class TurnRunner {
  readonly #setting: TurnRunnerSetting;
  #running = 0;

  constructor(setting: TurnRunnerSetting) {
    this.#setting = setting;
  }

  /** How many turns run here. */
  get running(): number {
    return this.#running;
  }

  async run(lane: Lane, begun: Begun): Promise<void> {
    const { store, surfaces } = this.#setting;
    const { turn, item } = begun;
    this.#running += 1;
    try {
      const run = await this.#prepare(begun);
      this.#join(lane, begun, run);
      const { later, turnTools: asking } = this.#setting;
      const isWaiting = () => asking.approvals.isWaiting(turn.key);
      const stopTyping = showTyping(surfaces.of(item), turn.address, later, isWaiting);
      lane.run = run;
      try {
        const outcome = await run.run();
        if (outcome === "released") await store.turns.release(turn);
        if (outcome === "done") {
          await tellOfLimits(this.#setting, begun);
          this.#name(begun);
        }
      } finally {
        stopTyping();
        lane.run = undefined;
        for (const unsteered of run.unsteered) lane.add(unsteered);
      }
    } finally {
      this.#running -= 1;
    }
  }

  /** The messages that belong to the one that it answers are answered with it. */
  #join(lane: Lane, { item, who }: Begun, run: TurnRun): void {
    const burst = burstAfter(lane.queue, item, momentOf(this.#setting.busy));
    lane.take(burst);
    for (const more of burst) run.steer(more, messageOf(more, authorIn(more, who)));
  }

  /** A session has no title yet after its first exchange. */
  #name({ item, turn, entry, who }: Begun): void {
    const { upkeep, allowance } = this.#setting;
    if (!turn.touches || entry.title !== null || entry.messageCount > FIRST_MESSAGES) return;
    upkeep?.titles.name({
      sessionId: turn.sessionId,
      identity: senderOf(item.by ?? item.source) ?? "",
      ...sessionModel(entry),
      beforeCall: () => allowance.modelCall(who, turn.sessionId),
    });
  }

  async #prepare(begun: Begun): Promise<TurnRun> {
    const setting = this.#setting;
    const { item, turn, entry, who } = begun;
    const { store, surfaces, notices } = setting;
    const surface = surfaces.of(item);
    const job = await jobTurn(store.jobRuns, item, setting.agent);
    const { maxMessages = setting.maxMessages } = job ?? {};
    const asks = who.allowed && job ? { ...who, ...job.asks(who) } : who;
    const beforeCall = () => setting.allowance.modelCall(asks, turn.sessionId);
    const asked = setting.model === undefined ? {} : { model: setting.model };
    const model = {
      ...sessionModel(entry),
      ...asked,
      ...(job?.model === undefined ? {} : { model: job.model }),
    };
    const { media } = setting.turnTools;
    const { memory, ...given } = await turnContext({ ...setting, maxMessages }, begun, {
      ...model,
      beforeCall,
    });
    const live = surface?.speaker?.live?.(turn.address, item.made ? null : item.messageId);
    // What a job says is only known to be said when it is complete.
    const stream =
      surface && !live && !job
        ? editStream({
            surface,
            address: turn.address,
            id: `${turn.id}.${turn.fence}.live`,
            isClear: () => store.outbox.isClear(item, turn.address),
            lettersThere: () => surfaces.traffic.to(turn.address),
            // In a group, others may see what the tools of one person work on.
            progress: setting.progress === false ? undefined : { hints: item.source.chatType === "dm" },
            elapsed: setting.elapsed,
            later: setting.later,
          })
        : undefined;
    return new TurnRun(turn, {
      agent: job?.agent ?? setting.agent,
      turns: store.turns,
      journal: store.journal,
      // Somebody who lost access is answered without tools.
      tools: async (unread) =>
        who.allowed
          ? turnTools(setting.turnTools, {
              ...{ who: job?.asks(who) ?? who, turn, item, unread, job, memory },
              watch: live ?? stream,
            })
          : [],
      ...given,
      ...(media ? { filesFolder: media.sessionFiles.folderOf(turn.sessionId) } : {}),
      ...model,
      before: { tokens: entry.totalTokens, cost: entry.cost },
      ...(job ? { isUnsaid: job.isUnsaid } : {}),
      isUnattended: surface?.capabilities.isUnattended ?? false,
      beforeCall,
      afterSummary: () => setting.allowance.usage.check(asks, turn.sessionId),
      live,
      stream,
      cut: (text) => notices.cut(turn.address.platform, text),
      pieces: (text) => notices.piecesOf(turn.address.platform, text),
      maxSends: setting.maxSends,
      replyTo: item.source.chatType === "dm" || item.made ? null : item.messageId,
      onBegun: (deliveryId, beginning) => surfaces.goOnWith(item, deliveryId, beginning),
      account: item.account,
      holder: () => surfaces.senderOf(item), // Asked when it is needed: another process may have the account by then.
      clock: setting.clock,
      elapsed: setting.elapsed,
      leaseMs: setting.leaseMs,
      deadlineMs: job?.deadlineMs ?? setting.deadlineMs,
      onProblem: setting.onProblem,
    });
  }
}
