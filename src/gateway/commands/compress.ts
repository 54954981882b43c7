/** `/compress` sums up the older part of the session; `/compress undo` takes the last summary back. */

import { ConflictError } from "../../session/errors.js";
import { cleanLine, shorten } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { senderOf } from "../authorize.js";
import { NO_SESSION } from "../describe.js";
import type { Consolidated } from "../memory/consolidator.js";
import { sessionModel } from "../session-model.js";
import { type Command, fixedWords } from "./commands.js";

export const compress: Command = {
  name: "compress",
  ofSession: true,
  usage: "[undo]",
  completes: fixedWords({
    undo: "take the last summary back",
  }),
  role: "member",
  description: "sum up the older messages of this session, so that the agent reads less",
  details:
    "The last two turns stay as they are. Every message is saved and can be found with `/search`; the agent gets the summary " +
    "in their place. Baton does this by itself when a conversation gets long. `/compress undo` takes the last summary back.",
  async run(call) {
    const { words, item, sessions, gateway, who } = call;
    if (words !== "" && words !== "undo")
      return "Send `/compress`, or `/compress undo` to take the last summary back.";
    const entry = await sessions.current(item.key);
    if (!entry) return NO_SESSION;
    const { upkeep } = gateway;
    if (!upkeep?.consolidator.isNeeded)
      return "This agent has no model with a limit, so there is nothing to compress.";
    await gateway.touch(item.key, who, async () => {});
    if (words === "undo") return undone(await upkeep.undo(entry.sessionId));
    const asker = { allowed: true, ...who } as const;
    const beforeCall = () => gateway.allowance.modelCall(asker, entry.sessionId);
    const wish = {
      ...sessionModel(entry),
      identity: senderOf(item.source) ?? "",
      beforeCall,
      rememberedFor: upkeep.rememberedFor(asker, item.source, entry),
      isAsked: true,
    };
    const parts: SummedPart[] = [];
    for (;;) {
      const outcome = await upkeep.consolidator.run(entry.sessionId, wish);
      if (outcome.kind !== "summed up") return parts.length === 0 ? refused(outcome) : done(parts, outcome);
      parts.push(outcome);
    }
  },
};

type SummedPart = Extract<Consolidated, { kind: "summed up" }>;
type Ended = Exclude<Consolidated, SummedPart>;

/** A long conversation is summed up in several parts; `ended` says why there is no further one. */
function done(parts: readonly SummedPart[], ended: Ended): string {
  const messages = parts.reduce((sum, part) => sum + part.messages, 0);
  const summary = shorten(cleanLine(parts.at(-1)?.summary.text ?? ""), 300);
  const one = parts.length === 1;
  return [
    `I summed up ${counted(messages, "message")}${one ? "" : ` in ${parts.length} parts`}: ${summary}\n\n`,
    ...(ended.kind === "failed" ? [`I could not sum up the rest. ${ended.reason} `] : []),
    `All messages are saved. To take ${one ? "this" : "the last part"} back, send /compress undo.`,
  ].join("");
}

function undone(taken: { readonly after: number; readonly through: number } | null): string {
  if (!taken) return "There is no summary to take back.";
  return "I took the last summary back. The agent reads the messages themselves again, as long as they fit.";
}

function refused(outcome: Ended): string {
  switch (outcome.kind) {
    case "nothing":
      return "There is nothing to compress: the last two turns always stay as they are.";
    case "elsewhere":
      return "The session is being summed up already, or it changed meanwhile. Try again in a moment.";
    case "later":
      return "I could not sum up the session now. Try again in a moment.";
    case "stopped":
      return "Stopped. The session is as it was.";
    case "failed":
      throw new ConflictError("summary_failed", `I could not sum up the session. ${outcome.reason}`);
    default:
      return outcome satisfies never;
  }
}
