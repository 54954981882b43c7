/** A chat with the agent in this terminal. */
import type { PromptStatus } from "../adapter/terminal/prompt.js";
import type { TerminalAdapter } from "../adapter/terminal/terminal-adapter.js";
import { isOfScript } from "../adapter/terminal/terminal-source.js";
import type { Config } from "../config/config.js";
import { nameOf } from "../gateway/describe.js";
import type { SessionWish } from "../gateway/gateway-events.js";
import { takenAwayText } from "../gateway/handoff/words.js";
import { sessionModel } from "../gateway/session-model.js";
import { OWNER } from "../session/access.js";
import { LOCAL } from "../session/platform.js";
import { chatHistory } from "./chat-history.js";
import { type Moving, movingWords, noted, tell } from "./chat-parts.js";
import type { Cli } from "./cli.js";
import { editText } from "./editor.js";
import { firstGreeting, returnWords } from "./greeting.js";
import { chooseLane, type LaneWish } from "./lane-choice.js";
import { installHint } from "./on-path.js";
import type { ChatSurface, OpenChat } from "./opened-chat.js";

/** Where a terminal goes: at first, or when a command opens another conversation beside the one it shows. */
interface LaneOpening {
  readonly wish: LaneWish;
  /** What is typed there first. */
  readonly line?: string;
}

export async function talk(
  cli: Cli,
  options: { readonly session?: string; readonly new?: boolean },
): Promise<void> {
  const { session, new: isNew } = options;
  const wish: LaneWish =
    session === undefined ? { kind: isNew ? "new" : "usual" } : { kind: "session", which: session };
  let next: LaneOpening | null = { wish };
  while (next) next = await talkIn(cli, next);
}

/** Returns where the person goes from there; null if they left. */
async function talkIn(cli: Cli, opening: LaneOpening): Promise<LaneOpening | null> {
  const { TerminalAdapter } = await import("../adapter/terminal/terminal-adapter.js");
  const config = await cli.loadConfig();
  const { stdin, stdout } = cli.streams;
  let adapter: InstanceType<typeof TerminalAdapter> | undefined;
  let status: PromptStatus = {};
  let moving: Moving | null = null;
  let isMovedByUs = false;
  let isGreeted = false;
  let next: LaneOpening | null = null;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const surface: ChatSurface = {
    isScript: false,
    make: async (opened) => {
      const lane = await chooseLane(opening.wish, false, opened);
      adapter = new TerminalAdapter({
        input: stdin,
        output: stdout,
        color: cli.environment.color ?? true,
        plain: config.ui.plain || cli.environment.isDumb,
        links: cli.environment.links,
        pictures: cli.environment.pictures,
        status: () => ({ ...status, ...(moving ? { moving: movingWords(moving) } : {}) }),
        complete: (line) => open.complete(line),
        history: chatHistory(config.home, cli.hide),
        edit: (text) => editText(cli.environment.editor, config.home, "message.md", text),
        folder: cli.workingFolder,
        source: lane.source,
        session: () => open.session(),
        onStop: () => void stopAnswer(open).then(say, (error: Error) => adapter?.problem(error.message)),
        onLeave: leave,
      });
      return { adapter, lane };
    },
  };
  const say = (text: string): void => {
    if (text !== "") adapter?.say(cli.terminal.named(text));
  };
  const counting = setInterval(() => moving && adapter?.refresh(), 1_000);
  const open = await cli.openChat(config, surface, {
    onSession: (entry) => {
      status = {
        agent: (entry && sessionModel(entry).model) ?? open.agent,
        ...(entry?.title ? { title: entry.title } : {}),
        ...(entry ? { sessionId: entry.sessionId, tokens: entry.totalTokens, cost: entry.cost } : {}),
      };
      if (isGreeted) adapter?.refresh();
    },
    onTaken: (entry) => {
      if (!next && !isMovedByUs) say(takenAwayText(entry));
    },
    onOthers: (messages) => adapter?.others(messages),
    beside: async (wish) => {
      next = await openedBeside(open, wish);
      if (!next) return null;
      void open.gateway
        .answered(open.key)
        .then(() => open.gateway.delivered())
        .finally(leave);
      return wish.kind === "new"
        ? "The other terminal keeps this conversation. A new one opens here."
        : `Opening ${nameOf(wish.entry)} here. The other terminals stay where they are.`;
    },
    onProblem: noted(cli, (problem) =>
      adapter?.isOpen ? adapter.problem(cli.redact(cli.terminal.named(problem))) : tell(cli, problem),
    ),
    onHandoff: (move) => {
      isMovedByUs = move.state !== "failed";
      moving = move.finishedAt === null && move.target !== LOCAL ? move : null;
      adapter?.refresh();
      if (move.state === "completed") void open.gateway.delivered().finally(leave); // The conversation has moved away.
    },
    onCompletions: () => adapter?.arrived(),
    onOffer: say,
  });
  const signals = ["SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, leave);
  try {
    await open.begin();
    await greet(cli, config, open, adapter);
    if ((await open.terminals.others(open.key)) > 0) say(OPEN_HERE_TOO);
    isGreeted = true;
    adapter?.refresh();
    if (opening.line !== undefined) adapter?.type(opening.line);
    await left;
  } finally {
    for (const signal of signals) process.off(signal, leave);
    clearInterval(counting);
    await open.close();
  }
  return next;
}

/** Nothing, if a new conversation was begun beside others. */
async function greet(
  cli: Cli,
  config: Config,
  { gateway, key, sessions, session, agent }: OpenChat,
  adapter: Pick<TerminalAdapter, "say" | "note"> | undefined,
): Promise<void> {
  const id = session();
  const entry = id && (await sessions.get(id));
  if (entry) {
    const { messages } = await sessions.recent(entry.sessionId, { maxMessages: LAST_MESSAGES });
    if (messages.length > 0) adapter?.note(returnWords(entry, messages, Date.now()));
    return;
  }
  const left = await gateway.forCommands.handedOff(key);
  const away = left && (await sessions.get(left.sessionId));
  const isOffered = (await gateway.handoffs.offers()).some(({ sessionId }) => sessionId === away?.sessionId);
  if (away && away.endedAt === null && !isOffered)
    return adapter?.say(cli.terminal.named(takenAwayText(away)));
  const { items } = await sessions.list({}, OWNER);
  if (items.some(({ origin }) => !isOfScript(origin))) return;
  const greeting = cli.terminal.named(firstGreeting((await cli.chooseModel(config)) ? agent : null));
  adapter?.say([greeting, installHint(cli) ?? []].flat().join("\n\n"));
}

const LAST_MESSAGES = 20;

/** Ends the answer, or drops what waits for one of another process; returns what to say. */
async function stopAnswer({ gateway, key }: OpenChat): Promise<string> {
  const lane = gateway.lane(key);
  if (lane.run) {
    lane.stop("stopped");
    return "";
  }
  const dropped = await gateway.cancel(key);
  return dropped.length === 0 ? "" : NOT_SENT;
}

const NOT_SENT =
  "Your message was still waiting for another answer. It is cancelled: Baton will not answer it.";

const OPEN_HERE_TOO =
  "Another terminal is in this conversation too: you see each other's messages. /new starts one of your own.";

/** Where the terminal goes if others are in its lane, or in the one that has the session; null if it may stay. */
async function openedBeside({ terminals, key }: OpenChat, wish: SessionWish): Promise<LaneOpening | null> {
  const isJoined = wish.kind === "session" && (await terminals.others(wish.entry.key)) > 0;
  if (!isJoined && (await terminals.others(key)) === 0) return null;
  if (wish.kind === "session") return { wish: { kind: "session", which: wish.entry.sessionId } };
  return { wish: { kind: "new" }, ...(wish.title === null ? {} : { line: `/new ${wish.title}` }) };
}
