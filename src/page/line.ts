/**
 * The line to the server: one event stream for all tabs of a browser. The tab that holds a lock reads it and passes every
 * event on to the others, in order. What holds: a tab that was told an event knows its position, so whichever reads the
 * stream next goes on after it; and a line on which nothing comes, not even a comment, is given up.
 */
import { signal } from "@preact/signals";
import type { WireEvent, WireTurn } from "../adapter/web/wire.js";
import { backoffMs, Pause } from "./backoff.js";
import { failureOf, OURS } from "./call.js";
import { tellPage } from "./events.js";
import { setTurns, takeTurnEvent, turnsNow } from "./live-turns.js";
import { EventReader } from "./sse.js";

/** Between tabs. */
type TabMessage =
  | { readonly kind: "event"; readonly event: WireEvent; readonly position: number | null }
  | { readonly kind: "line"; readonly isUp: boolean }
  | { readonly kind: "who leads?" }
  | {
      readonly kind: "so far";
      readonly turns: readonly WireTurn[];
      readonly isUp: boolean;
      readonly position: number | null;
    };

/** The server says something every 15 seconds. */
const DEAD_MS = 35_000;
/** A line on which nothing came for so long is made anew when somebody looks at the page again. */
const STALE_MS = 20_000;
const LOOK_MS = 10_000;

/** Null until it is known. */
export const isConnected = signal<boolean | null>(null);

let position: number | null = null;
let channel: BroadcastChannel | null = null;
let reading: AbortController | null = null;
let isLeading = false;
let lastHeard = 0;
const pause = new Pause();

/** Until the page is left; `identity` so that two people in one browser share nothing. */
export function openLine(identity: string): void {
  const name = `baton ${identity}`;
  channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => takeFromTab(data);
  lastHeard = performance.now();
  tellTabs({ kind: "who leads?" });
  waitForLead(name);
  addEventListener("online", wake);
  addEventListener("pageshow", wake);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wake();
  });
  // A phone may freeze the tab that leads: then one that is looked at takes over.
  setInterval(() => {
    const isSilent = performance.now() - lastHeard > DEAD_MS + LOOK_MS;
    if (!isLeading && isSilent && document.visibilityState === "visible") waitForLead(name, true);
  }, LOOK_MS);
}

/** Nobody is signed in any more. */
export function closeLine(): void {
  isLeading = false;
  reading?.abort();
  pause.wake();
}

/** Browsers have locks only for https and this machine: elsewhere each tab has a stream of its own. */
function waitForLead(name: string, steal = false): void {
  if (!navigator.locks) {
    channel?.close();
    channel = null;
    void lead();
    return;
  }
  lastHeard = performance.now();
  navigator.locks
    .request(name, steal ? { steal } : {}, () => lead())
    .catch(() => {
      // Another tab took it.
      closeLine();
      waitForLead(name);
    });
}

async function lead(): Promise<void> {
  isLeading = true;
  let failures = 0;
  while (isLeading) {
    const wasUp = await readStream().catch(() => false);
    failures = wasUp ? 0 : failures + 1;
    if (!isLeading) return;
    setUp(false);
    await pause.for(backoffMs(failures, Math.random()));
  }
}

/** Reads one stream to its end; whether it began. */
async function readStream(): Promise<boolean> {
  const line = new AbortController();
  reading = line;
  let isDead = setTimeout(() => line.abort(), DEAD_MS);
  let isUp = false;
  try {
    const headers: Record<string, string> = { ...OURS, accept: "text/event-stream" };
    if (position !== null) headers["last-event-id"] = String(position);
    const answer = await fetch("/api/stream", { headers, signal: line.signal, cache: "no-store" });
    if (!answer.ok || !answer.body) {
      failureOf(answer.status, await answer.json().catch(() => undefined));
      return false;
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventReader();
    while (isLeading) {
      const { value, done } = await reader.read();
      if (done) break;
      clearTimeout(isDead);
      isDead = setTimeout(() => line.abort(), DEAD_MS);
      lastHeard = performance.now();
      if (!isUp) setUp(true);
      isUp = true;
      const found = events.push(value);
      for (const { id, data } of found) pass(JSON.parse(data) as WireEvent, id);
      if (found.length === 0) tellTabs({ kind: "line", isUp: true });
    }
    return isUp;
  } catch {
    return isUp;
  } finally {
    clearTimeout(isDead);
    line.abort();
  }
}

function pass(event: WireEvent, id: string | null): void {
  if (id !== null) position = Number(id);
  // After the store was replaced by an older one, positions begin anew.
  if (event.kind === "hello") position = Math.min(position ?? event.position, event.position);
  tellTabs({ kind: "event", event, position });
  take(event);
}

function take(event: WireEvent): void {
  takeTurnEvent(event);
  tellPage(event);
}

function takeFromTab(message: TabMessage): void {
  if (message.kind === "who leads?") {
    if (isLeading)
      tellTabs({
        kind: "so far",
        turns: [...turnsNow().values()],
        isUp: isConnected.value === true,
        position,
      });
    return;
  }
  if (isLeading) return;
  lastHeard = performance.now();
  if (message.kind === "line") setUp(message.isUp);
  if (message.kind === "so far") {
    position ??= message.position;
    setTurns(new Map(message.turns.map((turn) => [turn.id, turn])));
    setUp(message.isUp);
  }
  if (message.kind === "event") {
    position = message.position;
    take(message.event);
  }
}

function setUp(isUp: boolean): void {
  if (isLeading && isConnected.value !== isUp) tellTabs({ kind: "line", isUp });
  isConnected.value = isUp;
}

function tellTabs(message: TabMessage): void {
  channel?.postMessage(message);
}

/** Somebody looks again, or the network is back: what was missed is asked for. */
function wake(): void {
  if (isLeading && performance.now() - lastHeard > STALE_MS) reading?.abort();
  pause.wake();
  tellPage({ kind: "resync" });
}
