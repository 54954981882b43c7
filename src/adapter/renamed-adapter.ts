/**
 * An adapter under another platform's name: that of a further bot. What it brings comes from there, and what goes there
 * reaches it as its own. All else passes as it is.
 */
import type { Platform } from "../session/platform.js";
import type { Adapter, Speaker } from "./adapter.js";

/** How it speaks of its settings, such as their variables. */
type InWords = (sentence: string) => string;

export function renamedAdapter(adapter: Adapter, platform: Platform, inWords: InWords): Adapter {
  const { platform: own, account, capabilities } = adapter;
  return {
    ...{ platform, account, capabilities },
    serve: (line) =>
      saidAs(
        inWords,
        adapter.serve({
          ...line,
          receive: (message) => line.receive({ ...message, source: { ...message.source, platform } }),
          knows: (sender) => line.knows({ ...sender, platform }),
          up: (speaker) => line.up(renamedSpeaker(speaker, own, platform)),
          problem: (sentence) => line.problem(inWords(sentence)),
        }),
      ),
  };
}

/** Whatever a speaker can do: places in its calls become its own, and those in its answers the further bot's. */
function renamedSpeaker(speaker: Speaker, own: Platform, platform: Platform): Speaker {
  return new Proxy(speaker, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      if (typeof part !== "function") return part;
      return (...call: unknown[]) => {
        const answer: unknown = part.apply(
          target,
          call.map((given) => placedOn(given, own)),
        );
        return answer instanceof Promise ? answer.then((value) => placedOn(value, platform)) : answer;
      };
    },
  });
}

/** An address or a source of this platform, or a letter to there; anything else as it is. */
function placedOn(value: unknown, platform: Platform): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("platform" in value) return { ...value, platform };
  return "address" in value ? { ...value, address: placedOn(value.address, platform) } : value;
}

/** The same outcome, and the same failure in these words. */
export async function saidAs<Value>(inWords: InWords, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error) error.message = inWords(error.message);
    throw error;
  }
}
