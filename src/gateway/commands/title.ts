/** `/title`: what the present session is called. */
import { cleanTitle } from "../../session/session.js";
import type { Command } from "./commands.js";
import { NO_SESSION, nameOf } from "./describe.js";

export const title: Command = {
  name: "title",
  usage: "[text]",
  description: "name this session, or show its name",
  async run({ item, words, sessions, gateway, who }) {
    const entry = await sessions.current(item.key);
    if (!entry) return NO_SESSION;
    if (words === "") {
      return entry.title === null
        ? "This session has no title. `/title Garden party` gives it one."
        : `This session is called ${nameOf(entry)}.`;
    }
    if (cleanTitle(words) === null) return "A title needs characters that can be seen.";
    const named = await gateway.touch(item.key, who, (hands) =>
      hands.sessions.setTitle(entry.sessionId, words),
    );
    return `This session is called ${nameOf(named)} now.`;
  },
};
