/**
 * A source that another program tells of, as the platform's adapter tells of messages in the same place: so a conversation
 * that was imported goes on where it was.
 */
import { type LiveChat, platformTraits, type ToldChat } from "./platform.js";
import type { SessionSource } from "./source.js";

/** The parts of a source, whose chat may be of a kind that nobody said. */
export type ToldSource = Omit<SessionSource, "chatType"> & { readonly chatType: ToldChat["chatType"] };

export interface LiveSource {
  readonly source: SessionSource;
  /** What is said there may have another key. */
  readonly isGuess: boolean;
}

/** A chat of which nobody says what it is counts as direct. */
export function liveSource(told: ToldSource): LiveSource {
  const { chatId, chatType, threadId, parentChatId, ...others } = told;
  const traits = platformTraits(told.platform);
  const given = {
    chatId,
    chatType,
    ...(threadId ? { threadId } : {}),
    ...(parentChatId ? { parentChatId } : {}),
  };
  const { chatType: type, isGuess = false, ...live } = (traits.liveChat ?? plainChat)(given);
  const known = type === "unknown" ? "dm" : type === "shared" ? "group" : type;
  return { source: { ...others, ...live, chatType: known }, isGuess };
}

/** For a platform that says nothing of its own: a thread is a place of its own, except in a chat of two. */
function plainChat(told: ToldChat): LiveChat {
  if (!told.threadId) return told.chatType === "thread" ? { ...told, chatType: "group" } : told;
  return told.chatType === "dm" || told.chatType === "unknown" ? told : { ...told, chatType: "thread" };
}
