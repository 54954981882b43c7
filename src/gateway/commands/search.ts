/** `/search` finds messages in the person's sessions. */
import { cleanLine, shorten } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import { nameOf } from "../describe.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command } from "./commands.js";
import type { ShownSessions } from "./shown-sessions.js";

const SHOWN = 8;

export function search(shown: ShownSessions, { clock }: AgentInfo): Command {
  return {
    name: "search",
    usage: "<words>",
    description: "find messages that contain all these words, newest first",
    details:
      'Put a phrase in quotes, and end a word with `*` to match its beginning: `/search "garden party" inv*`. To open the ' +
      "session of a hit, send `/resume` and its number.",
    async run({ item, words, view }) {
      if (words === "") return "Say what to look for, as in `/search garden party`.";
      const { items, nextCursor } = await view.search(words, { limit: SHOWN });
      if (items.length === 0) return "No message in your sessions contains these words.";
      shown.keep(
        item.key,
        items.map(({ sessionId }) => sessionId),
      );
      const lines = items.map((hit, index) => {
        const when = relativeTime(hit.at, clock());
        return `${index + 1}. ${nameOf(hit)}, ${hit.role}, ${when}: ${shorten(cleanLine(hit.snippet), 160)}`;
      });
      const more = nextCursor === null ? "" : " There are more: add a word to narrow it down.";
      return [...lines, "", `To open a session, send /resume and its number.${more}`].join("\n");
    },
  };
}
