/** The adapter of a terminal that names commands as its person calls them. The agent's own words stay as they are. */
import type { Adapter, Letter } from "./adapter.js";
import { speakerWith } from "./speaker.js";

export function namingAdapter(adapter: Adapter, named: (text: string) => string): Adapter {
  const { platform, account, capabilities } = adapter;
  const withNames = (letter: Letter): Letter =>
    (letter.purpose ?? "reply") === "reply" ? letter : { ...letter, text: named(letter.text) };
  return {
    ...{ platform, account, capabilities },
    serve: (line) =>
      adapter.serve({
        ...line,
        up: (speaker) => line.up(speakerWith(speaker, { send: (letter) => speaker.send(withNames(letter)) })),
      }),
  };
}
