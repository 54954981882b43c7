/** `/search` finds messages in the person's sessions. */
import { readFilters, type WrittenFilters } from "../../session/search-filters.js";
import type { Neighbour, SearchHit, SearchOptions } from "../../session/store.js";
import { cleanLine, shorten } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import { nameOf } from "../describe.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command, CommandCall } from "./commands.js";
import { parseSearchWords, type SearchWords } from "./search-words.js";
import { foundHere, type ShownSessions } from "./shown-sessions.js";

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
      if (query === "") return `Say what to look for, as in \`/search garden party${written(filters)}\`.`;
      const options = await optionsOf(filters, call, clock());
      const { items, nextCursor } = await view.search(query, { ...options, limit: SHOWN, neighbours: 1 });
      if (items.length === 0) return nothing(call, filters);
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
    ...(which === undefined ? {} : { sessionId: (await foundHere(which, view.find(which))).sessionId }),
  };
}

function nothing({ who }: CommandCall, filters: SearchWords["filters"]): string {
  const where = who.viewer.kind === "chat" ? "this chat" : "your sessions";
  const understood = written(filters);
  return understood === ""
    ? `No message in ${where} contains these words.`
    : `No message in ${where} contains these words and passes the filters${understood}.`;
}

/** The filters, each after a space, as a person would write them. */
function written(filters: SearchWords["filters"]): string {
  return Object.entries(filters)
    .map(([name, value]) => {
      const shown = shorten(cleanLine(value), 40);
      return ` ${name}:${shown.includes(" ") ? `"${shown}"` : shown}`;
    })
    .join("");
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
