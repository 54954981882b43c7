/** Does something again and again while the page is visible, and at once when it becomes visible again. */
import { useEffect, useRef } from "preact/hooks";
import type { Loaded } from "../loaded.js";

const SECOND_MS = 1_000;

/** Every so many seconds; `null` is never. */
export function useTick(seconds: number | null, task: () => void): void {
  const latest = useRef(task);
  latest.current = task;
  useEffect(() => {
    if (seconds === null) return;
    let passed = 0;
    const timer = setInterval(() => {
      passed += 1;
      if (passed < seconds || document.hidden) return;
      passed = 0;
      latest.current();
    }, SECOND_MS);
    const onShown = (): void => {
      if (!document.hidden) latest.current();
    };
    document.addEventListener("visibilitychange", onShown);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onShown);
    };
  }, [seconds]);
}

/** Reads a view's data again every so many seconds, unless it is being read: a slow answer is waited for. */
export function useFresh(
  seconds: number | null,
  loaded: Pick<Loaded<unknown>, "isLoading" | "reload">,
): void {
  useTick(seconds, () => {
    if (!loaded.isLoading) loaded.reload();
  });
}
