/** Opens the gateway of one terminal: in its lane, with its session, and with what other terminals say there. */
import { namingAdapter } from "./adapter/naming-adapter.js";
import type { ChatEvents, ChatSurface, OpenChat } from "./cli/opened-chat.js";
import { Completer } from "./gateway/commands/completer.js";
import { movedAwayText } from "./gateway/handoff/words.js";
import { BoundSession } from "./gateway/terminals/bound-session.js";
import { OthersWords } from "./gateway/terminals/others-words.js";
import type { AdaptersOver, OpenGateway, TerminalGateway } from "./open-gateway.js";
import { deliveryIdOf } from "./session/ids.js";
import { LOCAL } from "./session/platform.js";
import type { SessionEntry } from "./session/session.js";
import { processHolder } from "./util/holder.js";

/** `open` opens a gateway over the adapters that it is given. `named` names commands as the person calls them. */
export async function openChat(
  surface: ChatSurface,
  events: ChatEvents,
  named: (text: string) => string,
  open: (adapters: AdaptersOver) => Promise<TerminalGateway & { readonly agent: string }>,
): Promise<OpenChat> {
  let made: Awaited<ReturnType<ChatSurface["make"]>> | undefined;
  const opened = await open(async (store) => {
    await store.terminals.tidy(processHolder()); // Before it chooses a lane: a dead script's goes.
    made = await surface.make(store);
    return [namingAdapter(made.adapter, named)];
  });
  const { gateway, sessions, terminals, subscribe } = opened;
  if (!made) throw new Error("The terminal was not made.");
  const { lane } = made;
  const { source } = lane;
  const { key } = sessions.laneOf(source);
  const { onProblem } = events;
  const others = new OthersWords({
    ...{ sessions, onProblem },
    onWords: (words) => events.onOthers?.(words),
    isAtWork: async (sessionId) => {
      const running = await gateway.forCommands.running(key);
      return running?.turn.sessionId === sessionId && running.lease.holder !== gateway.holder;
    },
    onAtWork: (isAtWork) => events.onOthersAtWork?.(isAtWork),
  });
  /** Since when there has been no session here. */
  let emptySince = Number.POSITIVE_INFINITY;
  const bound = new BoundSession({
    ...{ key, sessions, onProblem },
    onChange: (entry) => {
      if (entry === null) emptySince = Date.now();
      others
        .follow(entry?.sessionId ?? null, entry !== null && entry.createdAt >= emptySince)
        .catch((cause: Error) => onProblem(`Can't follow this session: ${cause.message}`, { cause }));
      events.onSession?.(entry);
    },
    onTaken: (entry) => {
      void others.follow(null); // What is said in another chat is read there.
      events.onTaken?.(entry);
    },
  });
  const completer = new Completer({
    commands: opened.commands,
    call: async () => {
      const who = await gateway.people.access(source);
      if (!who.allowed) return null;
      const view = sessions.as(who.viewer);
      return { who, sessions, view, places: () => gateway.handoffs.places.all(who) };
    },
    onArrived: () => events.onCompletions?.(),
  });
  let unsubscribe = (): void => {};
  return {
    ...{ gateway, sessions, terminals, lane, key, agent: opened.agent },
    session: () => bound.id,
    settled: async () => {
      await gateway.lane(key).settled();
      await bound.seen();
    },
    begin: async () => {
      await terminals.enter(gateway.holder, { key, isScript: lane.isOwn, backTo: lane.backTo });
      if (surface.question?.isUnsaved) await terminals.beginUnsaved(source);
      else await enter(opened, lane);
      unsubscribe = subscribe((fact) => {
        bound.hear(fact);
        others.hear(fact);
      });
      await bound.bind(lane.session);
      await gateway.start();
      bound.hear({ kind: "unknown" }); // If the session left meanwhile, the terminal can say so now.
    },
    complete: (line) => completer.complete(line),
    close: async () => {
      unsubscribe();
      await Promise.all([bound.stop(), others.stop()]);
      try {
        await terminals.leave();
      } finally {
        await opened.close({ drainMs: 0 });
      }
    },
  };
}

/** What is to be done in the lane before anything is said. */
async function enter({ gateway, sessions }: OpenGateway, lane: OpenChat["lane"]): Promise<void> {
  const { source, first, backTo } = lane;
  if (first.kind === "begin") await sessions.getOrCreate(source, { forceNew: true });
  const entry = first.kind === "bring" ? first.entry : await endedMeanwhile(sessions, lane);
  if (!entry) return;
  const { sessionId, key, origin } = entry;
  const { terminalAccount } = await import("./adapter/terminal/terminal-source.js");
  const offer = (await gateway.handoffs.offers()).find((each) => each.sessionId === sessionId);
  if (offer) return void (await gateway.handoffs.take(offer, source, gateway.holder));
  // What waits in the chat is answered there, when the session is back.
  if (backTo !== null) return void (await sessions.switchTo(source, sessionId));
  const isThere = origin.platform !== LOCAL && (await sessions.current(key))?.sessionId === sessionId;
  await gateway.handoffs.bring(sessionId, { source, account: terminalAccount(source) }, gateway.holder);
  if (!isThere) return;
  const told = deliveryIdOf(sessionId, gateway.holder, "left");
  await gateway.forCommands.tell(origin, told, movedAwayText(entry, source));
}

/** The session that was named, if the last script in its lane ended it before this terminal was there. */
async function endedMeanwhile(
  sessions: OpenGateway["sessions"],
  { source, session }: OpenChat["lane"],
): Promise<SessionEntry | null> {
  if (session === null || (await sessions.current(sessions.laneOf(source).key))) return null;
  const entry = await sessions.get(session);
  return entry && entry.endedAt !== null ? entry : null;
}
