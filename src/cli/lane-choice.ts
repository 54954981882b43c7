/**
 * Which lane a terminal opens. A plain `baton` begins in the lane `cli`. A script that names no session has a lane of its
 * own for as long as it runs. Nobody changes the session of a lane in which another terminal is open.
 */
import { terminalLane } from "../adapter/terminal/terminal-source.js";
import type { TerminalDesk } from "../gateway/terminals/terminal-desk.js";
import { OWNER } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import { LOCAL } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionKey } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import { localSource, type SessionSource } from "../session/source.js";

export type LaneWish =
  /** The conversation of the terminal. */
  | { readonly kind: "usual" }
  | { readonly kind: "new" }
  /** By an id, the beginning of one, a title or a part of one. */
  | { readonly kind: "session"; readonly which: string };

export interface LaneChoice {
  readonly source: SessionSource;
  /** What is to be done there before anything is said. */
  readonly first:
    | { readonly kind: "nothing" }
    | { readonly kind: "begin" }
    | { readonly kind: "bring"; readonly entry: SessionEntry };
  /** The session that was named: what is said is for that one, whatever the lane has by then. */
  readonly session: SessionId | null;
  /** True if the lane goes when its script ends. */
  readonly isOwn: boolean;
  /** The lane to which a script gives the session back. */
  readonly backTo: SessionKey | null;
}

/** The session that was named. */
interface NamedSession {
  readonly entry: SessionEntry;
  /** The lanes where those meet who open it have another session by now: a terminal there went elsewhere. */
  readonly isMeetingTaken: boolean;
  /** The lane that has it: none, that of a terminal or a chat, or one of scripts, which give it back to another. */
  readonly lane:
    | { readonly kind: "none" | "terminal" | "chat" }
    | { readonly kind: "scripts"; readonly backTo: SessionKey | null };
}

export interface LaneFacts {
  readonly isScript: boolean;
  /** Other terminals are in the lane `cli`. */
  readonly isShared: boolean;
  readonly named: NamedSession | null;
}

export function laneFor(wish: LaneWish, { isScript, isShared, named }: LaneFacts): LaneChoice {
  const usual = localSource();
  const session = named?.entry.sessionId ?? null;
  const meeting = named?.isMeetingTaken ? null : session;
  const apart = isScript ? terminalLane("script", meeting) : isShared ? terminalLane("cli", meeting) : usual;
  const nothing = { first: { kind: "nothing" }, session, isOwn: false, backTo: null } as const;
  if (named) {
    const { entry, lane } = named;
    if (lane.kind === "terminal" || (lane.kind === "scripts" && !isScript))
      return { ...nothing, source: entry.origin };
    const backTo =
      lane.kind === "scripts" ? lane.backTo : isScript && lane.kind === "chat" ? entry.key : null;
    // Also from a lane of scripts: the last of them may be about to close it.
    return { source: apart, session, first: { kind: "bring", entry }, isOwn: isScript, backTo };
  }
  if (wish.kind === "usual") return { source: usual, ...nothing };
  const isEmpty = apart !== usual;
  return { ...nothing, source: apart, first: { kind: isEmpty ? "nothing" : "begin" }, isOwn: isScript };
}

export async function chooseLane(
  wish: LaneWish,
  isScript: boolean,
  opened: {
    readonly sessions: Pick<Sessions, "find" | "current" | "laneOf">;
    readonly terminals: Pick<TerminalDesk, "others" | "backTo">;
  },
): Promise<LaneChoice> {
  const { sessions, terminals } = opened;
  const isShared = (await terminals.others(sessions.laneOf(localSource()).key)) > 0;
  if (wish.kind !== "session") return laneFor(wish, { isScript, isShared, named: null });
  const { entry, lane } = await find(wish.which, opened);
  const there = await sessions.current(
    sessions.laneOf(terminalLane(isScript ? "script" : "cli", entry.sessionId)).key,
  );
  const isMeetingTaken = there !== null && there.sessionId !== entry.sessionId;
  return laneFor(wish, { isScript, isShared, named: { entry, isMeetingTaken, lane } });
}

/** As they are together: a script may give the session back between two reads. */
async function find(
  which: string,
  opened: Parameters<typeof chooseLane>[2],
): Promise<Pick<NamedSession, "entry" | "lane">> {
  let entry = await opened.sessions.find(which, OWNER);
  for (;;) {
    const lane = await laneOf(entry, opened);
    const now = await opened.sessions.find(which, OWNER);
    if (now.key === entry.key) return { entry: now, lane };
    entry = now;
  }
}

async function laneOf(
  { key, sessionId, platform }: SessionEntry,
  { sessions, terminals }: Parameters<typeof chooseLane>[2],
): Promise<NamedSession["lane"]> {
  if ((await sessions.current(key))?.sessionId !== sessionId) return { kind: "none" };
  if (platform !== LOCAL) return { kind: "chat" };
  if (key !== sessions.laneOf(terminalLane("script", sessionId)).key) return { kind: "terminal" };
  return { kind: "scripts", backTo: await terminals.backTo(key) };
}
