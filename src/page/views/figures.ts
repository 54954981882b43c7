/** Figures as people read them: counts, money, durations, dates, sums. Pure. */

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** `12,345` */
export function grouped(count: number): string {
  return GROUPED.format(count);
}

/** `812`, `12.3K`, `4.5M` */
export function compact(count: number): string {
  return COMPACT.format(count);
}

/** `$12.50`, and `$0.0025` of less than a cent. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.0001) return "under $0.0001";
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}

/** As many digits in each: for what stands one above the other, and may be parts of a cent. */
export function dollarsAlike(amounts: readonly number[]): string[] {
  const isWhole = amounts.every((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6);
  return amounts.map((amount) => `$${amount.toFixed(isWhole ? 2 : 4)}`);
}

/** `0.4 s`, `12 s`, `20 min`, `3 h`, `4 days` */
export function spanWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${grouped(seconds / 86_400)} days`;
}

/** `1,204 of 5,000 messages (24 %)`; without a total, only how far it is. */
export function progressWords(done: number, total: number | null, unit: string): string {
  const suffix = unit === "" ? "" : ` ${unit}`;
  if (total === null) return `${grouped(done)}${suffix}`;
  const part = total > 0 ? ` (${Math.min(100, Math.floor((done / total) * 100))} %)` : "";
  return `${grouped(done)} of ${grouped(total)}${suffix}${part}`;
}

/** `2026-11-19` as `Thu 19 Nov`; what is no day stays as it is. */
export function dayWords(day: string): string {
  const at = dayStart(day);
  if (at === null) return day;
  const date = new Date(at);
  return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** When a day began, in UTC; null if it is no day. */
export function dayStart(day: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? null : at;
}

export interface UsedFigures {
  readonly tokens: number;
  readonly cost: number;
  readonly calls: number;
  readonly unpricedCalls: number;
}

/** `at least $1.20` if some calls have no known price, and `not known` if none has one. */
export function costWords({ cost, calls, unpricedCalls }: Omit<UsedFigures, "tokens">): string {
  if (unpricedCalls === 0) return dollars(cost);
  return cost === 0 || unpricedCalls === calls ? "not known" : `at least ${dollars(cost)}`;
}

export function summed(rows: readonly UsedFigures[]): UsedFigures {
  return rows.reduce(
    (sum, { tokens, cost, calls, unpricedCalls }) => ({
      tokens: sum.tokens + tokens,
      cost: sum.cost + cost,
      calls: sum.calls + calls,
      unpricedCalls: sum.unpricedCalls + unpricedCalls,
    }),
    { tokens: 0, cost: 0, calls: 0, unpricedCalls: 0 },
  );
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
