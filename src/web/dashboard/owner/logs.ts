/**
 * GET /api/owner/logs: the last lines of the log, or those after a place in it. Every line has its secrets removed again: what is
 * known as one now may not have been when it was written.
 */
import { LOG_LEVELS, type LogLevel } from "../../../log/log.js";
import { type LogPlace, logAfter, logEnd } from "../../../log/look.js";
import { type LogRecord, passes } from "../../../log/records.js";
import { logFolder } from "../../../log/rotating-file.js";
import { cleanLine, shorten } from "../../../util/text.js";
import { RefusedCall, wordIn } from "../../asking.js";
import type { Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WireLogs } from "../../wire.js";

const LAST_LINES = 200;
const LONGEST = 4_000;

export function logRoutes(routes: Routes, { home, redact }: Pick<WebSetting, "home" | "redact">): void {
  const folder = logFolder(home);
  routes.getForOwners("/api/owner/logs", async (asking): Promise<WireLogs> => {
    const level: LogLevel = wordIn(asking, "level", LOG_LEVELS) ?? "info";
    const after = placeIn(asking.query("after"));
    const filter = { level, since: 0 };
    const { records, place } = after
      ? await logAfter(folder, after)
      : await logEnd(folder, (record) => passes(record, filter), LAST_LINES);
    const shown = records.filter((record) => passes(record, filter));
    return {
      lines: shown.map((record) => wireLine(record, redact)),
      next: place === null ? "" : `${place.ino}.${place.offset}`,
    };
  });
}

function placeIn(after: string | null): LogPlace | null {
  if (after === null) return null;
  const [, ino, offset] = /^(\d{1,20})\.(\d{1,15})$/.exec(after) ?? [];
  if (ino === undefined || offset === undefined)
    throw new RefusedCall(400, "bad_request", "`after` is not a place in the log. Ask without it.");
  return { ino: Number(ino), offset: Number(offset) };
}

function wireLine(
  { time, level, by, pid, msg, cause }: LogRecord,
  redact: (text: string) => string,
): WireLogs["lines"][number] {
  const safe = (text: string): string => redact(cleanLine(redact(shorten(text, LONGEST))));
  return {
    at: Date.parse(time),
    level,
    by: safe(`${by}[${pid}]`),
    text: safe(msg),
    cause: cause === undefined ? null : safe(cause),
  };
}
