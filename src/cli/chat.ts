/** `baton chat`: talk to the agent in this terminal, or send it one message from a script. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RemoteFile } from "../adapter/adapter.js";
import { sessionModel } from "../gateway/session-model.js";
import { fileLog } from "../log/file-log.js";
import { type Log, safeLog } from "../log/log.js";
import type { Handoff } from "../session/handoff.js";
import { LOCAL } from "../session/platform.js";
import type { OnProblem } from "../util/problem.js";
import { cleanLine, printableText } from "../util/text.js";
import { chatHistory } from "./chat-history.js";
import type { Cli } from "./cli.js";
import { CliError, wrongUsage } from "./failure.js";
import type { OpenChat } from "./opened.js";
import { waitNotice } from "./wait-notice.js";

interface ChatFlags {
  readonly session?: string;
  readonly new?: boolean;
  readonly message?: string;
  readonly attach?: readonly string[];
  readonly json?: boolean;
}

const LOOK_MS = 50;

export async function chat(cli: Cli, options: ChatFlags): Promise<void> {
  if (options.session !== undefined && options.new) throw wrongUsage("Give --session or --new, not both.");
  if (options.message !== undefined || !cli.streams.stdin.isTTY) return ask(cli, options);
  if (options.attach) throw wrongUsage("--attach needs --message or piped input.");
  if (options.json) throw wrongUsage("--json needs --message or piped input.");
  if (!cli.streams.stdout.isTTY)
    throw wrongUsage("A chat needs a terminal. Without one, use --message or pipe the message in.");
  return talk(cli, options);
}

/** A script waits its turn: it neither interrupts nor steers another answer. */
const ONE_AFTER_ANOTHER = { default: "queue", byPlatform: {}, byChat: {}, momentSeconds: 0 } as const;

const UNFINISHED = {
  failed: "The model failed before finishing its answer.",
  stopped: "The answer was stopped before it was finished.",
  refused: "Baton did not accept the message.",
} as const;

/** Sends one message and prints the answer; the exit code says if it worked. */
async function ask(cli: Cli, options: ChatFlags): Promise<void> {
  const { ScriptAdapter, readPiped } = await import("../adapter/terminal/script.js");
  const { stdin, stdout, stderr } = cli.streams;
  const text = options.message ?? (await readPiped(stdin));
  if (text.trim() === "") throw wrongUsage("The message is empty.");
  const adapter = new ScriptAdapter({ stdout, stderr, json: options.json ?? false });
  const onProblem = noted(cli, (problem) => tell(cli, problem));
  const stillWaits = waitNotice(Date.now, (notice) => adapter.notice(notice));
  const asked: { handoff?: Handoff } = {};
  const config = await cli.loadConfig();
  const open = await cli.openChat({ ...config, busy: ONE_AFTER_ANOTHER }, adapter, {
    onProblem,
    onElsewhere: (key) => key === open.key && stillWaits(),
    onHandoff: (handoff) => {
      asked.handoff = handoff;
    },
  });
  try {
    await choose(open, options);
    await open.gateway.start();
    await open.gateway.delivered(); // First what an earlier chat still had to show: it is no answer to this.
    const outcome = await adapter.ask(text, await attached(options.attach ?? []), async () => {
      await open.gateway.answered(open.key); // A command may have started another turn.
      await moved(cli, asked);
      await open.gateway.delivered(); // Also notices, such as why there is no answer.
      if (asked.handoff?.state === "failed") adapter.finish("failed");
    });
    if (asked.handoff?.state === "failed")
      throw new CliError(
        "handoff_failed",
        `The conversation was not moved: ${cleanLine(asked.handoff.error ?? "")}`,
      );
    if (outcome !== "done") throw new CliError("chat", UNFINISHED[outcome]);
  } finally {
    await open.close();
  }
}

/** Waits until the requested handoff is over, showing the seconds; the gateway ends one that takes too long. */
async function moved({ terminal }: Cli, asked: { readonly handoff?: Handoff }): Promise<void> {
  const isMoving = ({ finishedAt, target }: Handoff): boolean => finishedAt === null && target !== LOCAL;
  while (asked.handoff && isMoving(asked.handoff)) {
    terminal.progress(movingWords(asked.handoff));
    await sleep(LOOK_MS);
    terminal.progress("");
  }
}

async function attached(paths: readonly string[]): Promise<readonly RemoteFile[]> {
  if (paths.length === 0) return [];
  const { existsSync } = await import("node:fs");
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw wrongUsage(`File not found: ${printableText(missing)}`);
  const { attachedFile } = await import("../adapter/terminal/attached-file.js");
  return paths.map(attachedFile);
}

async function talk(cli: Cli, options: ChatFlags): Promise<void> {
  const { TerminalAdapter } = await import("../adapter/terminal/terminal-adapter.js");
  const config = await cli.loadConfig();
  const { stdin, stdout } = cli.streams;
  let status: { title?: string; agent?: string; tokens?: number } = {};
  let moving: Moving | null = null;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const adapter = new TerminalAdapter({
    input: stdin,
    output: stdout,
    color: cli.environment.color ?? true,
    pictures: cli.environment.pictures,
    status: () => ({ ...status, ...(moving ? { moving: movingWords(moving) } : {}) }),
    complete: (line) => open.complete(line),
    history: chatHistory(config.home, cli.hide),
    onStop: () => open.gateway.lane(open.key).stop("stopped"),
    onLeave: leave,
  });
  const counting = setInterval(() => moving && adapter.refresh(), 1_000);
  const open = await cli.openChat(config, adapter, {
    onChange: () => void refresh(),
    onProblem: noted(cli, (problem) =>
      adapter.isOpen ? adapter.problem(cli.redact(problem)) : tell(cli, problem),
    ),
    onHandoff: (move) => {
      moving = move.finishedAt === null && move.target !== LOCAL ? move : null;
      adapter.refresh();
      if (move.state === "completed") void open.gateway.delivered().finally(leave); // The conversation has moved away.
    },
    onPlaces: () => adapter.refresh(),
    onOffer: (text) => adapter.say(text),
  });
  const refresh = async (): Promise<void> => {
    const entry = await open.sessions.current(open.key).catch(() => null); // The status line can wait; the chat goes on.
    status = {
      agent: (entry && sessionModel(entry).model) ?? open.agent,
      ...(entry?.title ? { title: entry.title } : {}),
      ...(entry ? { tokens: entry.totalTokens } : {}),
    };
    adapter.refresh();
  };
  const signals = ["SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, leave);
  try {
    await choose(open, options);
    await refresh();
    await open.gateway.start();
    await left;
  } finally {
    for (const signal of signals) process.off(signal, leave);
    clearInterval(counting);
    await open.close();
  }
}

type Moving = Pick<Handoff, "target" | "isBusy" | "readySince" | "waitMs">;

/** `moving to discord:7, 12 s of 60`. */
function movingWords({ target, isBusy, readySince, waitMs }: Moving): string {
  if (isBusy) return `will move to ${target} after this answer`;
  const seconds = Math.max(0, Math.round((Date.now() - readySince) / 1_000));
  return `moving to ${target}, ${seconds} s of ${Math.round(waitMs / 1_000)}`;
}

/** Shows a problem, and writes it into the log. */
function noted({ home, redact }: Cli, told: OnProblem): OnProblem {
  const log: Log = safeLog(redact, fileLog({ home, by: "chat", onProblem: told }));
  return (problem, details) => {
    told(problem);
    log("warn", problem, details);
  };
}

function tell(cli: Cli, problem: string): void {
  cli.terminal.problem(printableText(problem));
}

/** Chooses the session: the one given, a new one, or the current one. */
async function choose({ gateway, sessions, source }: OpenChat, options: ChatFlags): Promise<void> {
  if (options.new) await sessions.getOrCreate(source, { forceNew: true });
  if (options.session === undefined) return;
  const { OWNER } = await import("../session/access.js");
  const { TERMINAL_ACCOUNT } = await import("../adapter/terminal/terminal-source.js");
  const { sessionId } = await sessions.find(options.session, OWNER);
  const offer = (await gateway.handoffs.offers()).find((each) => each.sessionId === sessionId);
  if (offer) await gateway.handoffs.take(offer, source, gateway.holder);
  else await gateway.handoffs.bring(sessionId, { source, account: TERMINAL_ACCOUNT }, gateway.holder);
}
