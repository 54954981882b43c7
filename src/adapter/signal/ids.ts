/**
 * Signal's ids. A person is a number or a UUID; a group is its id in base64. A message is known by when it was sent and
 * by whom: ours by the time alone, a person's as `<time>.<author>`.
 */

const NUMBER = /^\+[1-9]\d{1,18}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const GROUP = /^[A-Za-z0-9+/_-]{8,128}={0,2}$/;

export function isNumber(id: string): boolean {
  return NUMBER.test(id);
}

export function isUuid(id: string): boolean {
  return UUID.test(id);
}

export function isGroupId(id: string): boolean {
  return GROUP.test(id) && !isUuid(id) && !isNumber(id);
}

export interface SignalMessageRef {
  readonly timestamp: number;
  /** Absent for our own. */
  readonly author?: string;
}

export function messageIdOf({ timestamp, author }: SignalMessageRef): string {
  return author ? `${timestamp}.${author}` : `${timestamp}`;
}

/** Null where it is no id of ours. */
export function messageRefOf(messageId: string): SignalMessageRef | null {
  const [, time = "", author] = /^(\d{1,16})(?:\.(.+))?$/s.exec(messageId) ?? [];
  const timestamp = Number(time);
  if (time === "" || !isTimestamp(timestamp)) return null;
  if (author === undefined) return { timestamp };
  return isNumber(author) || isUuid(author) ? { timestamp, author } : null;
}

export function isTimestamp(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
