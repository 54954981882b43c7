/** What went wrong, in the words of the port: what Discord said, what the network did, and what to do about it. */
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { SendError } from "../adapter.js";
import { failuresOf, repeatable } from "../failure.js";
import { HttpRefusal } from "../http-call.js";

const PORTAL = "https://discord.com/developers/applications";

export const BAD_TOKEN = `Discord does not accept the bot's token. Copy it again from ${PORTAL} (Bot, Reset Token) and set DISCORD_BOT_TOKEN.`;

/** Why the gateway closes for good, by its code. */
const FATAL: Readonly<Record<number, string>> = {
  4004: BAD_TOKEN,
  4010: "Discord does not know the shard that we asked for. Please report this.",
  4011: "The bot is in more servers than one connection can serve (sharding), and Baton has one. Take it out of some.",
  4012: "Discord no longer speaks the version of its gateway that this Baton knows. Update Baton.",
  4013: "Discord does not know the intents that we asked for. Update Baton.",
  4014: `Discord refuses the Message Content intent. Switch it on at ${PORTAL}: Bot, Privileged Gateway Intents, Message Content Intent.`,
};

/** Null where the gateway may be called again. */
export function fatalClose(code: number): string | null {
  return FATAL[code] ?? null;
}

/** What it takes, where Discord's own words do not say it. */
const REFUSALS: Readonly<Record<string, string>> = {
  50013:
    "The bot may not do that in this channel. Give it View Channel, Send Messages, Send Messages in Threads and Read Message History there.",
  50001: "The bot has no access to this channel. Give it View Channel there.",
  50007: "This person does not accept direct messages from the bot.",
  10003: "There is no such channel, or the bot was taken out of it.",
  10008: "There is no such message any more.",
};

const failures = failuresOf({
  name: "Discord",
  answerIn(error) {
    if (error instanceof RateLimitError) {
      const retryAfterMs = Math.max(error.retryAfter, error.sublimitTimeout) || undefined; // 0: it does not say.
      return { status: 429, words: "too many requests", retryAfterMs };
    }
    const status = statusOf(error);
    if (status === null) return null;
    if (error instanceof HttpRefusal) return { status, words: "", isPage: error.isPage };
    const words = error instanceof DiscordAPIError ? error.message : "";
    return { status, words, sentence: REFUSALS[codeOf(error)], mend: status === 401 ? BAD_TOKEN : undefined };
  },
});
export const { connectError } = failures;

/** A call that may be made twice never leaves it open whether it arrived. */
export function sendError(error: unknown, isRepeatable: boolean): SendError {
  const failure = failures.sendError(error);
  return isRepeatable ? repeatable(failure) : failure;
}

/** Why somebody cannot see a thread that we have just made and could not add them to; null where that is not said. */
export function unseenBy(error: unknown): string | null {
  const code = codeOf(error instanceof SendError ? error.cause : error);
  if (code === "10007" || code === "10013")
    return "You are not in that Discord server, and would not see it there.";
  if (code === "50001") return "You have no access to that channel, and would not see it there.";
  return null;
}

/** There is no such message, perhaps no longer. */
export function isMessageGone(error: unknown): boolean {
  return codeOf(error instanceof SendError ? error.cause : error) === "10008";
}

/** The status of an answer; null where there was none. */
export function statusOf(error: unknown): number | null {
  const isAnswer =
    error instanceof DiscordAPIError || error instanceof HTTPError || error instanceof HttpRefusal;
  return isAnswer ? error.status : null;
}

/** Why a message was not taken that may be taken in another way. */
export function refusalOf(error: unknown): "archived" | "gone" | "unanswerable" | null {
  return REFUSED_AS[codeOf(error instanceof SendError ? error.cause : error)] ?? null;
}

const REFUSED_AS: Readonly<Record<string, ReturnType<typeof refusalOf>>> = {
  50083: "archived",
  160005: "gone", // Locked.
  10003: "gone",
  160002: "unanswerable", // Who may not read the history cannot answer a message.
};

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" || typeof code === "number" ? String(code) : "";
}
