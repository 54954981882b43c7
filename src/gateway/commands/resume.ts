/**
 * `/sessions` lists sessions, and `/resume` goes back to one. A session of somebody else looks as if it did not exist.
 */

import { NotFoundError, sessionNotFound } from "../../session/errors.js";
import type { Handoff } from "../../session/handoff.js";
import { deliveryIdOf } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { cleanLine } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import { nameOf, quoted } from "../describe.js";
import { mayMove } from "../handoff/desk.js";
import { movedAwayText, notYoursText } from "../handoff/words.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command, CommandCall } from "./commands.js";
import { sessionWords } from "./session-words.js";
import { foundHere, lastSaid, type ShownSessions } from "./shown-sessions.js";

export function sessions(shown: ShownSessions, { clock }: AgentInfo): Command {
  return {
    name: "sessions",
    usage: "",
    description: "list your sessions, the latest first",
    details: "In a group these are the sessions of that group.",
    run: (call) => shown.list(call, clock()),
  };
}

export function resume(shown: ShownSessions, { clock }: AgentInfo): Command {
  return {
    name: "resume",
    changesSession: true,
    usage: "[which]",
    description: "go back to an earlier session",
    details:
      "Give a number from the last list, a title or a part of one, or the beginning of an id. With no arguments, `/resume` lists your " +
      "sessions and branches; right after a handoff it brings the conversation back, and right after an automatic reset " +
      "it goes back to the session before.",
    completes: (call) => sessionWords(call, clock()),
    async run(call) {
      const offers = call.item.source.platform === LOCAL ? await call.gateway.handoffs.offers() : [];
      const target = call.words === "" ? null : await chosen(call, shown);
      const offer = target ? offers.find(({ sessionId }) => sessionId === target.sessionId) : offers[0];
      if (offer) return takeOffer(offer, call, clock());
      if (target) return goTo(target, call, clock());
      const away = await handedOff(call);
      const isMine = away !== null && mayMove(call.who, away);
      if (isMine) return goTo(away, call, clock());
      const before = await beforeReset(call);
      if (!before) {
        const list = await shown.list(call, clock());
        return away === null ? list : `${notYoursText()}\n\n${list}`;
      }
      const back = await goTo(before.session, call, clock());
      return before.isFollowed
        ? `${back} The session that had started meanwhile is saved: see /sessions.`
        : back;
    },
  };
}

async function goTo(target: SessionEntry, call: CommandCall, now: number): Promise<string> {
  const { item, gateway, view, who } = call;
  const current = await call.sessions.current(item.key);
  const isHere = current?.sessionId === target.sessionId;
  if (isHere && target.endedAt === null) return `You are already in ${nameOf(target)}.`;
  const opened = isHere ? null : await gateway.beside({ kind: "session", entry: target });
  if (opened !== null) return opened;
  const isElsewhere = !isHere && (await call.sessions.current(target.key))?.sessionId === target.sessionId;
  const mine = mayMove(who, target);
  // Its running answer and waiting messages come along, so they are touched too.
  await gateway.change(item.key, who, () =>
    gateway.touch(target.key, who, ({ handoffs }) =>
      handoffs.bring(target.sessionId, item, gateway.holder, mine ? undefined : view),
    ),
  );
  if (isElsewhere && target.origin.platform !== LOCAL)
    // A terminal sees it by itself.
    await gateway.tell(
      target.origin,
      deliveryIdOf("inbox", item.id, "left"),
      movedAwayText(target, item.source),
    );
  return backIn(target, call, now);
}

async function backIn(target: SessionEntry, call: CommandCall, now: number): Promise<string> {
  const said = await lastSaid(call.sessions, target.sessionId);
  const past = `${counted(target.messageCount, "message")}, the last ${relativeTime(target.updatedAt, now)}`;
  return [
    `Back in ${nameOf(target)}: ${target.messageCount === 0 ? "no messages yet" : past}.`,
    ...(said === null ? [] : [`Last message: ${quoted(said)}.`]),
  ].join(" ");
}

/** Takes a session that a chat has offered to the terminal. */
async function takeOffer(offer: Handoff, call: CommandCall, now: number): Promise<string> {
  const { item, gateway, sessions, who } = call;
  const before = await sessions.get(offer.sessionId);
  const opened = before && (await gateway.beside({ kind: "session", entry: before }));
  if (opened) return opened;
  const taken = await gateway.change(item.key, who, ({ handoffs }) =>
    handoffs.take(offer, item.source, gateway.holder),
  );
  return backIn(before ?? taken, call, now);
}

/** The session that was handed off from here and is elsewhere, unless somebody started another one here on purpose. */
async function handedOff({ item, gateway, sessions }: CommandCall): Promise<SessionEntry | null> {
  const last = await gateway.handedOff(item.key);
  const entry = last && (await sessions.get(last.sessionId));
  if (!entry || entry.endedAt !== null || entry.key === item.key) return null;
  const current = await sessions.current(item.key);
  const isBegunSince = current !== null && current.createdAt >= (last.finishedAt ?? 0);
  return current === null || (isBegunSince && current.parentId === null) ? entry : null;
}

/** A number from the last list, else anything that names one session. */
function chosen(call: CommandCall, shown: ShownSessions): Promise<SessionEntry> {
  const which = cleanLine(call.words);
  return foundHere(which, named(which, call, shown));
}

async function named(which: string, call: CommandCall, shown: ShownSessions): Promise<SessionEntry> {
  const number = /^[1-9]\d{0,2}$/.test(which);
  const listed = number ? await shown.at(Number(which), call) : undefined;
  if (listed !== undefined) return call.view.get(listed);
  const found = await call.view.find(which);
  if (number && found.title !== which) throw sessionNotFound(which); // It is not the beginning of an id.
  return found;
}

/** The session that a policy ended here, unless somebody has been back in it since; and whether another one has begun. */
async function beforeReset({
  item,
  sessions,
  view,
}: CommandCall): Promise<{ readonly session: SessionEntry; readonly isFollowed: boolean } | null> {
  const current = await sessions.current(item.key);
  if (current?.endedAt) return { session: await view.get(current.sessionId), isFollowed: false };
  if (!current?.resetReason || current.parentId === null) return null;
  try {
    const before = await view.get(current.parentId);
    return before.endReason === current.resetReason ? { session: before, isFollowed: true } : null;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
