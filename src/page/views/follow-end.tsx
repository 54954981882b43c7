/** A box that shows the end of what grows in it, until somebody scrolls up, and again when they are back at the end. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui.js";

/** As near to the end as this counts as at the end. */
const NEAR_PX = 24;

export function FollowEnd(props: {
  readonly label: string;
  /** Another one whenever there is more in it. */
  readonly content: unknown;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const toEnd = (): void => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  }, [props.content, isFollowing]);
  const onScroll = (): void => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  };
  return (
    <div class="view-follow">
      <div
        ref={box}
        class={`view-box ${props.class ?? ""}`}
        role="log"
        aria-live="off"
        aria-label={props.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard can scroll only what has the focus.
        tabIndex={0}
        onScroll={onScroll}
      >
        {props.children}
      </div>
      {isFollowing ? null : (
        <Button class="small view-to-end" onClick={() => setFollowing(true)}>
          Go to the end
        </Button>
      )}
    </div>
  );
}
