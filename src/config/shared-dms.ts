/** Whether people share a conversation that each of them may take for private: `scopes.dm: platform` with several people. */
import { identityNamed, partsOfIdentity } from "../session/access.js";
import { platformTraits } from "../session/platform.js";
import type { Config } from "./config.js";

export interface SharedDms {
  /** A sentence. */
  readonly message: string;
  readonly fix: string;
}

/** `known`: identities that are let in beside those that the configuration lists. */
export function sharedDms(
  config: Pick<Config, "sessions" | "people">,
  known: readonly string[] = [],
): SharedDms | null {
  if (config.sessions.scopes?.dm !== "platform") return null;
  const shared = [...severalPeople(config, known)].filter(
    ([platform]) => !platformTraits(platform).dmPerChat,
  );
  if (shared.length === 0) return null;
  const where = shared.map(([platform, count]) => `${count} people on ${platformTraits(platform).title}`);
  return {
    message: `scopes.dm is "platform", so ${where.join(" and ")} share one conversation in their direct messages: the agent can tell each of them what the others wrote.`,
    fix: "set scopes.dm to chat, so that everybody has a conversation of their own",
  };
}

/** The platforms on which more than one account is let in, and how many. */
export function severalPeople(
  { people }: Pick<Config, "people">,
  known: readonly string[],
): ReadonlyMap<string, number> {
  const listed = [people.allow, people.owners, people.guests].flatMap((list) =>
    Object.entries(list).flatMap(([platform, ids]) => ids.map((id) => identityNamed(platform, id))),
  );
  const counts = new Map<string, number>();
  for (const identity of new Set([...listed, ...known])) {
    const platform = partsOfIdentity(identity)?.platform ?? "";
    counts.set(platform, (counts.get(platform) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > 1));
}
