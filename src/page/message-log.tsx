/**
 * The messages, from the oldest that was read to now. It stays at the end while one is there, stays where one is while older
 * ones are put above, and never moves under somebody who reads further up.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { EntryView, type Hands } from "./entries.js";
import type { Entry } from "./timeline.js";
import { Button, IconButton } from "./ui.js";

interface MessageLogProps {
  readonly entries: readonly Entry[];
  readonly hands: Hands | null;
  /** The key of the answer that can be written anew; null if none can. */
  readonly repeatable?: string | null;
  /** There are older ones. */
  readonly hasMore: boolean;
  readonly onOlder: () => Promise<void>;
  /** There are newer ones, too, if it did not begin at the end. */
  readonly onNewer?: (() => Promise<void>) | null;
  readonly isBusy: boolean;
  /** In place of messages. */
  readonly empty: ComponentChildren;
  /** Below the last one. */
  readonly end?: ComponentChildren;
  /** Grows when the reader sends something: they want to see it, wherever they are. */
  readonly sent?: number;
  /** The number of a message to go to at first. */
  readonly sought?: number | null;
}

const NEAR_END = 60;
const NEAR_TOP = 400;

export function MessageLog(props: MessageLogProps) {
  const {
    entries,
    hands,
    hasMore,
    onOlder,
    onNewer,
    isBusy,
    empty,
    end,
    repeatable,
    sent = 0,
    sought = null,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(sought === null);
  const lastTop = useRef(0);
  const isReading = useRef(false);
  const [isAway, setAway] = useState(false);
  const first = entries.find(({ kind }) => kind !== "day")?.key;

  const toEnd = (): void => {
    const at = box.current;
    if (at) at.scrollTop = at.scrollHeight;
  };
  const look = (): void => {
    const at = box.current;
    if (!at) return;
    const left = at.scrollHeight - at.scrollTop - at.clientHeight;
    // What grew after it was put to the end, such as a picture, takes nobody away from there: only who goes up leaves it.
    const isStill = isAtEnd.current && at.scrollTop >= lastTop.current;
    lastTop.current = at.scrollTop;
    isAtEnd.current = (isStill || left < NEAR_END) && !onNewer;
    setAway(left > at.clientHeight / 2);
    if (at.scrollTop < NEAR_TOP && hasMore) void read(onOlder, true);
    if (left < NEAR_TOP && onNewer) void read(onNewer, false);
  };
  const read = async (page: () => Promise<void>, isAbove: boolean): Promise<void> => {
    const at = box.current;
    if (isReading.current || !at) return;
    isReading.current = true;
    const below = at.scrollHeight - at.scrollTop;
    await page().catch(() => undefined);
    // Drawn in between: then what one reads goes back to where it was.
    requestAnimationFrame(() => {
      if (isAbove) at.scrollTop = at.scrollHeight - below;
      isReading.current = false;
    });
  };

  useLayoutEffect(() => {
    if (sent > 0) isAtEnd.current = true;
  }, [sent]);
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
  });
  // Pictures and code come later, and make it longer; a keyboard on a phone makes it shorter.
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      if (isAtEnd.current) toEnd();
    });
    if (inner.current) watch.observe(inner.current);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (sought === null || first === undefined) return;
    document.getElementById(`m${sought}`)?.scrollIntoView({ block: "center" });
  }, [sought, first !== undefined]);

  return (
    <div class="log-box">
      <div
        class="log"
        ref={box}
        onScroll={look}
        role="log"
        aria-label="Messages"
        aria-busy={isBusy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved with the keyboard.
        tabIndex={0}
      >
        <div class="log-inner" ref={inner}>
          {hasMore ? (
            <Button kind="quiet" class="older" onClick={() => void read(onOlder, true)}>
              Show older messages
            </Button>
          ) : null}
          {entries.length === 0 ? empty : null}
          {entries.map((entry) => (
            <EntryView
              key={entry.key}
              entry={entry}
              hands={hands}
              isRepeatable={entry.key === repeatable}
              isSought={sought !== null && entry.key === `message ${sought}`}
            />
          ))}
          {end}
          {onNewer ? (
            <Button kind="quiet" class="older" onClick={() => void read(onNewer, false)}>
              Show newer messages
            </Button>
          ) : null}
        </div>
      </div>
      {isAway ? (
        <IconButton icon="down" label="Jump to the latest message" class="to-end" onClick={toEnd} />
      ) : null}
    </div>
  );
}
