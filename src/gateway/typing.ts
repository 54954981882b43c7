/** Shows that an answer is being made, as long as it is: the platform forgets, so it is told again and again. */
import type { Adapter } from "../adapter/adapter.js";
import type { Address } from "../session/source.js";
import { timerMs } from "../util/timer-ms.js";

const USUAL_MS = 5_000;

/** What is returned ends it. A platform that does not take it is not asked again. */
export function showTyping(adapter: Adapter | undefined, address: Address): () => void {
  if (!adapter?.typing) return () => {};
  const { capabilities } = adapter;
  const show = (): void => {
    adapter.typing?.(address).catch(end);
  };
  const timer = setInterval(show, timerMs((capabilities.typingMs ?? USUAL_MS) * 0.8));
  timer.unref();
  const end = (): void => clearInterval(timer);
  show();
  return end;
}
