/**
 * What happens to conversations if the scopes change. A lane is known by its key, and the key follows from the scopes: under
 * other scopes nobody's messages have the old keys any more. This plan gives each conversation the key that its people's
 * messages have now.
 *
 * What always holds: nobody sees a conversation afterwards that they could not see before, and everybody still sees those
 * that they could. So a lane that many become one of gets the newest conversation only if all of them are the same
 * people's. What gets no lane ends as `switched`: it stays its owner's, is listed, and `/resume` brings it back.
 */
import { identityOf, personOf } from "./access.js";
import { keyUnder } from "./key-source.js";
import { isPlatform, LOCAL, type Platform, platformTraits } from "./platform.js";
import { isShared, parseSessionKey, type SessionKey, type SessionScopes } from "./session-key.js";
import type { LanePlace, OccupiedLane } from "./store.js";

/** A lane and what decides between its session and others. */
export interface SeenLane extends OccupiedLane {
  /** What its session is called. */
  readonly title: string | null;
  /** When its session was last active. */
  readonly updatedAt: number;
}

/**
 * Why a conversation ends: a newer one of the same people has the lane; it is a member's own, and the chat shares one now;
 * it is the chat's, and each member has their own now; several people's DMs would become one.
 */
export type LaneEnd = "newer" | "private" | "shared" | "people";

export type LaneStep =
  /** `over`: the lane that has this key now; its session ends. */
  | {
      readonly kind: "rekey";
      readonly lane: SeenLane;
      readonly to: SessionKey;
      readonly over: SeenLane | null;
    }
  | { readonly kind: "end"; readonly lane: SeenLane; readonly why: LaneEnd };

export interface RescopePlan {
  /** In an order in which each can be taken. */
  readonly steps: readonly LaneStep[];
  /** Lanes that the plan leaves alone: their platform is not registered here, or nobody knows whose they are. */
  readonly unclear: readonly SeenLane[];
}

export interface RescopeOptions {
  /** Platforms on which several people may write DMs, beside those where the lanes show it. */
  readonly severalOn?: ReadonlySet<Platform>;
  /** Carries over the lanes of these agents, too: the agent was renamed. */
  readonly fromAgents?: readonly string[];
}

/** The key that a lane should have; or why no key fits it; or nobody can say. */
export type Fit =
  | { readonly kind: "key"; readonly key: SessionKey }
  | { readonly kind: "end"; readonly why: "private" | "shared" }
  | { readonly kind: "unclear" };

/** Which key the messages of a lane's people have under these scopes. */
export function fitOf(lane: LanePlace, scopes: SessionScopes): Fit {
  const { origin, owner } = lane;
  const key = isPlatform(origin.platform) ? keyUnder(origin, scopes) : null;
  const fits: Fit = key === null ? { kind: "unclear" } : { kind: "key", key };
  if (key === lane.key || origin.chatType === "dm" || !isPlatform(origin.platform)) return fits;
  const person = personOf({ owner });
  if (isShared(origin, scopes)) return person === null ? fits : { kind: "end", why: "private" };
  if (person === null) return { kind: "end", why: "shared" };
  return person === identityOf(origin) ? fits : { kind: "unclear" };
}

/** The agent that a key names. */
export function agentIn(key: SessionKey): string {
  try {
    return parseSessionKey(key).agent;
  } catch {
    return ""; // Its platform is not registered here.
  }
}

export function planRescope(
  all: readonly SeenLane[],
  scopes: SessionScopes,
  { severalOn = new Set(), fromAgents = [] }: RescopeOptions = {},
): RescopePlan {
  const agents = [scopes.agent || "main", ...fromAgents];
  const lanes = all.filter(({ key }) => agents.includes(agentIn(key)));
  const several = new Set([...severalOn, ...severalIn(lanes)]);
  const ends: LaneStep[] = [];
  const unclear: SeenLane[] = [];
  const settled = new Map<SessionKey, SeenLane>();
  const wanting = new Map<SessionKey, SeenLane[]>();
  for (const lane of lanes) {
    const fit = fitOf(lane, scopes);
    if (fit.kind === "unclear") unclear.push(lane);
    else if (fit.kind === "end") ends.push({ ...fit, lane });
    else if (fit.key === lane.key) settled.set(fit.key, lane);
    else if (isWholePlatform(lane, scopes) && several.has(lane.origin.platform))
      ends.push({ kind: "end", lane, why: "people" });
    else wanting.set(fit.key, [...(wanting.get(fit.key) ?? []), lane]);
  }
  const rekeys = [...wanting].flatMap(([to, contenders]) => contest(to, contenders, settled.get(to) ?? null));
  const [moves, over] = [rekeys.filter(isRekey), rekeys.filter((step) => !isRekey(step))];
  return { steps: [...ends, ...over, ...inOrder(moves)], unclear };
}

/** The newest gets the key; the others end. */
function contest(to: SessionKey, contenders: readonly SeenLane[], there: SeenLane | null): LaneStep[] {
  const base = there ?? contenders.reduce(newest);
  const isTheirs = ({ owner, chat, origin }: SeenLane): boolean =>
    owner === base.owner || chat === base.chat || origin.platform === LOCAL;
  const winner = contenders.filter(isTheirs).reduce(newest, base);
  const losers = contenders.filter((lane) => lane !== winner);
  return [
    ...losers.map((lane) => ({ kind: "end", lane, why: isTheirs(lane) ? "newer" : "people" }) as const),
    ...(winner === there ? [] : [{ kind: "rekey", lane: winner, to, over: there } as const]),
  ];
}

function newest(one: SeenLane, other: SeenLane): SeenLane {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt ? one : other;
  return one.sessionId >= other.sessionId ? one : other;
}

type Rekey = Extract<LaneStep, { kind: "rekey" }>;

function isRekey(step: LaneStep): step is Rekey {
  return step.kind === "rekey";
}

/** A lane whose key another one wants leaves first. */
function inOrder(moves: readonly Rekey[]): Rekey[] {
  const leaving = new Map(moves.map((move) => [move.lane.key, move]));
  const ordered = new Set<Rekey>();
  const add = (move: Rekey, before: ReadonlySet<Rekey>): void => {
    const first = leaving.get(move.to);
    if (first && !before.has(first)) add(first, new Set([...before, move]));
    ordered.add(move);
  };
  for (const move of moves) add(move, new Set([move]));
  return [...ordered];
}

function isWholePlatform({ origin }: SeenLane, scopes: SessionScopes): boolean {
  return origin.chatType === "dm" && scopes.dm === "platform" && !platformTraits(origin.platform).dmPerChat;
}

/** The platforms on which these lanes are DMs of more than one person. */
function severalIn(lanes: readonly SeenLane[]): Platform[] {
  const owners = new Map<Platform, Set<string>>();
  for (const { origin, owner } of lanes) {
    if (origin.chatType !== "dm" || origin.platform === LOCAL) continue; // One person sits at this machine.
    owners.set(origin.platform, (owners.get(origin.platform) ?? new Set()).add(owner));
  }
  return [...owners].filter(([, people]) => people.size > 1).map(([platform]) => platform);
}
