/** Lists that were read at different times, put together: each item once, in order. */
import type { WirePost } from "../adapter/web/wire.js";

/** Two lists in the order of their numbers; of what both have, the later one counts. */
export function joined<Item extends { readonly seq: number }>(
  older: readonly Item[],
  newer: readonly Item[],
): readonly Item[] {
  const bySeq = new Map<number, Item>();
  for (const item of [...older, ...newer]) bySeq.set(item.seq, item);
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}

/** With a post that was added or changed; an older state of it changes nothing. */
export function withPost(posts: readonly WirePost[], post: WirePost): readonly WirePost[] {
  const there = posts.find(({ id }) => id === post.id);
  if (!there) return [...posts, post];
  if (there.position > post.position) return posts;
  return posts.map((each) => (each.id === post.id ? post : each));
}
