/**
 * Civil time of a zone, by an oracle that knows nothing of the code under test: clock changes found by bisection over Intl, civil
 * time as segments of constant offset, a time of a day as the first instant whose wall clock is at or past it.
 */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Zones whose clocks do what few people expect. */
export const ODD_ZONES = [
  "Europe/Berlin",
  "America/Santiago",
  "America/St_Johns",
  "America/Nuuk",
  "America/Scoresbysund",
  "Antarctica/Casey",
  "Antarctica/Troll",
  "Africa/Casablanca",
  "Africa/Cairo",
  "Asia/Pyongyang",
  "Asia/Tehran",
  "Asia/Gaza",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Fakaofo",
  "Pacific/Chatham",
  "America/Caracas",
];

export interface OracleDay {
  /** Days since 1970, of the zone's calendar. */
  readonly day: number;
  /** The first instant at which the wall clock shows this time of the day or a later one. */
  readonly first: (timeOfDay: number) => number;
}

export class ZoneOracle {
  readonly #format: Intl.DateTimeFormat;
  /** Where the offset changes. */
  readonly transitions: number[] = [];

  constructor(timeZone: string, from: number, to: number) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    for (let start = from; start < to; start += 5 * DAY) {
      if (this.offset(start) !== this.offset(start + 5 * DAY))
        this.transitions.push(this.#bisect(start, start + 5 * DAY));
    }
  }

  offset(instant: number): number {
    const fields = Object.fromEntries(
      this.#format.formatToParts(instant).map((part) => [part.type, Number(part.value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  }

  #bisect(low: number, high: number): number {
    const before = this.offset(low);
    let [a, b] = [low, high];
    while (b - a > 1000) {
      const middle = Math.floor((a + b) / 2000) * 1000;
      if (this.offset(middle) === before) a = middle;
      else b = middle;
    }
    return b;
  }

  /** The civil days of a stretch of a few days, but for the first two, which may have begun before it. */
  days(from: number, to: number): OracleDay[] {
    const inside = this.transitions.filter((t) => t > from && t < to);
    const edges = [from, ...inside, to];
    const segments = edges
      .slice(0, -1)
      .map((start, i) => ({ start, end: edges[i + 1] as number, offset: this.offset(start) }));
    const days = new Set<number>();
    for (const { start, end, offset } of segments) {
      for (let t = start; t < end; t += 30 * MINUTE) days.add(Math.floor((t + offset) / DAY));
      days.add(Math.floor((end - 1 + offset) / DAY));
    }
    const first = (wall: number): number => {
      for (const { start, end, offset } of segments) {
        const candidate = Math.max(start, wall - offset);
        if (candidate < end) return candidate;
      }
      return Number.POSITIVE_INFINITY;
    };
    return [...days]
      .sort((a, b) => a - b)
      .slice(2)
      .map((day) => ({ day, first: (timeOfDay) => first(day * DAY + timeOfDay) }));
  }
}
