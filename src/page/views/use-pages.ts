/**
 * A list that comes in pages. When something changes, all the pages that are shown are read again, so that what a person sees
 * is never half old.
 */
import { useEffect, useState } from "preact/hooks";
import type { WireTopic } from "../../adapter/web/wire.js";
import type { WirePage } from "../../web/wire.js";
import { get } from "../call.js";
import { useLoaded } from "../loaded.js";

export function usePages<Item extends { readonly id: string }>(path: string, topics: readonly WireTopic[]) {
  const first = useLoaded<WirePage<Item>>(path, topics);
  const [wanted, setWanted] = useState(1);
  const [rest, setRest] = useState<readonly WirePage<Item>[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [isLoadingMore, setLoadingMore] = useState(false);

  useEffect(() => {
    if (!first.value || wanted === 1) return;
    const end = new AbortController();
    setLoadingMore(true);
    following<Item>(path, first.value.nextCursor, wanted - 1, end.signal)
      .then((pages) => {
        if (end.signal.aborted) return;
        setRest(pages);
        setFailure(null);
      })
      .catch((error: unknown) => {
        if (!end.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
      })
      .finally(() => {
        if (!end.signal.aborted) setLoadingMore(false);
      });
    return () => end.abort();
  }, [path, first.value, wanted]);

  const pages = first.value ? [first.value, ...rest] : [];
  const seen = new Map(pages.flatMap(({ items }) => items).map((item) => [item.id, item]));
  const hasMore = pages.length > 0 && pages.at(-1)?.nextCursor !== null;
  return {
    items: first.value === null ? null : [...seen.values()],
    failure: first.failure ?? failure,
    hasMore,
    isLoadingMore,
    showMore: () => setWanted(pages.length + 1),
    isLoading: first.isLoading || isLoadingMore,
    reload: first.reload,
  };
}

async function following<Item>(
  path: string,
  from: string | null,
  count: number,
  end: AbortSignal,
): Promise<WirePage<Item>[]> {
  const pages: WirePage<Item>[] = [];
  for (let cursor = from; cursor !== null && pages.length < count; ) {
    const mark = path.includes("?") ? "&" : "?";
    const page = await get<WirePage<Item>>(`${path}${mark}cursor=${encodeURIComponent(cursor)}`, end);
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}
