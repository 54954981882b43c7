/**
 * Which lane a terminal opens. A plain `baton` begins in the lane `cli`. A script that names no session has a lane of its
 * own for as long as it runs. Nobody changes the session of a lane in which another terminal is open.
 */
import { newTerminal } from "../adapter/terminal/terminal-source.js";
import type { TerminalDesk } from "../gateway/terminals/terminal-desk.js";
import { OWNER } from "../session/access.js";
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
  /** True if the lane goes when its script ends. */
  readonly isOwn: boolean;
  /** The lane to which a script gives the session back. */
  readonly backTo: SessionKey | null;
}

export interface LaneFacts {
  readonly isScript: boolean;
  /** Other terminals are in the lane `cli`. */
  readonly isShared: boolean;
  /** The session that was named, and whether a lane has it. */
  readonly named: { readonly entry: SessionEntry; readonly isInLane: boolean } | null;
}

export function laneFor(wish: LaneWish, { isScript, isShared, named }: LaneFacts): LaneChoice {
  const usual = localSource();
  const apart = isScript ? newTerminal("script") : isShared ? newTerminal("cli") : usual;
  const nothing = { first: { kind: "nothing" }, isOwn: false, backTo: null } as const;
  if (named) {
    const { entry, isInLane } = named;
    if (isInLane && entry.platform === LOCAL) return { source: entry.origin, ...nothing };
    const backTo = isScript && isInLane ? entry.key : null;
    return { source: apart, first: { kind: "bring", entry }, isOwn: isScript, backTo };
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
    readonly terminals: Pick<TerminalDesk, "others">;
  },
): Promise<LaneChoice> {
  const { sessions, terminals } = opened;
  const isShared = (await terminals.others(sessions.laneOf(localSource()).key)) > 0;
  if (wish.kind !== "session") return laneFor(wish, { isScript, isShared, named: null });
  const entry = await sessions.find(wish.which, OWNER);
  const isInLane = (await sessions.current(entry.key))?.sessionId === entry.sessionId;
  return laneFor(wish, { isScript, isShared, named: { entry, isInLane } });
}
