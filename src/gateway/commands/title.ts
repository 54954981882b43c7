/** `/title` shows or sets the title of the current session. */
import { cleanTitle } from "../../session/session.js";
import { endedNote, NO_SESSION, nameOf } from "../describe.js";
import type { Command } from "./commands.js";

export const title: Command = {
  name: "title",
  ofSession: true,
  usage: "[text]",
  description: "name this session, or show its name",
  async run({ item, words, sessions, gateway, who }) {
    const entry = await sessions.current(item.key);
    if (!entry) return NO_SESSION;
    if (words === "") {
      return entry.title === null
        ? `This session has no title. To give it one, send \`/title Garden party\`.${endedNote(entry)}`
        : `This session is called ${nameOf(entry)}.${endedNote(entry)}`;
    }
    if (cleanTitle(words) === null) return "A title needs visible characters.";
    const named = await gateway.touch(item.key, who, (hands) =>
      hands.sessions.setTitle(entry.sessionId, words),
    );
    return `This session is now called ${nameOf(named)}.${endedNote(named)}`;
  },
};
