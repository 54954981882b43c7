/** The conversations that were read so far: pages of them, put together, and read again when something changes. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { WirePage, WireSession } from "../web/wire.js";
import { get, sentenceOf } from "./call.js";
import { onEvent } from "./events.js";

const PAGE = 50;
const TOGETHER_MS = 400;

/** `open`: somebody may go on there. */
export type ListState = "all" | "open" | "ended";

export interface ConversationFilter {
  /** Null is all of them. */
  readonly platform: string | null;
  readonly state: ListState;
}

export interface Conversations {
  readonly items: readonly WireSession[];
  readonly isWhole: boolean;
  readonly failure: string | null;
  readonly isLoading: boolean;
  more(): void;
  reload(): void;
}

/** The first page, as it is now, before what was read of the others: each once. What left that page for no other is gone. */
function refreshed(first: readonly WireSession[], before: readonly WireSession[]): readonly WireSession[] {
  const now = new Set(first.map(({ id }) => id));
  const oldest = first.at(-1)?.updatedAt ?? Number.POSITIVE_INFINITY;
  return [...first, ...before.filter(({ id, updatedAt }) => !now.has(id) && updatedAt <= oldest)];
}

export function useConversations({ platform, state }: ConversationFilter): Conversations {
  const [items, setItems] = useState<readonly WireSession[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const isAsking = useRef(false);
  /** What was asked for with another filter is not shown any more. */
  const shown = `${state} ${platform}`;
  const latest = useRef(shown);
  latest.current = shown;
  const address = (more: string | null): string => {
    const asked = new URLSearchParams({ limit: String(PAGE) });
    if (platform !== null) asked.set("platform", platform);
    if (state !== "all") asked.set("open", state === "open" ? "1" : "0");
    if (more !== null) asked.set("cursor", more);
    return `/api/conversations?${asked}`;
  };

  // Another filter begins anew.
  useEffect(() => {
    setItems([]);
    setCursor(null);
    setLoading(true);
  }, [shown]);

  useEffect(() => {
    const end = new AbortController();
    get<WirePage<WireSession>>(address(null), end.signal)
      .then((page) => {
        setItems((before) => (page.nextCursor === null ? page.items : refreshed(page.items, before)));
        // Further pages were read already: they go on where they were.
        setCursor((now) => (page.nextCursor === null ? null : (now ?? page.nextCursor)));
        setFailure(null);
        setLoading(false);
      })
      .catch((error: unknown) => {
        if (end.signal.aborted) return;
        setFailure(sentenceOf(error));
        setLoading(false);
      });
    return () => end.abort();
  }, [shown, round]);

  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      const concerns =
        event.kind === "hello" ||
        event.kind === "resync" ||
        event.kind === "end" ||
        (event.kind === "changed" && ["session", "handoffs", "all"].includes(event.what));
      // Not again and again while things change: the first change sets the time.
      if (concerns) soon ??= setTimeout(() => again(), TOGETHER_MS);
    });
    const again = (): void => {
      soon = undefined;
      setRound((now) => now + 1);
    };
    return () => {
      clearTimeout(soon);
      stop();
    };
  }, []);

  const more = async (): Promise<void> => {
    if (cursor === null || isAsking.current) return;
    isAsking.current = true;
    try {
      const page = await get<WirePage<WireSession>>(address(cursor));
      if (latest.current !== shown) return;
      setItems((before) => [
        ...before,
        ...page.items.filter(({ id }) => !before.some((one) => one.id === id)),
      ]);
      setCursor(page.nextCursor);
      setFailure(null);
    } catch (error) {
      if (latest.current === shown) setFailure(sentenceOf(error));
    } finally {
      isAsking.current = false;
    }
  };

  return {
    items,
    isWhole: cursor === null,
    failure,
    isLoading,
    more: () => void more(),
    reload: () => setRound((now) => now + 1),
  };
}
