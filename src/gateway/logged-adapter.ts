/** An adapter that tells the log what comes and goes: who and where, never what was said. */
import type { Adapter, InboundMessage } from "../adapter/adapter.js";
import type { Log } from "../log/log.js";
import { platformTraits } from "../session/platform.js";
import type { Address } from "../session/source.js";

export function loggedAdapter(adapter: Adapter, log: Log): Adapter {
  const { title } = platformTraits(adapter.platform);
  const logged: Pick<Adapter, "connect" | "send"> = {
    connect: (receive, surroundings) =>
      adapter.connect(async (message) => {
        const came = `${title}: ${message.kind} from ${whoWrote(message)}`;
        try {
          const received = await receive(message);
          log(received === "refused" ? "warn" : "info", `${came}: ${received}.`);
          return received;
        } catch (error) {
          log("warn", `${came}: not accepted: ${reasonOf(error)}`);
          throw error;
        }
      }, surroundings),
    send: async (message) => {
      const to = `${title}: to ${placeOf(message.address)}`;
      try {
        const sent = await adapter.send(message);
        log("info", `${to}: sent.`);
        return sent;
      } catch (error) {
        log("warn", `${to}: not sent: ${reasonOf(error)}`);
        throw error;
      }
    },
  };
  // Whatever else an adapter can do, it can do logged.
  return new Proxy(adapter, {
    get(target, name) {
      if (Object.hasOwn(logged, name)) return Reflect.get(logged, name);
      const part: unknown = Reflect.get(target, name);
      return typeof part === "function" ? part.bind(target) : part;
    },
  });
}

function whoWrote({ source }: InboundMessage): string {
  const who = source.userName ? `${source.userName} (${source.userId})` : (source.userId ?? "somebody");
  return `${who} in ${placeOf(source)}`;
}

function placeOf({ chatId, threadId }: Pick<Address, "chatId" | "threadId">): string {
  return threadId ? `chat ${chatId}, thread ${threadId}` : `chat ${chatId}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
