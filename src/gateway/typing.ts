/** Shows that an answer is being written. Platforms forget it, so it is repeated. */
import type { Address } from "../session/source.js";
import { timerMs } from "../util/timer-ms.js";
import type { Surface } from "./surface.js";

const USUAL_MS = 5_000;

/** The returned function ends it. If a platform refuses it once, it is not sent again. */
export function showTyping(surface: Surface | undefined, address: Address): () => void {
  if (!surface) return () => {};
  const { capabilities } = surface;
  const show = (): void => {
    const { speaker } = surface;
    if (speaker?.typing) speaker.typing(address).catch(end);
    else if (speaker) end();
  };
  const timer = setInterval(show, timerMs((capabilities.typingMs ?? USUAL_MS) * 0.8));
  timer.unref();
  const end = (): void => clearInterval(timer);
  show();
  return end;
}
