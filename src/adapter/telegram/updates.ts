/** What becomes of an update, whether Telegram was asked for it or posted it: its chat, and how it is taken. */
import type { Api } from "grammy";
import type { InboundMessage, Receive } from "../adapter.js";
import type { ChatMoves } from "./moves.js";
import { type Bot, parseMove, parseUpdate, pressIn } from "./parse.js";

export interface UpdateHearing {
  readonly api: Api;
  readonly bot: Bot;
  readonly moves: ChatMoves;
  readonly receive: Receive;
  readonly end: AbortSignal;
}

/** `take` fails if it was not received: then it has to come again. */
export interface ReadUpdate {
  readonly chat: string;
  readonly take: () => Promise<void>;
}

/** Null if it asks for nothing. */
export function readUpdate(update: unknown, hearing: UpdateHearing): ReadUpdate | null {
  const { bot, moves, receive } = hearing;
  const move = parseMove(update);
  const message = parseUpdate(update, bot);
  const press = pressIn(update);
  if (!move && !message && !press) return null;
  return {
    chat: move?.to ?? message?.source.chatId ?? "", // What is written in the new chat waits for the move.
    take: async () => {
      if (move) await moves.add(move.from, move.to);
      const received = message && (await receive(moves.inbound(message)));
      if (press) await answerPress(press, received === "accepted" ? message : null, hearing);
    },
  };
}

/**
 * Ends the waiting that Telegram shows on a button. In a chat of two the buttons go once they were used; in a group
 * somebody may have pressed who has no say.
 */
async function answerPress(
  { id, on }: NonNullable<ReturnType<typeof pressIn>>,
  used: InboundMessage | null,
  { api, end }: UpdateHearing,
): Promise<void> {
  const signal = end as Parameters<Api["getMe"]>[0];
  await api.answerCallbackQuery(id, {}, signal).catch(() => {}); // It counts, whatever the button shows.
  if (used?.source.chatType === "dm" && on !== undefined)
    await api.editMessageReplyMarkup(used.source.chatId, on, {}, signal).catch(() => {});
}
