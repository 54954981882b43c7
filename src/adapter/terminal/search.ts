/** A search back through the lines written before, as in a shell: pure steps. */

export interface HistorySearch {
  readonly query: string;
  /** The line that was found, by its place; null if none was yet. */
  readonly at: number | null;
  /** There is no further line with these words. */
  readonly isOver: boolean;
}

export const NEW_SEARCH: HistorySearch = { query: "", at: null, isOver: false };

/** With other words: from the found line on, or from the newest if the words became fewer. */
export function searchFor(
  entries: readonly string[],
  { at, query: before }: HistorySearch,
  query: string,
): HistorySearch {
  if (query === "") return NEW_SEARCH;
  const from = at !== null && query.startsWith(before) ? at : entries.length - 1;
  return found(entries, query, from, -1, null);
}

/** The line before or after the found one, which stays if there is none. */
export function searchOn(entries: readonly string[], search: HistorySearch, by: -1 | 1): HistorySearch {
  const { query, at } = search;
  if (query === "") return search;
  return found(entries, query, at === null ? entries.length - 1 : at + by, by, at);
}

/** Where in a line the words stand; its end if they do not. */
export function placeIn(entry: string, query: string): number {
  const place = entry.toLowerCase().indexOf(query.toLowerCase());
  return place < 0 ? entry.length : place;
}

function found(
  entries: readonly string[],
  query: string,
  from: number,
  by: -1 | 1,
  before: number | null,
): HistorySearch {
  const wanted = query.toLowerCase();
  for (let index = from; index >= 0 && index < entries.length; index += by) {
    if (entries[index]?.toLowerCase().includes(wanted)) return { query, at: index, isOver: false };
  }
  return { query, at: before, isOver: true };
}
