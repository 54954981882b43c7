/** Runs a turn that has begun: it puts together what the agent is given, and where its words go. */
import type { Agent } from "../agent/agent.js";
import { identityOf } from "../session/access.js";
import {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type ContextConfig,
} from "../session/context.js";
import { deliveryIdOf } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import { isShared, type SessionScopes } from "../session/session-key.js";
import type { Message } from "../session/transcript.js";
import type { Allowance } from "./allowance.js";
import type { Access } from "./authorize.js";
import type { Common } from "./common.js";
import { editStream } from "./edit-stream.js";
import type { Homes } from "./homes.js";
import { jobTurn } from "./jobs/turn.js";
import type { Lane } from "./lane.js";
import type { Upkeep } from "./memory/upkeep.js";
import type { Notices } from "./notices.js";
import { resetNote } from "./reset-words.js";
import { sessionModel } from "./session-model.js";
import type { InboxItem, Turn } from "./store.js";
import type { Surfaces } from "./surfaces.js";
import { turnHistory } from "./turn-history.js";
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
  /** Null if nothing is summed up here. */
  readonly upkeep: Upkeep | null;
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
        const outcome = await run.run();
        if (outcome === "released") await store.turns.release(turn);
        if (outcome === "done") await this.#tellOfLimits(begun);
      } finally {
        stopTyping();
        lane.run = undefined;
        for (const unsteered of run.unsteered) lane.add(unsteered);
      }
    } finally {
      this.#running -= 1;
    }
  }

  /** After an answer, the person reads once that a limit is near. Who reads no chat now hears of it after the next answer. */
  async #tellOfLimits({ item, turn, who }: Begun): Promise<void> {
    const { allowance, store, notices, clock, onProblem } = this.#setting;
    if (!who.allowed || item.inBackground) return;
    try {
      for (const { notice, text } of await allowance.usage.notices(who, turn.sessionId)) {
        const id = deliveryIdOf(turn.id, "limit", notice.limit);
        await store.usage.tell(notice, await notices.about(item, id, text), clock());
      }
    } catch (cause) {
      onProblem("A notice about a limit could not be saved; it comes after the next answer.", { cause });
    }
  }

  async #prepare({ item, turn, entry, who }: Begun): Promise<TurnRun> {
    const setting = this.#setting;
    const { store, surfaces, notices, homes } = setting;
    const surface = surfaces.of(item);
    const job = await jobTurn(store.jobRuns, item, setting.agent);
    const { maxMessages = setting.maxMessages } = job ?? {};
    const asks = who.allowed && job ? { ...who, ...job.asks(who) } : who;
    const beforeCall = () => setting.allowance.modelCall(asks, turn.sessionId);
    const model = { ...sessionModel(entry), ...(job?.model === undefined ? {} : { model: job.model }) };
    const given = await turnHistory(
      { ...setting, maxMessages },
      { turn, entry },
      { ...model, identity: identityOf(item.by ?? item.source) ?? "", beforeCall },
    );
    const { messages: history, fitter } = given;
    const shared = isShared(item.source, setting.scopes) || hasOthers(history, who);
    const homeChannels = await homes.all();
    const schedules = setting.turnTools.jobs !== null;
    const place = { ...setting.context, homeChannels, shared, schedules };
    const context = buildSessionContext(item.source, place, entry);
    return new TurnRun(turn, {
      agent: job?.agent ?? setting.agent,
      turns: store.turns,
      journal: store.journal,
      // Somebody who lost access is answered without tools.
      tools: async (unread) =>
        who.allowed
          ? turnTools(setting.turnTools, { who: job?.asks(who) ?? who, turn, item, unread, job })
          : [],
      prompt: [buildSessionContextPrompt(context, { labels: false }), ...resetNote(entry)].join("\n\n"),
      labels: buildSessionLabels(context),
      history,
      fitter,
      ...model,
      ...(job ? { isUnsaid: job.isUnsaid } : {}),
      beforeCall,
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
