/**
 * A chat with the agent in this terminal. A command may open another conversation beside the one that it shows: then this
 * process leaves the one and enters the other, the screen stays, and what is typed meanwhile is for the other one.
 */
import type { PromptStatus } from "../adapter/terminal/prompt.js";
import type { TerminalAdapter, TerminalAdapterOptions } from "../adapter/terminal/terminal-adapter.js";
import { isOfScript } from "../adapter/terminal/terminal-source.js";
import type { Config } from "../config/config.js";
import { nameOf } from "../gateway/describe.js";
import type { SessionWish } from "../gateway/gateway-events.js";
import { takenAwayText } from "../gateway/handoff/words.js";
import { sessionModel } from "../gateway/session-model.js";
import { OWNER } from "../session/access.js";
import { LOCAL } from "../session/platform.js";
import { localSource } from "../session/source.js";
import { chatHistory } from "./chat-history.js";
import { type Moving, movingWords, noted, tell } from "./chat-parts.js";
import type { Cli } from "./cli.js";
import { editText } from "./editor.js";
import { failureOf } from "./failure.js";
import { firstGreeting, returnWords } from "./greeting.js";
import { chooseLane, type LaneWish } from "./lane-choice.js";
import { installHint } from "./on-path.js";
import type { ChatSurface, OpenChat } from "./opened-chat.js";

/** Where a terminal goes: at first, or when a command opens another conversation beside the one it shows. */
interface LaneOpening {
  readonly wish: LaneWish;
  /** What is said there first. */
  readonly lines: readonly string[];
  /** Where it goes if that can't be opened; null if it leaves then. */
  readonly back: LaneWish | null;
}

export async function talk(
  cli: Cli,
  options: { readonly session?: string; readonly new?: boolean },
): Promise<void> {
  const { session, new: isNew } = options;
  const wish: LaneWish =
    session === undefined ? { kind: isNew ? "new" : "usual" } : { kind: "session", which: session };
  const [config, { TerminalAdapter }] = await Promise.all([
    cli.loadConfig(),
    import("../adapter/terminal/terminal-adapter.js"),
  ]);
  await new Talk(cli, config, (given) => new TerminalAdapter(given)).run({ wish, lines: [], back: null });
}

/** A promise, and what settles it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

class Talk {
  readonly #cli: Cli;
  readonly #config: Config;
  readonly #adapter: TerminalAdapter;
  /** Opened when the person leaves, or the terminal is gone. */
  readonly #left = gate();
  /** Open while there is a conversation for what is typed. */
  #ready = gate();
  /** The conversation that is shown; null while none is open. */
  #open: OpenChat | null = null;
  #status: PromptStatus = {};
  #moving: Moving | null = null;
  #heir = SOMEBODY;
  /** What is still to be said in the conversation that opens. */
  #unsaid: string[] = [];
  #isHere = false;

  constructor(cli: Cli, config: Config, make: (given: TerminalAdapterOptions) => TerminalAdapter) {
    this.#cli = cli;
    this.#config = config;
    const { stdin, stdout } = cli.streams;
    const adapter = make({
      input: stdin,
      output: stdout,
      color: cli.environment.color ?? true,
      plain: config.ui.plain || cli.environment.isDumb,
      links: cli.environment.links,
      pictures: cli.environment.pictures,
      status: () => ({ ...this.#status, ...(this.#moving ? { moving: movingWords(this.#moving) } : {}) }),
      complete: (line) => this.#open?.complete(line) ?? [],
      history: chatHistory(config.home, cli.hide),
      edit: (text) => editText(cli.environment.editor, config.home, "message.md", text),
      folder: cli.workingFolder,
      session: () => this.#open?.session() ?? null,
      answered: async () => void (await this.#open?.gateway.answered(this.#open.key)),
      settled: () => this.#settled(),
      heir: () => this.#heir,
      onStop: () => void this.#stop().catch((error: Error) => adapter.problem(error.message)),
      onLeave: this.#left.open,
    });
    this.#adapter = adapter;
  }

  async run(first: LaneOpening): Promise<void> {
    const signals = ["SIGTERM", "SIGHUP"] as const;
    for (const signal of signals) process.once(signal, this.#left.open);
    const counting = setInterval(() => this.#moving && this.#adapter.refresh(), 1_000);
    try {
      for (let next: LaneOpening | null = first; next; ) {
        const opening: LaneOpening = next;
        next = await this.#talkIn(opening).catch((error: unknown) => this.#goBack(opening, error));
      }
    } finally {
      for (const signal of signals) process.off(signal, this.#left.open);
      clearInterval(counting);
      await this.#adapter.close();
    }
  }

  /** It could not be opened: the person stays where they were, and nothing that they typed is dropped without a word. */
  #goBack({ back }: LaneOpening, error: unknown): LaneOpening {
    for (const line of this.#unsaid) this.#adapter.problem(`Not sent: ${line}`);
    if (this.#isHere || !back) throw error;
    const { message } = failureOf(error, "baton chat --help");
    this.#adapter.problem(this.#cli.redact(this.#cli.terminal.named(message)));
    return { wish: back, lines: [], back: null };
  }

  /** Returns where the person goes from there; null if they left. */
  async #talkIn(opening: LaneOpening): Promise<LaneOpening | null> {
    const cli = this.#cli;
    const adapter = this.#adapter;
    const gone = gate();
    let next: LaneOpening | null = null;
    let isMovedByUs = false;
    let isGreeted = false;
    this.#status = {};
    this.#moving = null;
    this.#unsaid = [...opening.lines];
    this.#isHere = false;
    const surface: ChatSurface = {
      isScript: false,
      make: async (opened) => {
        const lane = await chooseLane(opening.wish, false, opened);
        adapter.moveTo(lane.source);
        return { adapter, lane };
      },
    };
    const onProblem = noted(cli, (problem) =>
      adapter.isOpen ? adapter.problem(cli.redact(cli.terminal.named(problem))) : tell(cli, problem),
    );
    const open = await cli.openChat(this.#config, surface, {
      onSession: (entry) => {
        this.#status = {
          agent: (entry && sessionModel(entry).model) ?? open.agent,
          ...(entry?.title ? { title: entry.title } : {}),
          ...(entry ? { sessionId: entry.sessionId, tokens: entry.totalTokens, cost: entry.cost } : {}),
        };
        if (isGreeted) adapter.refresh();
      },
      onTaken: (entry) => {
        if (!next && !isMovedByUs) this.#say(takenAwayText(entry));
      },
      onOthers: (messages) => adapter.others(messages),
      onOthersAtWork: (isAtWork) => adapter.othersAtWork(isAtWork),
      beside: async (wish) => {
        const opened = await openedBeside(open, wish);
        if (!opened) return null;
        const lane = open.gateway.lane(open.key);
        const isStopped = lane.run !== undefined && lane.stop("stopped");
        // Its own answer ends, and what was typed here and waits is asked there. Others go on.
        next = { ...opened, lines: [...opened.lines, ...(await open.gateway.takeBack(open.key))] };
        this.#ready = gate(); // What is typed from now on is for that one.
        void open
          .settled()
          .then(() => open.gateway.delivered())
          .finally(gone.open);
        return besideText(wish, isStopped);
      },
      onProblem,
      onHandoff: (move) => {
        isMovedByUs = move.state !== "failed";
        this.#moving = move.finishedAt === null && move.target !== LOCAL ? move : null;
        adapter.refresh();
        if (move.state === "completed") void open.gateway.delivered().finally(gone.open); // The conversation has moved away.
      },
      onCompletions: () => adapter.arrived(),
      onOffer: (text) => this.#say(text),
    });
    this.#open = open;
    try {
      await open.begin();
      adapter.resumed();
      await greet(cli, this.#config, open, adapter);
      if ((await open.terminals.others(open.key)) > 0) this.#say(OPEN_HERE_TOO);
      isGreeted = true;
      adapter.refresh();
      for (const line of opening.lines) {
        await adapter.type(line);
        this.#unsaid.shift();
        await open.settled();
      }
      this.#isHere = true;
      this.#ready.open();
      const left = this.#left.opened.then(() => adapter.handedOver()).then(() => this.#settled());
      await Promise.race([gone.opened, left]);
      if (!next) this.#heir = cli.terminal.named(await heirOf(open).catch(() => SOMEBODY));
    } finally {
      this.#open = null;
      await open.close();
    }
    return next;
  }

  /** Waits until it is known where the next line goes, and that is open. */
  async #settled(): Promise<void> {
    let ready: Promise<void>;
    do {
      ready = this.#ready.opened;
      await ready;
      await this.#open?.settled();
    } while (ready !== this.#ready.opened);
  }

  /** What was typed before is handed over first, so that it is cancelled with the rest. */
  async #stop(): Promise<void> {
    const isAnswering = this.#open?.gateway.lane(this.#open.key).run !== undefined;
    if (!isAnswering) await this.#adapter.handedOver();
    if (this.#open) this.#say(await stopAnswer(this.#open));
  }

  #say(text: string): void {
    if (text !== "") this.#adapter.say(this.#cli.terminal.named(text));
  }
}

/** Nothing, if a new conversation was begun beside others. */
async function greet(
  cli: Cli,
  config: Config,
  { gateway, key, sessions, session, agent }: OpenChat,
  adapter: Pick<TerminalAdapter, "say" | "note">,
): Promise<void> {
  const id = session();
  const entry = id && (await sessions.get(id));
  if (entry) {
    const { messages } = await sessions.recent(entry.sessionId, { maxMessages: LAST_MESSAGES });
    if (messages.length > 0) adapter.note(returnWords(entry, messages, Date.now()));
    return;
  }
  const left = await gateway.forCommands.handedOff(key);
  const away = left && (await sessions.get(left.sessionId));
  const isOffered = (await gateway.handoffs.offers()).some(({ sessionId }) => sessionId === away?.sessionId);
  if (away && away.endedAt === null && !isOffered)
    return adapter.say(cli.terminal.named(takenAwayText(away)));
  const { items } = await sessions.list({}, OWNER);
  if (items.some(({ origin }) => !isOfScript(origin))) return;
  const greeting = cli.terminal.named(firstGreeting((await cli.chooseModel(config)) ? agent : null));
  adapter.say([greeting, installHint(cli) ?? []].flat().join("\n\n"));
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
async function openedBeside(
  { terminals, key, session }: OpenChat,
  wish: SessionWish,
): Promise<LaneOpening | null> {
  const isJoined = wish.kind === "session" && (await terminals.others(wish.entry.key)) > 0;
  if (!isJoined && (await terminals.others(key)) === 0) return null;
  const here = session();
  const back: LaneWish = here === null ? { kind: "usual" } : { kind: "session", which: here };
  if (wish.kind === "session")
    return { wish: { kind: "session", which: wish.entry.sessionId }, lines: [], back };
  return { wish: { kind: "new" }, lines: wish.title === null ? [] : [`/new ${wish.title}`], back };
}

function besideText(wish: SessionWish, isStopped: boolean): string {
  const stopped = isStopped ? " I stopped what I was doing." : "";
  return wish.kind === "new"
    ? `The other terminal keeps this conversation.${stopped} A new one opens here.`
    : `Opening ${nameOf(wish.entry)} here.${stopped} The other terminals stay where they are.`;
}

/** Who continues an answer, if it is not known. */
const SOMEBODY = "another process continues it";

/** Who continues the answer that is being made here, if this terminal leaves. */
async function heirOf({ terminals, sessions, key, session }: OpenChat): Promise<string> {
  if ((await terminals.others(key)) > 0) return "the other terminal continues it";
  if (key === sessions.laneOf(localSource()).key) return "the next `baton` continues it";
  const id = session();
  return id === null ? SOMEBODY : `\`baton --session ${id}\` continues it`;
}
