/** Sends the agent one message from a script, and prints the answer. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RemoteFile } from "../adapter/adapter.js";
import type { ScriptOptions } from "../adapter/terminal/script.js";
import { UNFINISHED } from "../adapter/terminal/script-output.js";
import type { TakenFor } from "../adapter/terminal/terminal-source.js";
import type { Config } from "../config/config.js";
import { ConflictError } from "../session/errors.js";
import type { Handoff } from "../session/handoff.js";
import { LOCAL } from "../session/platform.js";
import { cleanLine, printableText } from "../util/text.js";
import { type ChatFlags, movingWords, mustNameOne, noted, tell } from "./chat-parts.js";
import type { Cli } from "./cli.js";
import { CliError, failureOf, WRONG_USAGE, wrongUsage } from "./failure.js";
import { chooseLane, type LaneWish } from "./lane-choice.js";
import { type OneShotText, oneShotText } from "./one-shot-text.js";
import type { ChatSurface, OpenChat, QuestionWish } from "./opened-chat.js";
import { StopSigns } from "./stop-signs.js";
import { waitNotice } from "./wait-notice.js";

const LOOK_MS = 50;

const OPEN_ELSEWHERE =
  "Not done: this conversation is open in another terminal, and that one would lose it. Do it there, or name a session with --session.";

/** A script waits its turn: it neither interrupts nor steers another answer. */
const ONE_AFTER_ANOTHER = { default: "queue", byPlatform: {}, byChat: {}, momentSeconds: 0 } as const;

/** A question that was asked has told its own end. */
interface AskedQuestion {
  isTold: boolean;
}

/** Sends one message and prints the answer; the exit code says if it worked. With --json, so does the last event. */
export async function ask(cli: Cli, words: readonly string[], options: ChatFlags): Promise<void> {
  const asked: AskedQuestion = { isTold: false };
  try {
    mustNameOne(options);
    const said = await oneShotText(cli.streams.stdin, words, options.message, (line) => tell(cli, line));
    await askOnce(cli, said, options, asked);
  } catch (error) {
    if (options.json && !asked.isTold) {
      const { jsonFailure } = await import("../adapter/terminal/script-json.js");
      const { message, exitCode } = failureOf(error, "baton chat --help");
      const outcome = exitCode === WRONG_USAGE ? "refused" : "failed";
      jsonFailure(cli.streams.stdout, outcome, cli.redact(cli.terminal.named(message)));
    }
    throw error;
  }
}

async function askOnce(
  cli: Cli,
  { text, as }: OneShotText,
  options: ChatFlags,
  told: AskedQuestion,
): Promise<void> {
  const { ScriptAdapter } = await import("../adapter/terminal/script.js");
  const { stdin, stdout, stderr } = cli.streams;
  if (text.trim() === "") throw wrongUsage(emptyMessage(options.attach));
  let adapter: InstanceType<typeof ScriptAdapter> | undefined;
  const onProblem = noted(cli, (problem) => tell(cli, problem));
  const stillWaits = waitNotice(Date.now, (notice) => adapter?.notice(notice));
  const asked: { handoff?: Handoff } = {};
  /** What is said at the end of a handoff that was stopped. */
  let ending: string | undefined;
  const config = await cli.loadConfig();
  const question = await questionOf(cli, config, options);
  const surface: ChatSurface = {
    isScript: true,
    question,
    make: async (opened) => {
      const lane = await chooseLane(wishOf(options, as), true, opened);
      const session = () => open.session();
      const { json = false } = options;
      const keyboard = stdin.isTTY && stderr.isTTY ? { keyboard: stdin } : {};
      const watched = json ? {} : await watching(cli);
      adapter = new ScriptAdapter({
        ...{ stdout, stderr, json, source: lane.source, session },
        ...keyboard,
        ...watched,
      });
      return { adapter, lane };
    },
  };
  const open = await cli.openChat({ ...config, busy: ONE_AFTER_ANOTHER }, surface, {
    onProblem,
    onElsewhere: (key) => key === open.key && stillWaits(),
    onHandoff: (handoff) => {
      asked.handoff = handoff;
    },
    beside: async () => ((await open.terminals.others(open.key)) > 0 ? OPEN_ELSEWHERE : null),
  });
  const stop = new StopSigns(cli, () => open.gateway.cancel(open.key));
  try {
    if (!adapter) throw new Error("The terminal was not made.");
    const script = adapter;
    await open.begin();
    await open.gateway.delivered(); // First what an earlier chat still had to show: it is no answer to this.
    const files = await attached(options.attach ?? []);
    if (stop.isUnread()) return;
    const outcome = await script.ask(text, as, files, async () => {
      if (stop.isAsked) await open.gateway.cancel(open.key); // It may have come in while that was cancelled.
      await open.gateway.answered(open.key); // A command may have started another turn.
      await moved(cli, asked, stop);
      if (stop.isAsked && asked.handoff && isMoving(asked.handoff)) {
        ending = await calledOff(open, asked.handoff);
        script.finish("stopped");
      }
      await open.gateway.delivered(); // Also notices, such as why there is no answer.
      if (!ending && asked.handoff?.state === "failed") script.finish("failed", notMoved(asked.handoff));
    });
    told.isTold = true;
    if (stop.isUnread(ending)) return;
    if (asked.handoff?.state === "failed") throw new CliError("handoff_failed", notMoved(asked.handoff));
    if (outcome !== "done") throw new CliError("chat", UNFINISHED[outcome]);
  } finally {
    await open.gateway.cancel(open.key).finally(() => open.close());
    stop.end();
  }
}

/** Shows a person what happens until the answer is there. Loaded only if one looks. */
async function watching({ terminal, streams }: Cli): Promise<Pick<ScriptOptions, "watched">> {
  if (!terminal.isWatched) return {};
  const { WatchedOutput } = await import("../adapter/terminal/watched-output.js");
  const watchingTerminal = {
    progress: terminal.overwrites ? (line: string) => terminal.progress(line) : null,
    aside: (line: string) => terminal.aside(line),
    columns: () => streams.stderr.columns || terminal.columns,
    clock: Date.now,
  };
  return { watched: (output) => new WatchedOutput(output, watchingTerminal) };
}

function notMoved({ error }: Handoff): string {
  return `The conversation was not moved: ${cleanLine(error ?? "")}`;
}

/** What the options ask for, checked as far as it can be before the model's server is asked. */
async function questionOf(cli: Cli, config: Config, options: ChatFlags): Promise<QuestionWish> {
  const { model, system, session } = options;
  if (model !== undefined && !/^\S{1,200}$/.test(model))
    throw wrongUsage("--model needs the name of one model. Run `baton models` to list them.");
  if (model !== undefined && (await cli.chooseModel(config)) === null)
    throw new CliError(
      "no_model",
      `There is no model to choose here: the offline agent answers. Run \`baton models\` to see how to add one.`,
    );
  if (system !== undefined && system.trim() === "")
    throw wrongUsage(`--system needs a text, as in: --system "Answer in one sentence."`);
  return {
    ...(model === undefined ? {} : { model }),
    ...(system === undefined ? {} : { system: printableText(system) }),
    isUnsaved: session === false,
  };
}

/** A command is about a conversation that there is; a message that names none begins its own. */
function wishOf({ session, new: isNew, continue: goesOn }: ChatFlags, as: TakenFor): LaneWish {
  if (session === false) return { kind: "new" };
  if (session !== undefined) return { kind: "session", which: session };
  if (goesOn) return { kind: "usual" };
  return as === "command" && !isNew ? { kind: "usual" } : { kind: "new" };
}

/** An offer to the terminal waits for somebody to take it, not here. */
function isMoving({ finishedAt, target }: Handoff): boolean {
  return finishedAt === null && target !== LOCAL;
}

/** Cancels a handoff that nobody has begun to carry out; returns what to say. */
async function calledOff({ gateway }: OpenChat, handoff: Handoff): Promise<string> {
  try {
    await gateway.handoffs.cancel(handoff, { tell: false });
    return "Stopped. The conversation stays here.";
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return "Stopped. The conversation may move all the same: a gateway has begun to move it.";
  }
}

/** Waits until the requested handoff is over, showing the seconds; the gateway ends one that takes too long. */
async function moved(
  { terminal }: Cli,
  asked: { readonly handoff?: Handoff },
  stop: StopSigns,
): Promise<void> {
  while (asked.handoff && isMoving(asked.handoff) && !stop.isAsked) {
    terminal.progress(movingWords(asked.handoff));
    await sleep(LOOK_MS);
    terminal.progress("");
  }
}

/** Everything behind --attach is a file, also words that were meant as the message. */
function emptyMessage([file]: readonly string[] = []): string {
  return file === undefined
    ? `The message is empty. Give it as words: baton "your message".`
    : `The message is empty. Give it before --attach, as in: baton "your message" --attach ${printableText(file)}`;
}

async function attached(paths: readonly string[]): Promise<readonly RemoteFile[]> {
  if (paths.length === 0) return [];
  const { statSync } = await import("node:fs");
  for (const [index, path] of paths.entries()) {
    const shown = printableText(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats)
      throw wrongUsage(
        index === 0
          ? `File not found: ${shown}`
          : `File not found: ${shown}. Give the message before --attach.`,
      );
    if (stats.isDirectory()) throw wrongUsage(`Can't attach ${shown}: it is a folder. Name the files in it.`);
    if (!stats.isFile() && !stats.isFIFO()) throw wrongUsage(`Can't attach ${shown}: it is not a file.`);
  }
  const { attachedFile } = await import("../adapter/terminal/attached-file.js");
  return paths.map(attachedFile);
}
