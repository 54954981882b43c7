/** Opens the gateway of one terminal: in its lane, with its session, and with what other terminals say there. */
import { isDeepStrictEqual } from "node:util";
import type { ChatEvents, ChatSurface, OpenChat } from "./cli/opened-chat.js";
import { completeHandoff } from "./gateway/commands/handoff.js";
import { BoundSession } from "./gateway/terminals/bound-session.js";
import { OthersWords } from "./gateway/terminals/others-words.js";
import type { AdaptersOver, OpenGateway, TerminalGateway } from "./open-gateway.js";

/** `open` opens a gateway over the adapters that it is given. */
export async function openChat(
  surface: ChatSurface,
  events: ChatEvents,
  open: (adapters: AdaptersOver) => Promise<TerminalGateway & { readonly agent: string }>,
): Promise<OpenChat> {
  let made: Awaited<ReturnType<ChatSurface["make"]>> | undefined;
  const opened = await open(async (store) => {
    made = await surface.make(store);
    return [made.adapter];
  });
  const { gateway, sessions, terminals, subscribe } = opened;
  if (!made) throw new Error("The terminal was not made.");
  const { lane } = made;
  const { source } = lane;
  const { key } = sessions.laneOf(source);
  const { onProblem } = events;
  const others = new OthersWords({ sessions, onWords: (words) => events.onOthers?.(words), onProblem });
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
  let places: Awaited<ReturnType<typeof gateway.handoffs.places.all>> = [];
  /** In the background; if the places have changed, the line is drawn again. */
  const lookForPlaces = async (): Promise<void> => {
    const who = await gateway.people.access(source);
    const found = who.allowed ? await gateway.handoffs.places.all(who) : [];
    if (isDeepStrictEqual(found, places)) return;
    places = found;
    events.onPlaces?.();
  };
  let unsubscribe = (): void => {};
  return {
    ...{ gateway, sessions, terminals, lane, key, agent: opened.agent },
    session: () => bound.id,
    begin: async () => {
      await terminals.tidy(gateway.holder);
      await terminals.enter(gateway.holder, { key, isScript: lane.isOwn, backTo: lane.backTo });
      await enter(opened, lane);
      unsubscribe = subscribe((fact) => {
        bound.hear(fact);
        others.hear(fact);
      });
      await bound.bind();
      await gateway.start();
    },
    complete: (line) => {
      if (line.startsWith("/")) lookForPlaces().catch(() => {});
      return [...opened.commands.completions(line), ...completeHandoff(line, places)];
    },
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
  const { source, first } = lane;
  if (first.kind === "begin") await sessions.getOrCreate(source, { forceNew: true });
  if (first.kind !== "bring") return;
  const { sessionId } = first.entry;
  const { terminalAccount } = await import("./adapter/terminal/terminal-source.js");
  const offer = (await gateway.handoffs.offers()).find((each) => each.sessionId === sessionId);
  if (offer) await gateway.handoffs.take(offer, source, gateway.holder);
  else await gateway.handoffs.bring(sessionId, { source, account: terminalAccount(source) }, gateway.holder);
}
