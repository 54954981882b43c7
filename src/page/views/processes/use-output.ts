/**
 * What a process prints, as it prints it. Each part is asked for once, from where the last one ended, and only the end of it
 * all stays in the page.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { WireOutput } from "../../../web/wire.js";
import { get } from "../../call.js";
import { grownText, NO_TEXT, type TailText } from "../tail.js";
import { useTick } from "../use-tick.js";

/** How many parts it takes one after another, to catch up. */
const MOST_PARTS = 20;
const FOLLOW_S = 1;

/** `change` is another one whenever something has happened to the process. */
export function useOutput(id: string, change: unknown) {
  const [tail, setTail] = useState<TailText | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const reader = useRef({ next: 0, isReading: false, end: new AbortController() }).current;

  const read = useCallback(async (): Promise<void> => {
    if (reader.isReading || reader.end.signal.aborted) return;
    reader.isReading = true;
    try {
      for (let parts = 0; parts < MOST_PARTS; parts++) {
        const from = reader.next;
        const path = `/api/processes/${encodeURIComponent(id)}/output?after=${from}`;
        const part = await get<WireOutput>(path, reader.end.signal);
        reader.next = part.next;
        setTail((before) => grownText(before ?? NO_TEXT, part.text));
        setFailure(null);
        setOver(part.isOver && part.next === from);
        if (part.next === from) return;
      }
    } catch (error) {
      if (!reader.end.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      reader.isReading = false;
    }
  }, [id, reader]);

  // A change of the process may have brought output.
  useEffect(() => void read(), [read, change]);
  useEffect(() => () => reader.end.abort(), [reader]);
  useTick(isOver ? null : FOLLOW_S, () => void read());
  return { tail, failure, isOver, read };
}
