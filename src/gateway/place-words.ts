/** Places in words. */
import { LOCAL } from "../session/platform.js";
import { type Address, describeSource, formatAddress, type SessionSource } from "../session/source.js";
import { cleanLine, shorten } from "../util/text.js";
import { platformTitle } from "./describe.js";

const LONGEST_NAME = 80;

/** `the terminal`, `Telegram`. */
export function surfaceOf({ platform }: Pick<Address, "platform">): string {
  return platform === LOCAL ? "the terminal" : platformTitle(platform);
}

/** `Telegram, DM with Ann`. */
export function placeWords(source: SessionSource): string {
  if (source.platform === LOCAL) return "the terminal";
  return shorten(cleanLine(`${platformTitle(source.platform)}, ${describeSource(source)}`), LONGEST_NAME);
}

export function addressWords(address: Address): string {
  return address.platform === LOCAL ? "the terminal" : `\`${cleanLine(formatAddress(address))}\``;
}
