/** An adapter that logs what comes and goes: who and where, never the text. */
import type { Adapter, InboundMessage, Receive, Received, Speaker } from "../adapter/adapter.js";
import { speakerWith } from "../adapter/speaker.js";
import type { Log } from "../log/log.js";
import { platformTraits } from "../session/platform.js";
import type { Address } from "../session/source.js";

export function loggedAdapter(adapter: Adapter, log: Log): Adapter {
  const { platform, account, capabilities } = adapter;
  const { title } = platformTraits(platform);
  return {
    ...{ platform, account, capabilities },
    serve: (line) =>
      adapter.serve({
        ...line,
        receive: (message) => loggedReceive(line.receive, message, title, log),
        up: (speaker) => line.up(loggedSpeaker(speaker, title, log)),
      }),
  };
}

async function loggedReceive(
  receive: Receive,
  message: InboundMessage,
  title: string,
  log: Log,
): Promise<Received> {
  const came = `${title}: ${message.kind} from ${whoWrote(message)}`;
  try {
    const received = await receive(message);
    log(received === "refused" ? "warn" : "info", `${came}: ${received}.`);
    return received;
  } catch (error) {
    log("warn", `${came}: not accepted: ${reasonOf(error)}`);
    throw error;
  }
}

function loggedSpeaker(speaker: Speaker, title: string, log: Log): Speaker {
  return speakerWith(speaker, {
    send: async (message) => {
      const to = `${title}: to ${placeOf(message.address)}`;
      try {
        const sent = await speaker.send(message);
        log("info", `${to}: sent.`);
        return sent;
      } catch (error) {
        log("warn", `${to}: not sent: ${reasonOf(error)}`);
        throw error;
      }
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
