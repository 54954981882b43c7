/** Shows that an answer is being written, once that takes longer than a moment. Platforms forget it, so it is repeated. */
import type { Address } from "../session/source.js";
import type { Later } from "../util/later.js";
import type { Surface } from "./surface.js";

/** A person who waits no longer than this needs no sign: the answer is the sign. */
export const MOMENT_MS = 800;
const USUAL_MS = 5_000;

/**
 * The returned function ends it. If a platform refuses it once, it is not sent again. Nobody types while `isWaiting`: the
 * person is asked something.
 */
export function showTyping(
  surface: Surface | undefined,
  address: Address,
  later: Later,
  isWaiting: () => boolean = () => false,
): () => void {
  if (!surface) return () => {};
  const repeatMs = (surface.capabilities.typingMs ?? USUAL_MS) * 0.8;
  const show = (): void => {
    const { speaker } = surface;
    if (speaker && !speaker.typing) return;
    cancel = later(show, repeatMs);
    if (!isWaiting()) speaker?.typing?.(address).catch(end);
  };
  const end = (): void => cancel();
  let cancel = later(show, MOMENT_MS);
  return end;
}
