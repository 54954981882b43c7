/**
 * A source that another program tells of, as the platform's adapter tells of messages in the same place: so a conversation
 * that was imported goes on where it was.
 */
import { platformTraits, type ToldChat } from "./platform.js";
import type { SessionSource } from "./source.js";

/** The parts of a source, whose chat may be of a kind that nobody said. */
export type ToldSource = Omit<SessionSource, "chatType"> & { readonly chatType: ToldChat["chatType"] };

/** A chat of which nobody says what it is counts as direct. */
export function liveSource(told: ToldSource): SessionSource {
  const { chatId, chatType, threadId, parentChatId, ...others } = told;
  const traits = platformTraits(told.platform);
  const given = {
    chatId,
    chatType,
    ...(threadId ? { threadId } : {}),
    ...(parentChatId ? { parentChatId } : {}),
  };
  const { chatType: type, ...live } = (traits.liveChat ?? plainChat)(given);
  return { ...others, ...live, chatType: type === "unknown" ? "dm" : type };
}

/** For a platform that says nothing of its own: a thread is a place of its own, except in a chat of two. */
function plainChat(told: ToldChat): ToldChat {
  if (!told.threadId) return told.chatType === "thread" ? { ...told, chatType: "group" } : told;
  return told.chatType === "dm" || told.chatType === "unknown" ? told : { ...told, chatType: "thread" };
}
