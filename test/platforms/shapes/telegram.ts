/** Messages of the Bot API, written from its documentation (https://core.telegram.org/bots/api#message). */
import { parseUpdate } from "../../../src/adapter/telegram/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const ANN = { id: 100001, is_bot: false, first_name: "Ann", last_name: "Lee", username: "annlee" };
const PRIVATE = { id: 100001, type: "private", first_name: "Ann", last_name: "Lee" };

/** A message of a private chat with these fields. */
function sent(fields: object): unknown {
  return { update_id: 1, message: { message_id: 11, from: ANN, chat: PRIVATE, date: 1767900000, ...fields } };
}

const shapes: readonly Shape[] = [
  { name: "text", payload: sent({ text: "hello" }) },
  { name: "joined the group", ignored: true, payload: sent({ new_chat_members: [ANN] }) },
];

export const telegramShapes: PlatformShapes = {
  page: "telegram",
  table: "telegram",
  shapes,
  read: (payload) =>
    parseUpdate(payload, {
      id: "424242",
      username: "baton_bot",
      commands: new Set(["new", "status"]),
      read: async () => new Uint8Array(),
    }),
};
