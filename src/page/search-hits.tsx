/** Messages that have the words: each leads to its place in its conversation. */
import { useEffect, useState } from "preact/hooks";
import type { WireHit, WirePage } from "../web/wire.js";
import { get, sentenceOf } from "./call.js";
import { PlatformMark } from "./icons.js";
import { platformTitle } from "./me.js";
import type { ShownPlace } from "./places.js";
import { Link } from "./router.js";
import { searchAddress } from "./search-address.js";
import { NO_FILTER, SearchFilters } from "./search-filters.js";
import { isSideOpen } from "./side.js";
import { Button, Empty, Failure, Loading, Time } from "./ui.js";

interface SearchHitsProps {
  readonly words: string;
  readonly platform: string | null;
  readonly place: ShownPlace;
}

export default function SearchHits({ words, platform, place }: SearchHitsProps) {
  const [filter, setFilter] = useState(NO_FILTER);
  const address = searchAddress(words, { ...filter, platform });
  const isFiltered = address !== searchAddress(words, { ...NO_FILTER, platform: null });
  return (
    <>
      <SearchFilters filter={filter} onChange={setFilter} />
      <Hits address={address} isFiltered={isFiltered} place={place} />
    </>
  );
}

interface HitsProps {
  readonly address: string;
  readonly isFiltered: boolean;
  readonly place: ShownPlace;
}

/** What was found before stays until the next is read. */
function Hits({ address, isFiltered, place }: HitsProps) {
  const [found, setFound] = useState<{ readonly address: string; readonly page: WirePage<WireHit> } | null>(
    null,
  );
  const [failure, setFailure] = useState<string | null>(null);
  const [isMore, setMore] = useState(false);
  useEffect(() => {
    const end = new AbortController();
    setFailure(null);
    get<WirePage<WireHit>>(address, end.signal)
      .then((page) => setFound({ address, page }))
      .catch((error: unknown) => {
        if (!end.signal.aborted) setFailure(sentenceOf(error));
      });
    return () => end.abort();
  }, [address]);
  const more = async ({ items, nextCursor }: WirePage<WireHit>): Promise<void> => {
    setMore(true);
    try {
      const next = await get<WirePage<WireHit>>(`${address}&cursor=${encodeURIComponent(nextCursor ?? "")}`);
      const page = { ...next, items: [...items, ...next.items] };
      setFound((now) => (now?.address === address ? { address, page } : now));
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setMore(false);
    }
  };
  if (failure !== null) return <Failure text={failure} />;
  if (!found) return <Loading />;
  const { page } = found;
  if (page.items.length === 0)
    return (
      <Empty>
        {isFiltered ? "No message with these words passes the filters." : "No message has these words."}
      </Empty>
    );
  return (
    <div class="list">
      <ul>
        {page.items.map((hit) => (
          <Hit key={`${hit.sessionId} ${hit.seq}`} hit={hit} place={place} />
        ))}
      </ul>
      {page.nextCursor === null || found.address !== address ? null : (
        <Button isBusy={isMore} onClick={() => void more(page)}>
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
