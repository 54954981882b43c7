/** `/undo` and `/retry`: the last of a conversation taken back, and asked again. What is taken back is kept, superseded. */
import type { StoredMessage } from "../../session/transcript.js";
import { counted } from "../../util/words.js";
import type { InboxItem } from "../store.js";
import { BRANCH_OF } from "./branch.js";
import type { Command, CommandCall } from "./commands.js";
import { NO_SESSION, quoted } from "./describe.js";
import { asMessage } from "./turn.js";

export const undo: Command = {
  name: "undo",
  usage: "[n]",
  description: "take back your last message, or the last n, with the answers",
  details: "What is taken back is kept, but the agent no longer sees it. What is running is stopped first.",
  async run(call) {
    if (call.words !== "" && !/^[1-9]\d{0,3}$/.test(call.words))
      return "Say how many messages to take back, as in `/undo 2`.";
    const count = Number(call.words || 1);
    return inTranscript(call, async (messages, rewrite) => {
      const asked = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
      const from = asked.at(-count);
      if (asked.length === 0) return "There is nothing to take back.";
      if (from === undefined)
        return `There ${asked.length === 1 ? "is" : "are"} only ${counted(asked.length, "message")} of yours to take back.`;
      await rewrite(messages.slice(0, from));
      const first = quoted(messages[from]?.content ?? "");
      return `Taken back, from ${first} on: ${counted(messages.length - from, "message")}, kept but no longer seen by the agent.`;
    });
  },
};

export const retry: Command = {
  name: "retry",
  usage: "",
  description: "ask again with your last message",
  details:
    "The answer so far is kept, but the agent no longer sees it. What is running is stopped first. In a group the message " +
    "stays the one of who said it, with what they may do, whoever asks again.",
  run: (call) =>
    inTranscript(call, async (messages, rewrite, sessionId) => {
      const from = messages.findLastIndex(({ role }) => role === "user");
      const last = messages[from];
      if (last?.role !== "user") return "There is nothing to try again yet.";
      const asked = await askedIn(sessionId, last, call);
      const said = asMessage(call.item, last.content);
      const { attachments } = last;
      const by = asked && (asked.by ?? asked.source);
      const again = { ...said, ...(attachments ? { attachments } : {}), ...(by ? { by } : {}) };
      // Into the inbox before it leaves the transcript: whatever happens in between, it is asked.
      await call.gateway.enqueue(again, null, "queue");
      await rewrite(messages.slice(0, from));
      return `Trying again: ${quoted(last.content)}`;
    }),
};

/** What the message came in as; in a branch that was in a session before it. */
async function askedIn(sessionId: string, said: StoredMessage, call: CommandCall): Promise<InboxItem | null> {
  const asked = await call.gateway.asked(sessionId, said);
  const original = (await call.sessions.get(sessionId))?.metadata[BRANCH_OF];
  return asked || typeof original !== "string" ? asked : askedIn(original, said, call);
}

/** Works on the active transcript once nothing is being added to it. */
async function inTranscript(
  { item, gateway, sessions }: CommandCall,
  work: (
    messages: readonly StoredMessage[],
    rewrite: (messages: readonly StoredMessage[]) => Promise<void>,
    sessionId: string,
  ) => Promise<string>,
): Promise<string> {
  if (!(await sessions.current(item.key))) return NO_SESSION;
  return gateway.change(item.key, async () => {
    const entry = await sessions.current(item.key);
    if (!entry) return NO_SESSION;
    const { sessionId } = entry;
    return work(
      await sessions.load(sessionId),
      (messages) => sessions.rewrite(sessionId, messages),
      sessionId,
    );
  });
}
