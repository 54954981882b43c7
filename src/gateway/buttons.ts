/** Buttons under the last piece of a text, if the platform takes that many. Elsewhere the text alone says it. */
import type { LetterButton, PlatformLimits } from "../adapter/adapter.js";
import type { NewDelivery } from "./store.js";

export function withButtons(
  pieces: readonly NewDelivery[],
  buttons: readonly LetterButton[],
  limits: Pick<PlatformLimits, "buttons"> | undefined,
): readonly NewDelivery[] {
  if ((limits?.buttons ?? 0) < buttons.length) return pieces;
  return pieces.map((piece, n) => (n === pieces.length - 1 ? { ...piece, buttons } : piece));
}
