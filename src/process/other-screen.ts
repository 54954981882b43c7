/**
 * Whether a program has switched its terminal to the other screen, on which full-screen programs draw. It follows the
 * output piece by piece.
 */

/** A change of modes, or a full reset. */
const CHANGE = /\u001b(?:\[\?([0-9;]{1,64})([hl])|c)/g;
/** The modes that switch the screen. */
const SCREENS: readonly number[] = [47, 1047, 1049];
/** No change is longer. */
const LONGEST = 70;

export function switchScreens(modes: readonly number[]): boolean {
  return modes.some((mode) => SCREENS.includes(mode));
}

export class OtherScreen {
  #isOn = false;
  /** May be the beginning of a change. */
  #rest = "";

  get isOn(): boolean {
    return this.#isOn;
  }

  push(piece: string): void {
    const text = this.#rest + piece;
    for (const [, modes = "", kind] of text.matchAll(CHANGE)) {
      if (kind === undefined) this.#isOn = false;
      else if (switchScreens(modes.split(";").map(Number))) this.#isOn = kind === "h";
    }
    const last = text.lastIndexOf("\u001b");
    this.#rest = last >= 0 && text.length - last < LONGEST ? text.slice(last) : "";
  }
}
