/**
 * `/undo` takes back the last messages, and `/retry` asks again. Messages that are taken back stay stored as
 * superseded.
 */
import type { SessionEntry } from "../../session/session.js";
import type { StoredMessage } from "../../session/transcript.js";
import { counted } from "../../util/words.js";
import { NO_SESSION, quoted } from "../describe.js";
import type { Hands } from "../for-commands.js";
import { sourceOf } from "../requests.js";
import type { Command, CommandCall } from "./commands.js";
import { asMessage } from "./turn.js";

export const undo: Command = {
  name: "undo",
  ofSession: true,
  usage: "[n]",
  description: "take back the last message, or the last n, with the answers",
  details:
    "Baton keeps the messages, but the agent no longer sees them. A running answer is stopped first. In a group you can " +
    "take back only messages of people who may do no more than you.",
  async run(call) {
    if (call.words !== "" && !/^[1-9]\d{0,3}$/.test(call.words))
      return "Say how many messages to take back, as in `/undo 2`.";
    const count = Number(call.words || 1);
    return inTranscript(call, count, async (entry, messages, { takeBack }) => {
      const asked = askedIn(messages);
      const from = asked.at(-count);
      if (asked.length === 0) return "There is nothing to take back.";
      if (from === undefined)
        return `There ${asked.length === 1 ? "is" : "are"} only ${counted(asked.length, "message")} to take back.`;
      await takeBack(entry, messages, from);
      const first = quoted(messages[from]?.content ?? "");
      return `Taken back, from ${first} on: ${counted(messages.length - from, "message")}. They are saved, but the agent no longer sees them.`;
    });
  },
};

export const retry: Command = {
  name: "retry",
  ofSession: true,
  usage: "",
  description: "ask again with the last message",
  details:
    "Baton keeps the answer so far, but the agent no longer sees it. A running answer is stopped first. In a group the " +
    "message runs with the rights of the person who wrote it, and only they or someone who may do as much can repeat it.",
  asksAgent: true,
  run: (call) =>
    inTranscript(call, 1, async (entry, messages, { takeBack }) => {
      const from = askedIn(messages).at(-1) ?? -1;
      const last = messages[from];
      if (last?.role !== "user") return "There is nothing to try again yet.";
      const { attachments, author, name, note } = last;
      const by = author && sourceOf(author, name);
      const again = {
        ...asMessage(call.item, last.content),
        ...(note ? { made: "handoff" as const } : {}),
        ...(attachments ? { attachments } : {}),
        ...(by ? { by } : {}),
      };
      // Stored in the inbox before it leaves the transcript: whatever happens in between, it is asked.
      await takeBack(entry, messages, from, () => call.gateway.enqueue(again, call.who, "queue"));
      return `Trying again: ${quoted(last.content)}`;
    }),
};

/** The positions of people's messages. */
function askedIn(messages: readonly StoredMessage[]): number[] {
  return messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
}

/**
 * Works on the active transcript while nothing is added to it. It touches the last `count` messages of people; a person
 * who may not do that gets the refusal before anything is stopped.
 */
async function inTranscript(
  { item, gateway, sessions, who }: CommandCall,
  count: number,
  work: (entry: SessionEntry, messages: readonly StoredMessage[], hands: Hands) => Promise<string>,
): Promise<string> {
  const present = await sessions.current(item.key);
  if (!present) return NO_SESSION;
  await gateway.touch(item.key, who, async ({ judge }) => {
    const messages = await sessions.load(present.sessionId);
    const from = askedIn(messages).at(-count);
    if (from !== undefined) await judge(present, messages.slice(from));
  });
  return gateway.change(item.key, who, async (hands) => {
    const entry = await sessions.current(item.key);
    if (!entry) return NO_SESSION;
    return work(entry, await sessions.load(entry.sessionId), hands);
  });
}
