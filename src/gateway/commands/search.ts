/** `/search` finds messages in the person's sessions. */
import { readFilters, type WrittenFilters } from "../../session/search-filters.js";
import type { Neighbour, SearchHit, SearchOptions } from "../../session/store.js";
import { cleanLine, shorten } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import { nameOf } from "../describe.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command, CommandCall } from "./commands.js";
import { parseSearchWords, type SearchWords } from "./search-words.js";
import type { ShownSessions } from "./shown-sessions.js";

const SHOWN = 8;
/** A longer message beside a hit is not shown: people look for the hit. */
const SHORT = 80;

export function search(shown: ShownSessions, { clock }: AgentInfo): Command {
  return {
    name: "search",
    usage: "<words> [filters]",
    description: "find messages that contain all these words, newest first",
    details:
      'Put a phrase in quotes, and end a word with `*` to match its beginning: `/search "garden party" inv*`. Filters: ' +
      "`from:` a platform, `role:` user, assistant, tool or system, `after:` and `before:` a date (2026-01-31) or a time ago " +
      "(7d), `in:` a session. To open the session of a hit, send `/resume` and its number.",
    async run(call) {
      const { item, view } = call;
      const { query, filters } = parseSearchWords(call.words);
      if (query === "") return "Say what to look for, as in `/search garden party`.";
      const options = await optionsOf(filters, call, clock());
      const { items, nextCursor } = await view.search(query, { ...options, limit: SHOWN, neighbours: 1 });
      if (items.length === 0)
        return `No message in your sessions contains these words${withFilters(filters)}.`;
      shown.keep(
        item.key,
        items.map(({ sessionId }) => sessionId),
      );
      const lines = items.flatMap((hit, index) => hitLines(hit, index + 1, clock()));
      const more = nextCursor === null ? "" : " There are more: add a word or a filter to narrow it down.";
      return [...lines, "", `To open a session, send /resume and its number.${more}`].join("\n");
    },
  };
}

async function optionsOf(
  { from, in: which, ...others }: SearchWords["filters"],
  { view, sessions }: CommandCall,
  now: number,
): Promise<SearchOptions> {
  const written: WrittenFilters = { ...(from === undefined ? {} : { platform: from }), ...others };
  return {
    ...(await readFilters(written, { timeZone: sessions.timezone, now })),
    ...(which === undefined ? {} : { sessionId: (await view.find(which)).sessionId }),
  };
}

/** Which filters were understood, if nothing passed them. */
function withFilters(filters: SearchWords["filters"]): string {
  const written = Object.entries(filters).map(([name, value]) => `${name}:${shorten(cleanLine(value), 40)}`);
  return written.length === 0 ? "" : ` with ${written.join(" ")}`;
}

function hitLines(hit: SearchHit, number: number, now: number): string[] {
  const beside = (mark: string, messages: readonly Neighbour[]) =>
    messages
      .filter(({ text }) => text !== "" && text.length <= SHORT)
      .map(({ role, text }) => `   ${mark} ${role}: ${cleanLine(text)}`);
  const when = relativeTime(hit.at, now);
  return [
    `${number}. ${nameOf(hit)}, ${hit.role}, ${when}: ${shorten(cleanLine(hit.snippet), 160)}`,
    ...beside("before:", hit.before),
    ...beside("after:", hit.after),
  ];
}
