/** The frame of the page: the bar at the side with everything that one can go to, and the place where one is. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Chat } from "./chat.js";
import { ConversationList } from "./conversation-list.js";
import { leave } from "./enter.js";
import { Icon } from "./icons.js";
import { Lazy } from "./lazy.js";
import { isConnected } from "./line.js";
import { isOwner, me } from "./me.js";
import { Menu } from "./menu.js";
import { addressOfChat, placeOf, type ShownPlace } from "./places.js";
import { randomId } from "./random-id.js";
import { go, Link, path } from "./router.js";
import { isSideOpen, SideButton, toSideButton } from "./side.js";
import { tellPerson } from "./toast.js";
import { Button, Empty } from "./ui.js";
import { useTitle } from "./use-title.js";
import { VIEWS } from "./view-table.js";

/** So long without a line is not worth a word. */
const AWAY_MS = 2_500;

export function Shell() {
  const place = placeOf(path.value);
  const [isAway, setAway] = useState(false);
  const isUp = isConnected.value;
  useEffect(() => {
    if (isUp) return setAway(false);
    const timer = setTimeout(() => setAway(true), AWAY_MS);
    return () => clearTimeout(timer);
  }, [isUp]);
  useEffect(() => {
    isSideOpen.value = false;
  }, [path.value]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the conversation
      </a>
      <Side place={place} />
      {/* Under the open bar of a phone nothing can be reached. */}
      <main id="main" tabIndex={-1} inert={isSideOpen.value}>
        {isAway ? (
          <p class="away" role="status">
            Not connected. Baton tries again by itself; what you write is sent later.
          </p>
        ) : null}
        <PlaceView place={place} />
      </main>
    </div>
  );
}

function PlaceView({ place }: { readonly place: ShownPlace }) {
  if (place.kind === "chat") return <Chat key={place.thread ?? ""} thread={place.thread} />;
  if (place.kind === "conversation")
    return (
      <Lazy
        key={`${place.id} ${place.at}`}
        title="Conversation"
        load={transcript}
        given={{ id: place.id, at: place.at }}
      />
    );
  const view = VIEWS.filter(({ path: start }) => place.path === start || place.path.startsWith(`${start}/`))
    .sort((one, other) => other.path.length - one.path.length)
    .find(({ ownerOnly }) => !ownerOnly || isOwner());
  return (
    <>
      <div class="top small-only">
        <SideButton />
      </div>
      <div class="place">
        <Titled key={view?.path} title={view?.title ?? "Not found"}>
          {view ? <Lazy title={view.title} load={view.load} given={{}} /> : <Nothing />}
        </Titled>
      </div>
    </>
  );
}

function Titled({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useTitle(title);
  return <>{children}</>;
}

function Nothing() {
  return (
    <>
      <h1 class="sr-only">Not found</h1>
      <Empty>There is nothing at this address.</Empty>
    </>
  );
}

const transcript = () => import("./transcript-view.js");

function Side({ place }: { readonly place: ShownPlace }) {
  const side = useRef<HTMLDivElement>(null);
  const isOpen = isSideOpen.value;
  const close = (): void => {
    isSideOpen.value = false;
  };
  useEffect(() => {
    if (!isOpen) return;
    side.current?.querySelector<HTMLElement>("button, a")?.focus();
    return () => {
      const now = document.activeElement;
      if (now === document.body || side.current?.contains(now)) toSideButton();
    };
  }, [isOpen]);
  const views = VIEWS.filter(({ ownerOnly }) => !ownerOnly || isOwner());
  return (
    <>
      {isOpen ? <button type="button" class="curtain" aria-label="Close the menu" onClick={close} /> : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the Escape key closes it from anywhere in it. */}
      <div
        ref={side}
        class={`side ${isOpen ? "open" : ""}`}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
      >
        <header class="side-head">
          <img src="/icon.svg" alt="" width="26" height="26" />
          <span class="brand">Baton</span>
          <Button
            icon="plus"
            class="new"
            onClick={() => {
              close();
              go(addressOfChat(randomId()));
            }}
          >
            New chat
          </Button>
        </header>
        <ConversationList place={place} />
        <nav class="views" aria-label="Views">
          {views.map((view) => (
            <Link
              key={view.path}
              href={view.path}
              class="nav-item"
              aria-current={place.kind === "view" && place.path.startsWith(view.path) ? "page" : undefined}
              onGo={close}
            >
              <Icon name={view.icon} />
              {view.title}
            </Link>
          ))}
        </nav>
        <Person />
      </div>
    </>
  );
}

function Person() {
  const { name, identity, version } = me.value ?? { name: "", identity: "", version: "" };
  const logOut = (): void => {
    leave().catch((error: Error) => tellPerson(error.message, "error"));
  };
  return (
    <footer class="person">
      <span class="face" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span class="who">
        <bdi>{name}</bdi>
        <small title={`Baton ${version}`}>
          <bdi>{identity}</bdi>
        </small>
      </span>
      <Menu label="Your menu" up items={[{ label: "Log out", icon: "out", onChoose: logOut }]} />
    </footer>
  );
}
