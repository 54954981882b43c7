/** Times and counts as people say them. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `3 h ago`, `in 20 min`, `just now`. */
export function relativeTime(at: number, now: number): string {
  const span = Math.abs(now - at);
  if (span < MINUTE_MS) return at > now ? "in a moment" : "just now";
  const words = spanWords(span);
  return at > now ? `in ${words}` : `${words} ago`;
}

/** How long something took or has run: `0.4 s`, `12 s`, `20 min`, `3 h`. */
export function durationWords(ms: number): string {
  if (ms < 10_000) return `${Math.max(0, Math.round(ms / 100) / 10)} s`;
  return ms < 90_000 ? `${Math.round(ms / 1_000)} s` : spanWords(ms);
}

function spanWords(span: number): string {
  if (span < 90 * MINUTE_MS) return `${Math.round(span / MINUTE_MS)} min`;
  if (span < 36 * HOUR_MS) return `${Math.round(span / HOUR_MS)} h`;
  const days = Math.round(span / DAY_MS);
  if (days < 60) return `${days} days`;
  return days < 730 ? `${Math.round(days / 30.4)} months` : `${Math.floor(days / 365.25)} years`;
}

/** `812`, `12.3k`, `4.5M`. */
export function compactNumber(count: number): string {
  if (count < 1_000) return String(count);
  const [divisor, unit] = count < 999_950 ? [1_000, "k"] : [1_000_000, "M"];
  return `${(count / divisor).toFixed(count < divisor * 99.95 ? 1 : 0)}${unit}`;
}

/** `1 session`, `12 sessions`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `12,345`, for whole numbers. Done by hand, because loading the host's locales takes 15 ms at every start. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `$12.50`, `$0.0125`, for US dollars. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.0001) return "under $0.0001";
  return `$${amount >= 1 || amount === 0 ? amount.toFixed(2) : amount.toFixed(4).replace(/0{1,2}$/, "")}`;
}

/** `a, b or c` */
export function orWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${last}` : last;
}
