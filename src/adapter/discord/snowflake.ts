/** Discord's ids: numbers beyond 2^53 that carry their time, kept as decimal strings and compared as numbers. */

const EPOCH_MS = 1_420_070_400_000n;

export function isSnowflake(value: unknown): value is string {
  return typeof value === "string" && /^[1-9]\d{0,19}$/.test(value);
}

export function isNewer(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}

export function newest(one: string | null, other: string): string {
  return one !== null && isNewer(one, other) ? one : other;
}

/** The id right before. */
export function before(id: string): string {
  return (BigInt(id) - 1n).toString();
}

/** The first id of that time. */
export function snowflakeAt(ms: number): string {
  const since = BigInt(Math.floor(ms)) - EPOCH_MS;
  return since > 0n ? (since << 22n).toString() : "1";
}

export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}
