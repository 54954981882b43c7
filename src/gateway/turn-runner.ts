/** Runs a turn that has begun: it puts together what the agent is given, and where its words go. */
import type { Agent } from "../agent/agent.js";
import {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type ContextConfig,
} from "../session/context.js";
import type { SessionEntry } from "../session/session.js";
import { isShared, type SessionScopes } from "../session/session-key.js";
import type { Message } from "../session/transcript.js";
import type { Allowance } from "./allowance.js";
import type { Access } from "./authorize.js";
import type { Common } from "./common.js";
import { editStream } from "./edit-stream.js";
import type { Homes } from "./homes.js";
import { earlierResults } from "./jobs/earlier-results.js";
import { jobTurn } from "./jobs/turn.js";
import type { Lane } from "./lane.js";
import { turnMemory } from "./memory/turn-memory.js";
import type { Notices } from "./notices.js";
import { resetNote } from "./reset-words.js";
import { sessionModel } from "./session-model.js";
import type { InboxItem, Turn } from "./store.js";
import type { Surfaces } from "./surfaces.js";
import { TurnRun } from "./turn-run.js";
import { type TurnToolsSetting, turnTools } from "./turn-tools.js";
import { showTyping } from "./typing.js";

export interface TurnRunnerSetting extends Common {
  readonly agent: Agent;
  readonly turnTools: TurnToolsSetting;
  readonly context: Omit<ContextConfig, "shared">;
  readonly scopes: SessionScopes;
  readonly maxMessages: number;
  readonly maxSends: number;
  readonly deadlineMs: number;
  readonly homes: Homes;
  readonly allowance: Allowance;
  readonly notices: Notices;
  readonly surfaces: Surfaces;
}

/** A turn that has begun: the message that it answers, its session, and its author. */
export interface Begun {
  readonly item: InboxItem;
  readonly turn: Turn;
  readonly entry: SessionEntry;
  readonly who: Access;
}

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
      const stopTyping = showTyping(surfaces.of(item), turn.address);
      lane.run = run;
      try {
        if ((await run.run()) === "released") await store.turns.release(turn);
      } finally {
        stopTyping();
        lane.run = undefined;
        for (const unsteered of run.unsteered) lane.add(unsteered);
      }
    } finally {
      this.#running -= 1;
    }
  }

  async #prepare({ item, turn, entry, who }: Begun): Promise<TurnRun> {
    const setting = this.#setting;
    const { sessions, store, surfaces, notices, homes } = setting;
    const surface = surfaces.of(item);
    const job = await jobTurn(store.jobRuns, item, setting.agent);
    const { maxMessages = setting.maxMessages } = job ?? {};
    const earlier = await earlierResults(store.jobRuns, turn, entry);
    const history = [...earlier, ...(await sessions.history(turn.sessionId, { maxMessages }))];
    const shared = isShared(item.source, setting.scopes) || hasOthers(history, who);
    const homeChannels = await homes.all();
    const schedules = setting.turnTools.jobs !== null;
    const place = { ...setting.context, homeChannels, shared, schedules };
    const context = buildSessionContext(item.source, place, entry);
    const { reader: memory, labels } = await turnMemory(
      setting.turnTools.memory,
      buildSessionLabels(context),
      { who, source: item.source, entry, scopes: setting.scopes, shared },
    );
    return new TurnRun(turn, {
      agent: job?.agent ?? setting.agent,
      turns: store.turns,
      journal: store.journal,
      // Somebody who lost access is answered without tools.
      tools: async (unread) =>
        who.allowed
          ? turnTools(setting.turnTools, { who: job?.asks(who) ?? who, turn, item, unread, job, memory })
          : [],
      prompt: [buildSessionContextPrompt(context, { labels: false }), ...resetNote(entry)].join("\n\n"),
      labels,
      history,
      ...sessionModel(entry),
      ...(job?.model === undefined ? {} : { model: job.model }),
      ...(job ? { isUnsaid: job.isUnsaid } : {}),
      beforeCall: async () => (who.allowed ? setting.allowance.modelCall(who) : undefined),
      shared,
      live: surface?.speaker?.live?.(turn.address, item.made ? null : item.messageId),
      // What a job says is only known to be said when it is complete.
      stream:
        surface && !job
          ? editStream({
              surface,
              address: turn.address,
              id: `${turn.id}.${turn.fence}.live`,
              isClear: () => store.outbox.isClear(item, turn.address),
            })
          : undefined,
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

/** True if somebody with other rights spoke in it before: the conversation moved here from elsewhere. */
function hasOthers(history: readonly Message[], who: Access): boolean {
  const role = who.allowed ? who.role : undefined;
  return history.some((message) => message.role === "user" && message.author && message.author.role !== role);
}
