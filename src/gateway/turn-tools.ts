/**
 * The tools that an agent has in a turn: those that the lists allow for its person, each call approved if needed and
 * recorded.
 */

import type { LiveQuestion, ToolWatch } from "../adapter/live-reply.js";
import type { Danger, Tool } from "../agent/agent.js";
import { type DeliveryId, deliveryIdOf } from "../session/ids.js";
import { addressOf } from "../session/source.js";
import { seenText } from "../util/seen-text.js";
import { type ApprovalQuestion, type Approvals, answersTo, approver } from "./approvals.js";
import { askingTools } from "./asked-tools.js";
import type { Who } from "./authorize.js";
import { removeButtons, withButtons } from "./buttons.js";
import { type GatewayToolsSetting, gatewayTools, type TurnOfGatewayTools } from "./gateway-tools.js";
import { guardedTools } from "./guarded-tools.js";
import type { JobTurn } from "./jobs/turn.js";
import type { People } from "./people.js";
import { type ToolLists, toolsFor } from "./permissions.js";
import { startsInBackground } from "./processes/background.js";
import type { NewDelivery } from "./store.js";
import type { Surfaces } from "./surfaces.js";
import { otherChats, waitsElsewhere } from "./terminals/open-terminals.js";

export interface TurnToolsSetting extends GatewayToolsSetting {
  readonly tools: (who: Who) => readonly Tool[] | Promise<readonly Tool[]>;
  readonly toolLists: ToolLists;
  readonly approvals: Approvals;
  readonly people: Pick<People, "access">;
  readonly surfaces: Pick<Surfaces, "of">;
}

interface TurnOfTools extends Omit<TurnOfGatewayTools, "tool"> {
  /** Null if a person asked for the turn. */
  readonly job: JobTurn | null;
  /** Learns which calls run, and what they print. */
  readonly watch?: ToolWatch | undefined;
}

export async function turnTools(
  setting: TurnToolsSetting,
  { who, turn, item, unread, job, memory, watch }: TurnOfTools,
): Promise<readonly Tool[]> {
  const { store, adapters, holder, clock, approvals, notices } = setting;
  const { processes } = setting.processes ?? {};
  const tool = (name: string): Tool | undefined => theirs.find((each) => each.name === name);
  const own = gatewayTools(setting, { who, turn, item, unread, memory, tool });
  const all = [...(await setting.tools(who)), ...own];
  const allowed = askingTools(toolsFor(who, all, setting.toolLists), setting.toolLists.ask ?? []);
  const theirs = job ? job.tools(allowed, who) : allowed;
  const here = adapters.find(
    ({ platform, account }) => platform === item.platform && account === item.account,
  );
  const isGroup = item.source.chatType !== "dm";
  const { keys: isByKey = false, isUnattended: isPassing = false } = here?.capabilities ?? {};
  const live = new Map<ApprovalQuestion, LiveQuestion>();
  const show = async (text: string, question: ApprovalQuestion): Promise<readonly NewDelivery[]> => {
    const id = deliveryIdOf(turn.id, turn.fence, "asked", question.token);
    const answers = answersTo(question, { isPassing });
    const shown = withButtons(await notices.about(item, id, text), answers, here?.capabilities);
    const deliveryId = shown.at(-1)?.deliveryId ?? id;
    const asked: LiveQuestion = {
      deliveryId,
      number: question.number,
      what: seenText(question.danger.what).text,
      answers: Object.fromEntries(answers.map(({ word, command }) => [word, command])),
    };
    live.set(question, asked);
    watch?.asked?.(asked); // A surface that shows the letter knows what it is.
    await store.outbox.add([...shown, ...(isByKey ? await toldElsewhere(id, asked.what) : [])], clock());
    return shown;
  };
  const toldElsewhere = async (asked: DeliveryId, what: string): Promise<readonly NewDelivery[]> => {
    const others = otherChats(await store.terminals.all(clock()), { key: turn.key, holder, now: clock() });
    const question = { deliveryId: asked, account: item.account, address: addressOf(item.source) };
    return others.map((each) => waitsElsewhere(question, what, each));
  };
  const close = (question: ApprovalQuestion, why: string): void => {
    const asked = live.get(question);
    if (asked) watch?.answered?.(asked, why);
    live.delete(question);
    removeButtons(question.shown, why, setting.surfaces.of(item), store.outbox).catch(() => {}); // A press says that it is over.
  };
  const about = { key: turn.key, author: who };
  const canAnswer = async (danger: Danger): Promise<boolean> => {
    if (isGroup) return true; // Somebody in the group may be allowed to.
    const there = await setting.people.access(item.source);
    return there.allowed && approvals.mayAnswer(there, { author: who, danger });
  };
  const isAsked = here && (isByKey || !isPassing) && job === null; // A job has nobody who waits for it.
  const asking = { account: item, isGroup, isByKey, isPassing, show, close, canAnswer };
  const approve = approver(approvals, about, isAsked ? asking : null, store.standing);
  const { sessionFiles } = setting.media ?? {};
  const given = {
    ...(processes && !job?.isAlone ? { background: startsInBackground(processes, turn, item) } : {}),
    ...(sessionFiles
      ? { files: sessionFiles.given(turn.sessionId, () => store.files.inSession(turn.sessionId, turn.key)) }
      : {}),
  };
  return guardedTools(theirs, turn, store.journal, approve, given, watch);
}
