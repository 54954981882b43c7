/** What is asked of the search, as an address. Pure. */

export type SearchWriter = "anybody" | "people" | "agent";

export interface HitFilter {
  /** Null is all of them. */
  readonly platform: string | null;
  readonly by: SearchWriter;
  /** Days as `2026-11-19`, both of them included; empty if there is none. */
  readonly from: string;
  readonly to: string;
}

const ROLES: Readonly<Record<SearchWriter, string | null>> = {
  anybody: null,
  people: "user",
  agent: "assistant",
};

export function searchAddress(words: string, { platform, by, from, to }: HitFilter): string {
  const asked = {
    platform,
    role: ROLES[by],
    after: isDay(from) ? from : null,
    // The server leaves out the day itself.
    before: dayAfter(to),
  };
  const query = new URLSearchParams({ q: words });
  for (const [name, value] of Object.entries(asked)) if (value !== null) query.set(name, value);
  return `/api/search?${query}`;
}

/** Null if it is no day, or the last that there is. */
function dayAfter(day: string): string | null {
  if (!isDay(day)) return null;
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const written = next.toISOString().slice(0, 10);
  return isDay(written) ? written : null;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}
