/** What follows `/search`: words to look for, and filters such as `role:user`. Pure. */

const FILTERS = ["from", "role", "after", "before", "in"] as const;
type SearchWord = (typeof FILTERS)[number];

export interface SearchWords {
  readonly query: string;
  /** As written; of two with one name, the last. */
  readonly filters: Readonly<Partial<Record<SearchWord, string>>>;
}

/** A name that is no filter's, or without a value, makes ordinary words. So does everything in quotes. */
export function parseSearchWords(text: string): SearchWords {
  const query: string[] = [];
  const filters: Partial<Record<SearchWord, string>> = {};
  for (const [part, named = "", quoted, bare] of text.slice(0, 2_000).matchAll(PARTS)) {
    const filter = FILTERS.find((each) => each === named.toLowerCase());
    const value = (quoted ?? bare ?? "").trim();
    if (filter && value) filters[filter] = value;
    else query.push(part);
  }
  return { query: query.join(" "), filters };
}

const PARTS = /"[^"]*"?|([A-Za-z]{1,10}):(?:"([^"]*)"?|([^\s"]+))|[^\s"]+/g;
