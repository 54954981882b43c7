/**
 * Whether the lanes in the store fit the scopes. The store remembers for each agent the scopes of its last gateway and
 * whether all lanes fitted them, so a gateway that starts with the same scopes looks at no lane at all.
 */
import type { LaneStore } from "../session/lane-store.js";
import { LOCAL } from "../session/platform.js";
import { agentIn, fitOf } from "../session/rescope.js";
import type { SessionScopes } from "../session/session-key.js";
import type { OnProblem } from "../util/problem.js";
import { counted } from "../util/words.js";
import type { Accounts } from "./store.js";

const SCOPES = "scopes";
const PAGE = 500;
/** Nobody needs to know how many more. */
const MOST_STRANDED = 1_000;

interface ScopeMemory {
  readonly scopes: SessionScopes;
  /** False if lanes of other scopes were left. */
  readonly isFit: boolean;
}

export function agentOf({ agent }: SessionScopes): string {
  return agent || "main";
}

/** Whether a gateway with these scopes makes the same keys. */
export function isSameScopes(one: SessionScopes, other: SessionScopes): boolean {
  return JSON.stringify(complete(one)) === JSON.stringify(complete(other));
}

function complete(scopes: SessionScopes): SessionScopes {
  const { dm = "chat", group = "chat", thread = "chat" } = scopes;
  return { agent: agentOf(scopes), dm, group, thread };
}

export async function rememberedScopes(accounts: Accounts, agent: string): Promise<ScopeMemory | null> {
  const written = await accounts.read({ platform: LOCAL, account: agent }, SCOPES);
  return written === null ? null : (JSON.parse(written) as ScopeMemory);
}

export function rememberScopes(accounts: Accounts, scopes: SessionScopes, isFit: boolean): Promise<void> {
  const memory: ScopeMemory = { scopes: complete(scopes), isFit };
  return accounts.write({ platform: LOCAL, account: agentOf(scopes) }, SCOPES, JSON.stringify(memory));
}

export interface Stranded {
  /** Lanes of this agent whose keys no message has; counted up to `MOST_STRANDED`. */
  readonly lanes: number;
  /** Lanes of this agent that fit. */
  readonly fitting: number;
  /** How many lanes other agents have, by name. */
  readonly ofOthers: ReadonlyMap<string, number>;
}

/** Looks at the lanes, until it has found enough. */
export async function strandedLanes(lanes: LaneStore, scopes: SessionScopes): Promise<Stranded> {
  const ofOthers = new Map<string, number>();
  let [stranded, fitting, after] = [0, 0, ""];
  for (;;) {
    const page = await lanes.page(after, PAGE);
    for (const lane of page) {
      const agent = agentIn(lane.key);
      const fit = fitOf(lane, scopes);
      if (agent !== agentOf(scopes)) ofOthers.set(agent, (ofOthers.get(agent) ?? 0) + 1);
      else if (fit.kind === "end" || (fit.kind === "key" && fit.key !== lane.key)) stranded++;
      else fitting++;
    }
    if (page.length < PAGE || stranded >= MOST_STRANDED) return { lanes: stranded, fitting, ofOthers };
    after = page.at(-1)?.key ?? after;
  }
}

/** What to tell the person who runs Baton, and the command that shows more; null if every lane fits. */
export function scopeProblem(
  stranded: Stranded,
): { readonly problem: string; readonly command: string } | null {
  const { lanes, fitting, ofOthers } = stranded;
  const command = "baton sessions rescope --dry-run";
  if (lanes > 0) {
    const count = `${lanes >= MOST_STRANDED ? "At least " : ""}${counted(lanes, "conversation")}`;
    const [were, them] = lanes === 1 ? ["was", "it"] : ["were", "them"];
    const problem = `${count} ${were} made with other scopes than your configuration has now, so new messages do not reach ${them}.`;
    return { problem, command };
  }
  const [other] = ofOthers;
  if (fitting > 0 || !other) return null;
  const [agent, count] = other;
  const problem = `No conversation is the agent's, but the agent "${agent}" has ${counted(count, "conversation")}. You may have renamed the agent.`;
  return { problem, command: `${command} --from-agent ${agent}` };
}

/** For a gateway that starts: looks at the lanes only if the scopes are new, or lanes were left before. */
export async function warnOfScopes(
  { lanes, accounts }: { readonly lanes: LaneStore; readonly accounts: Accounts },
  scopes: SessionScopes,
  onProblem: OnProblem,
): Promise<void> {
  const before = await rememberedScopes(accounts, agentOf(scopes));
  if (before?.isFit && isSameScopes(before.scopes, scopes)) return;
  const stranded = await strandedLanes(lanes, scopes);
  await rememberScopes(accounts, scopes, stranded.lanes === 0);
  const found = scopeProblem(stranded);
  if (found) onProblem(`${found.problem} Run \`${found.command}\` to see how to carry them over.`);
}
