/** `/stop`, `/queue` and `/steer`: what happens to the running turn, whatever the chat's busy mode is. */
import { ownWords } from "../../session/sender.js";
import { counted } from "../../util/words.js";
import type { BusyMode } from "../busy.js";
import type { InboxItem } from "../store.js";
import type { AskingCall, Command, CommandCall } from "./commands.js";

export const stop: Command = {
  name: "stop",
  usage: "",
  description: "stop the running answer and drop its unsent messages; the text so far is saved",
  async run(call) {
    const { item, gateway, who } = call;
    const dropped = await gateway.dropUnsent(item, who);
    const where = await gateway.stopAnswer(item.key, who);
    const unsent = dropped === 0 ? [] : [`Dropped ${counted(dropped, "unsent message")}.`];
    if (where === null) return [await stopSummary(call), ...unsent].join(" ");
    const stopped = where === "here" ? "Stopped." : "Stopping it. It runs in another process.";
    const { waiting } = gateway.lane(item.key);
    const next = waiting === 0 ? [] : [`${counted(waiting, "waiting message")} next.`];
    return [stopped, ...unsent, ...next].join(" ");
  },
};

/** Nothing is answered, but somebody may have asked for a summary. */
async function stopSummary({ item, gateway, who, sessions }: CommandCall): Promise<string> {
  const entry = await sessions.current(item.key);
  const consolidator = gateway.upkeep?.consolidator;
  if (!entry || !consolidator?.isAskedFor(entry.sessionId)) return "Nothing is running.";
  await gateway.touch(item.key, who, async () => consolidator.cancel(entry.sessionId));
  return "Stopping the summary.";
}

export const queue: Command = {
  name: "queue",
  usage: "<text>",
  description: "send a message that waits until the running answer is done",
  asksAgent: true,
  run: (call) => send(call, "queue"),
};

export const steer: Command = {
  name: "steer",
  usage: "<text>",
  description: "send a message into the running answer, without stopping it",
  details:
    "In a group you can't steer a request of someone who may do more than you: then your message waits until it is done.",
  asksAgent: true,
  run: (call) => send(call, "steer"),
};

/** If nothing is running, it is a normal message, and the answer is reply enough. */
async function send(call: AskingCall, mode: BusyMode): Promise<string> {
  const { item, words, gateway, who } = call;
  if (words === "") return `Add a message, as in \`/${mode} and in French, please\`.`;
  const running = await gateway.isAnswering(item.key);
  const steered = await gateway.enqueue(asMessage(item, ownWords(words)), who, mode);
  if (!running) return "";
  return steered ? "Passed on to the running answer." : "Queued: I will answer it after the current one.";
}

/** The message that a command makes. One command makes one message, so the same command can't ask twice. */
export function asMessage(item: InboxItem, text: string): Omit<InboxItem, "id" | "receivedAt" | "kind"> {
  const { platform, account, key, source } = item;
  return { platform, account, key, source, made: "command", messageId: `${item.id}`, text };
}
