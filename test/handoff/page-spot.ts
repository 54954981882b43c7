/** One person's chat in the page: what is posted there, and what the transcript of its conversation says, as they see it. */
import { WEB } from "../../src/adapter/web/web-source.js";
import type { Sessions } from "../../src/session/sessions.js";
import { type Address, formatAddress } from "../../src/session/source.js";
import type { WebBrowser } from "../support/web-browser.js";
import type { Spot } from "./side.js";

export type Conversations = Pick<Sessions, "lanesAt" | "load">;

export function pageSpot(chatId: string, browser: WebBrowser, sessions: () => Conversations): Spot {
  const logs = new Map<string | undefined, ShownLog>();
  return {
    chatId,
    word: formatAddress({ platform: WEB, chatId }),
    write: (text, threadId) => browser.say({ text, thread: threadId ?? null }),
    told: async (threadId) => {
      const log = logs.get(threadId) ?? new ShownLog();
      logs.set(threadId, log);
      for (const { id, text } of browser.shown(threadId ?? null)) log.see(id, text);
      const address: Address = { platform: WEB, chatId, ...(threadId === undefined ? {} : { threadId }) };
      for (const { sessionId } of await sessions().lanesAt(address))
        for (const { seq, role, content } of await sessions().load(sessionId))
          if (role === "assistant") log.see(`${sessionId} ${seq}`, content);
      return log.texts;
    },
  };
}

/** In the order in which it was first seen: what comes later never changes what was before. */
class ShownLog {
  readonly #seen = new Map<string, string>();

  see(id: string, text: string): void {
    if (!this.#seen.has(id)) this.#seen.set(id, text);
  }

  get texts(): readonly string[] {
    return [...this.#seen.values()];
  }
}
