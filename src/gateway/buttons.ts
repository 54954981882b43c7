/**
 * Buttons under a text, if the platform has them: the answers to a question, or what a command's answer lets people
 * choose from. The text says the same in words, so elsewhere it is enough.
 */
import { fitsInto, type LetterButton, type PlatformLimits } from "../adapter/adapter.js";
import { fitsButton, MAX_LABEL } from "../adapter/buttons.js";
import { cleanLine, shorten } from "../util/text.js";
import type { NewDelivery, Outbox } from "./store.js";
import type { Surface } from "./surface.js";

/** Under the last piece: all of them, or none if the platform takes fewer. */
export function withButtons(
  pieces: readonly NewDelivery[],
  buttons: readonly LetterButton[],
  limits: Pick<PlatformLimits, "buttons"> | undefined,
): readonly NewDelivery[] {
  if (buttons.length === 0 || (limits?.buttons ?? 0) < buttons.length) return pieces;
  return pieces.map((piece, n) => (n === pieces.length - 1 ? { ...piece, buttons } : piece));
}

/** The first few of them, as many as the platform takes. */
export function withChoices(
  pieces: readonly NewDelivery[],
  choices: readonly LetterButton[],
  limits: Pick<PlatformLimits, "buttons"> | undefined,
): readonly NewDelivery[] {
  return withButtons(pieces, buttonsOf(choices).slice(0, limits?.buttons ?? 0), limits);
}

/** With labels that fit and differ. A command that is too long for a button has none. */
function buttonsOf(choices: readonly LetterButton[]): readonly LetterButton[] {
  const byLabel = new Map<string, LetterButton>();
  for (const choice of choices) {
    const button = { ...choice, label: shorten(cleanLine(choice.label), MAX_LABEL) };
    if (button.label !== "" && fitsButton(button) && !byLabel.has(button.label))
      byLabel.set(button.label, button);
  }
  return [...byLabel.values()];
}

export type ButtonsShown = Pick<NewDelivery, "deliveryId" | "address" | "text" | "buttons">;

/**
 * Takes the buttons off a question that is over, and adds why, if there is room. It is a courtesy: where it is not
 * possible, a press says that nothing waits for an answer.
 */
export async function removeButtons(
  shown: readonly ButtonsShown[],
  why: string,
  surface: Surface | undefined,
  outbox: Pick<Outbox, "messageIdOf">,
): Promise<void> {
  const { speaker, capabilities } = surface ?? {};
  if (!speaker?.edit && !speaker?.removeButtons) return;
  for (const { buttons, deliveryId, address, text } of shown) {
    const messageId = buttons && capabilities ? await outbox.messageIdOf(deliveryId) : null;
    if (!capabilities || messageId === null) continue;
    const explained = why === "" ? text : `${text}\n\n${why}`;
    const letter = { address, deliveryId, text: fitsInto(capabilities, explained) ? explained : text };
    await (speaker.edit?.(letter, messageId) ?? speaker.removeButtons?.(messageId, why));
  }
}
