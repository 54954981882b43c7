/** `/new` and `/reset` start a new session. They wait for nothing: a turn that hangs stays in the old one. */
import { ConflictError } from "../../session/errors.js";
import { cleanTitle } from "../../session/session.js";
import { counted } from "../../util/words.js";
import { nameOf } from "../describe.js";
import type { Command, CommandCall } from "./commands.js";

export const beginNew: Command = {
  name: "new",
  changesSession: true,
  usage: "[title]",
  description: "start a new session",
  details: "The last one is saved; to go back to it, send `/resume`. A running answer is stopped.",
  run: (call) => begin(call, cleanTitle(call.words)),
};

export const reset: Command = {
  name: "reset",
  changesSession: true,
  usage: "",
  description: "start a new session, like `/new` without a title",
  run: (call) => begin(call, null),
};

async function begin({ item, gateway, who }: CommandCall, title: string | null): Promise<string> {
  const opened = await gateway.beside({ kind: "new", title });
  if (opened !== null) return opened;
  return gateway.touch(item.key, who, async ({ sessions }) => {
    const lane = gateway.lane(item.key);
    const stopped = await gateway.stopTurn(item.key, who);
    const before = await sessions.current(item.key);
    const entry = await sessions.getOrCreate(item.source, { forceNew: true, holder: gateway.holder });
    const sentences = [title === null ? "A new session begins." : await named(title)];
    if (stopped) sentences.push("I stopped what I was doing.");
    if (lane.waiting > 0)
      sentences.push(`${counted(lane.waiting, "waiting message")} will be answered in it.`);
    if (before && before.messageCount > 0)
      sentences.push(`${nameOf(before)} is saved: /resume lists your sessions.`);
    return sentences.join(" ");

    /** If the title is taken, only the title is lost, not the session. */
    async function named(wanted: string): Promise<string> {
      try {
        return `A new session begins: ${nameOf(await sessions.setTitle(entry.sessionId, wanted))}.`;
      } catch (error) {
        if (error instanceof ConflictError)
          return `A new session begins, but without that title. ${error.message}`;
        throw error;
      }
    }
  });
}
