/** A view's data: loaded when it is shown, and again whenever the server says that it changed. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { WireTopic } from "../adapter/web/wire.js";
import { get, sentenceOf } from "./call.js";
import { onEvent, type PageEvent } from "./events.js";

export interface Loaded<Value> {
  /** The last that was read; null before. */
  readonly value: Value | null;
  readonly failure: string | null;
  readonly isLoading: boolean;
  reload(): void;
}

/** Several changes within this time are one. */
const TOGETHER_MS = 150;

/** Nothing is loaded while `path` is null. */
export function useLoaded<Value>(path: string | null, topics: readonly WireTopic[]): Loaded<Value> {
  const [state, setState] = useState<{ path: string | null; value: Value | null; failure: string | null }>({
    path,
    value: null,
    failure: null,
  });
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(path !== null);
  const wanted = useRef(topics);
  wanted.current = topics;

  useEffect(() => {
    if (path === null) return;
    const end = new AbortController();
    setLoading(true);
    get<Value>(path, end.signal)
      .then((value) => setState({ path, value, failure: null }))
      .catch((error: unknown) => {
        if (end.signal.aborted) return;
        // What was read before is still shown beside the failure.
        setState((before) => ({
          path,
          value: before.path === path ? before.value : null,
          failure: sentenceOf(error),
        }));
      })
      .finally(() => {
        if (!end.signal.aborted) setLoading(false);
      });
    return () => end.abort();
  }, [path, round]);

  useEffect(() => {
    if (path === null) return;
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      if (!concerns(event, wanted.current)) return;
      clearTimeout(soon);
      soon = setTimeout(() => setRound((now) => now + 1), TOGETHER_MS);
    });
    return () => {
      clearTimeout(soon);
      stop();
    };
  }, [path]);

  const reload = useCallback(() => setRound((now) => now + 1), []);
  const isOf = state.path === path;
  return { value: isOf ? state.value : null, failure: isOf ? state.failure : null, isLoading, reload };
}

function concerns(event: PageEvent, topics: readonly WireTopic[]): boolean {
  if (event.kind === "resync" || event.kind === "hello") return true;
  return event.kind === "changed" && (event.what === "all" || topics.includes(event.what));
}
