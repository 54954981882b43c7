/** The conversations of all platforms, and the search through all of their messages. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { WireSession } from "../web/wire.js";
import { type ConversationFilter, type ListState, useConversations } from "./conversations.js";
import { Icon, PlatformMark } from "./icons.js";
import { Lazy } from "./lazy.js";
import { me, platformTitle } from "./me.js";
import { addressOfSession, type ShownPlace } from "./places.js";
import { Link } from "./router.js";
import { isSideOpen } from "./side.js";
import { Empty, Failure, Loading, Time } from "./ui.js";
import { windowOf } from "./window.js";

const ROW = 58;
/** So near to the end, more is read. */
const NEAR = 600;
const TYPING_MS = 250;
const STATES: readonly { readonly state: ListState; readonly words: string }[] = [
  { state: "all", words: "All" },
  { state: "open", words: "Open" },
  { state: "ended", words: "Ended" },
];

export function ConversationList({ place }: { readonly place: ShownPlace }) {
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState("");
  const [platform, setPlatform] = useState<string | null>(null);
  const [state, setState] = useState<ListState>("all");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const platforms = Object.entries(me.value?.platforms ?? {});
  return (
    <nav class="conversations" aria-label="Conversations">
      <div class="find">
        <Icon name="search" size={16} />
        <input
          type="search"
          aria-label="Search all messages"
          placeholder="Search all messages"
          autocomplete="off"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      <div class="list-head">
        {asked === "" ? <StateChoice state={state} onChange={setState} /> : <span>Messages found</span>}
        {platforms.length > 1 ? (
          <select
            aria-label="Platform"
            value={platform ?? ""}
            onChange={(event) => setPlatform(event.currentTarget.value || null)}
          >
            <option value="">All platforms</option>
            {platforms.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        ) : null}
      </div>
      {asked === "" ? (
        <Sessions place={place} filter={{ platform, state }} />
      ) : (
        <Lazy load={searchHits} given={{ words: asked, platform, place }} />
      )}
    </nav>
  );
}

const searchHits = () => import("./search-hits.js");

function StateChoice(props: { readonly state: ListState; readonly onChange: (state: ListState) => void }) {
  return (
    <fieldset class="segments">
      <legend class="sr-only">Which conversations</legend>
      {STATES.map(({ state, words }) => (
        <label key={state}>
          <input
            type="radio"
            name="conversations"
            checked={state === props.state}
            onChange={() => props.onChange(state)}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Sessions({ place, filter }: { readonly place: ShownPlace; readonly filter: ConversationFilter }) {
  const { items, isWhole, failure, isLoading, more, reload } = useConversations(filter);
  // The main chat has a line of its own, whatever is left out.
  const others = items.filter((session) => !isMain(session));
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 900 });
  const look = (): void => {
    const at = box.current;
    if (!at) return;
    setSeen({ top: at.scrollTop, height: at.clientHeight });
    if (at.scrollHeight - at.scrollTop - at.clientHeight < NEAR) more();
  };
  // After each page: of some pages the filter leaves nothing.
  useEffect(look, [items, isLoading]);
  const { from, to, above, below } = windowOf(others.length, ROW, seen.top, seen.height);
  return (
    <div class="list" ref={box} onScroll={look}>
      <MainChat place={place} />
      <ul style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}>
        {others.slice(from, to).map((session) => (
          <Session key={session.id} session={session} place={place} />
        ))}
      </ul>
      {failure !== null && items.length === 0 ? <Failure text={failure} retry={reload} /> : null}
      {isLoading && items.length === 0 ? <Loading /> : null}
      {!isLoading && failure === null && isWhole && others.length === 0 ? (
        <Empty>{emptyWords(filter)}</Empty>
      ) : null}
      {!isWhole && failure === null && !(isLoading && items.length === 0) ? <Loading /> : null}
    </div>
  );
}

function emptyWords({ platform, state }: ConversationFilter): string {
  if (state !== "all") return `No ${state} conversations${platform === null ? "" : " there"}.`;
  return platform === null ? "No other conversations yet." : "No conversations there.";
}

/** Where notices and the results of jobs arrive; it is there before anything was said. */
function MainChat({ place }: { readonly place: ShownPlace }) {
  const isHere = place.kind === "chat" && place.thread === null;
  return (
    <Link href="/" class="nav-item main-chat" aria-current={isHere ? "page" : undefined} onGo={closeSide}>
      <Icon name="chat" />
      Main chat
    </Link>
  );
}

function Session({ session, place }: { readonly session: WireSession; readonly place: ShownPlace }) {
  const href = addressOfSession(session);
  const title = platformTitle(session.platform);
  const isHere =
    place.kind === "conversation"
      ? place.id === session.id
      : place.kind === "chat" && session.endedAt === null && session.thread === place.thread;
  return (
    <li>
      <Link href={href} class="session" aria-current={isHere ? "page" : undefined} onGo={closeSide}>
        <PlatformMark platform={session.platform} title={title} />
        <span class="session-name">
          <bdi>{session.name}</bdi>
        </span>
        <span class="session-about">
          {session.isWorking ? (
            <span class="working">
              <span class="dot" aria-hidden="true" />
              Working
            </span>
          ) : (
            <bdi>{session.place || title}</bdi>
          )}
          <Time at={session.updatedAt} />
        </span>
      </Link>
    </li>
  );
}

function isMain({ thread, endedAt }: WireSession): boolean {
  return thread === null && endedAt === null;
}

function closeSide(): void {
  isSideOpen.value = false;
}
