/** The lines of the log from a level on: the last ones, and then those that follow. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { WireLogs } from "../../../web/wire.js";
import { get } from "../../call.js";
import { grownLines, NO_LINES, type NumberedLines } from "../tail.js";
import { useTick } from "../use-tick.js";

const FOLLOW_S = 2;

export function useLog(level: string, isPaused: boolean) {
  const [log, setLog] = useState<NumberedLines<WireLogs["lines"][number]> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const reader = useRef({ next: "", isReading: false, end: new AbortController() }).current;

  const read = useCallback(async (): Promise<void> => {
    if (reader.isReading || reader.end.signal.aborted) return;
    reader.isReading = true;
    try {
      const after = reader.next === "" ? "" : `&after=${encodeURIComponent(reader.next)}`;
      const part = await get<WireLogs>(`/api/owner/logs?level=${level}${after}`, reader.end.signal);
      reader.next = part.next;
      setLog((before) => grownLines(before ?? NO_LINES, part.lines));
      setFailure(null);
    } catch (error) {
      if (!reader.end.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      reader.isReading = false;
    }
  }, [level, reader]);

  useEffect(() => void read(), [read]);
  useEffect(() => () => reader.end.abort(), [reader]);
  useTick(isPaused ? null : FOLLOW_S, () => void read());
  return { log, failure, read };
}
