/** Messages that have the words: each leads to its place in its conversation. */
import { useEffect, useState } from "preact/hooks";
import type { WireHit, WirePage } from "../web/wire.js";
import { get, sentenceOf } from "./call.js";
import { PlatformMark } from "./icons.js";
import { platformTitle } from "./me.js";
import type { ShownPlace } from "./places.js";
import { Link } from "./router.js";
import { isSideOpen } from "./side.js";
import { Button, Empty, Failure, Loading, Time } from "./ui.js";

interface SearchHitsProps {
  readonly words: string;
  readonly platform: string | null;
  readonly place: ShownPlace;
}

export default function SearchHits({ words, platform, place }: SearchHitsProps) {
  const [hits, setHits] = useState<WirePage<WireHit> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isMore, setMore] = useState(false);
  const address = `/api/search?${new URLSearchParams({ q: words, ...(platform === null ? {} : { platform }) })}`;
  useEffect(() => {
    const end = new AbortController();
    setFailure(null);
    get<WirePage<WireHit>>(address, end.signal)
      .then(setHits)
      .catch((error: unknown) => {
        if (!end.signal.aborted) setFailure(sentenceOf(error));
      });
    return () => end.abort();
  }, [address]);
  const more = async (): Promise<void> => {
    if (!hits?.nextCursor) return;
    setMore(true);
    try {
      const next = await get<WirePage<WireHit>>(`${address}&cursor=${encodeURIComponent(hits.nextCursor)}`);
      setHits({ ...next, items: [...hits.items, ...next.items] });
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setMore(false);
    }
  };
  if (failure !== null) return <Failure text={failure} />;
  if (!hits) return <Loading />;
  if (hits.items.length === 0) return <Empty>No message has these words.</Empty>;
  return (
    <div class="list">
      <ul>
        {hits.items.map((hit) => (
          <Hit key={`${hit.sessionId} ${hit.seq}`} hit={hit} place={place} />
        ))}
      </ul>
      {hits.nextCursor === null ? null : (
        <Button disabled={isMore} onClick={() => void more()}>
          Show more
        </Button>
      )}
    </div>
  );
}

function Hit({ hit, place }: { readonly hit: WireHit; readonly place: ShownPlace }) {
  const { sessionId, name, platform, seq, at, snippet } = hit;
  const isHere = place.kind === "conversation" && place.id === sessionId && place.at === seq;
  return (
    <li>
      <Link
        href={`/conversation/${encodeURIComponent(sessionId)}?at=${seq}`}
        class="session hit"
        aria-current={isHere ? "page" : undefined}
        onGo={() => {
          isSideOpen.value = false;
        }}
      >
        <PlatformMark platform={platform} title={platformTitle(platform)} />
        <span class="session-name">
          <bdi>{name}</bdi>
        </span>
        <span class="session-about">
          <bdi class="snippet">{snippet}</bdi>
          <Time at={at} />
        </span>
      </Link>
    </li>
  );
}
