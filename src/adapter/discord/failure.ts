/** What went wrong, in the words of the port: what Discord said, what the network did, and what to do about it. */
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { ConnectError, SendError } from "../adapter.js";
import { repeatable } from "../repeatable.js";
import { outcomeOfSilence, outcomeOfStatus } from "../send-failure.js";

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

export function connectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (statusOf(error) === 401) return new ConnectError("permanent", BAD_TOKEN, { cause: error });
  return new ConnectError("retryable", `Discord does not answer as it should: ${wordsOf(error)}`, {
    cause: error,
  });
}

/** A call that may be made twice never leaves it open whether it arrived. */
export function sendError(error: unknown, isRepeatable: boolean): SendError {
  const failure = failureOf(error);
  return isRepeatable ? repeatable(failure) : failure;
}

function failureOf(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const cause = { cause: error };
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(error.retryAfter, error.sublimitTimeout, 0);
    return new SendError("retryable", "Discord asks to wait.", { retryAfterMs, ...cause });
  }
  const status = statusOf(error);
  if (status === 401) return new SendError("permanent", BAD_TOKEN, cause);
  if (status !== null && status >= 500)
    return new SendError(outcomeOfStatus(status), `Discord reported a server error (${status}).`, cause);
  if (status !== null) return new SendError(outcomeOfStatus(status), refusal(error), cause);
  return new SendError(outcomeOfSilence(error), `Discord did not answer: ${wordsOf(error)}`, cause);
}

function refusal(error: unknown): string {
  if (codeOf(error) === "50013")
    return "The bot may not do that in this channel. Give it View Channel, Send Messages, Send Messages in Threads and Read Message History there.";
  if (codeOf(error) === "50001") return "The bot has no access to this channel. Give it View Channel there.";
  if (codeOf(error) === "50007") return "This person does not accept direct messages from the bot.";
  if (codeOf(error) === "10003") return "There is no such channel, or the bot was taken out of it.";
  if (codeOf(error) === "10008") return "There is no such message any more.";
  return `Discord refused: ${wordsOf(error)}`;
}

/** Why somebody cannot see a thread that we have just made and could not add them to; null where that is not said. */
export function unseenBy(error: unknown): string | null {
  const code = codeOf(error instanceof SendError ? error.cause : error);
  if (code === "10007" || code === "10013")
    return "You are not in that Discord server, and would not see it there.";
  if (code === "50001") return "You have no access to that channel, and would not see it there.";
  return null;
}

/** The status of an answer; null where there was none. */
export function statusOf(error: unknown): number | null {
  return error instanceof DiscordAPIError || error instanceof HTTPError ? error.status : null;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" || typeof code === "number" ? String(code) : "";
}

function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").join(" ").slice(0, 300);
}
