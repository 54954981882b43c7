/**
 * The gate: who may reach the agent. Exact immutable ids by platform, whatever their spelling there; an absent or empty
 * list lets nobody in. Every kind
 * of entry passes here before anything is stored.
 */
import { foldId, LOCAL, type Platform } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";

/** Ids by platform, as the configuration has them. */
export type Allowed = Readonly<Record<Platform, readonly string[]>>;

export type Access =
  | { readonly allowed: true; readonly role: "owner" | "member" }
  | { readonly allowed: false; readonly reason: string };

export function authorize(source: SessionSource, allowed: Allowed): Access {
  // Whoever sits at the machine's terminal runs the gateway.
  if (source.platform === LOCAL) return { allowed: true, role: "owner" };
  if (source.isBot) return { allowed: false, reason: "it is a bot" };
  const ids = [source.userIdAlt, source.userId].filter((id) => id !== undefined && id !== "");
  if (ids.length === 0) return { allowed: false, reason: "the sender is not known" };
  const list = Object.hasOwn(allowed, source.platform) ? (allowed[source.platform] ?? []) : [];
  const known = list.map((id) => foldId(source.platform, id));
  return ids.some((id) => known.includes(foldId(source.platform, id as string)))
    ? { allowed: true, role: "member" }
    : { allowed: false, reason: "the sender is not on the list of people" };
}
