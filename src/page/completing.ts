/** Which commands a line can become. */
import type { WireMe } from "../web/wire.js";

type Offered = WireMe["commands"][number];

const MOST = 8;

/** Only for the first word of a text. */
export function completionsOf(text: string, commands: readonly Offered[]): readonly Offered[] {
  if (!text.startsWith("/") || text.includes(" ") || text.includes("\n")) return [];
  const word = text.slice(1).toLowerCase();
  const begins = commands.filter(({ name }) => name.startsWith(word));
  const has = commands.filter(({ name }) => !name.startsWith(word) && word.length > 1 && name.includes(word));
  return [...begins, ...has].slice(0, MOST);
}

/** With a blank if something has to follow. */
export function completed({ name, usage }: Offered): string {
  return usage === "" ? `/${name}` : `/${name} `;
}
