/**
 * The tool `process`: what the agent does with the commands that it has in the background. It reaches only those that the
 * turn's person may see here. An error says what to do instead.
 */
import type { Tool, ToolContext } from "../../agent/agent.js";
import { type Arguments, answering, Refused } from "../../agent/tools/refused.js";
import type { KnownProcess, Processes, SeenProcess } from "../../process/processes.js";
import { canBeEnded, processMeant } from "../../process/words.js";
import { BatonError } from "../../session/errors.js";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import { grouped } from "../../util/words.js";
import type { ProcessLimits } from "./options.js";
import { dangerOfCall, dangerOfTyping } from "./typing.js";
import {
  BYTES_A_CHARACTER,
  commandWords,
  countWords,
  isEnded,
  logPart,
  lookAt,
  placeWords,
  readable,
  stateWords,
} from "./words.js";

export interface ProcessToolSetting {
  readonly processes: Processes;
  readonly limits: ProcessLimits;
  /** Those that the person may see here, newest first. */
  readonly seen: () => Promise<readonly SeenProcess[]>;
  /** Aborted once the person has written something that this turn has not read. */
  readonly personWrote: () => AbortSignal;
  readonly clock: Clock;
}

const ACTIONS = ["list", "poll", "log", "wait", "kill", "write", "submit", "close"] as const;
type ProcessAction = (typeof ACTIONS)[number];

/** How much a look shows, and how many lines a log. */
const MOST_NEW = 20_000;
const MOST_TAIL = 4_000;
const LOG_LINES = 200;
const LONGEST_TEXT = 100_000;

export function processTool(setting: ProcessToolSetting): Tool {
  return {
    name: "process",
    description: DESCRIPTION,
    parameters: parametersFor(setting.limits),
    danger: (args) => dangerOfCall(args, setting.seen),
    run: answering(async (args, context) => {
      try {
        return await act(setting, actionOf(args), args, context);
      } catch (error) {
        if (error instanceof BatonError) throw new Refused(error.message);
        throw error;
      }
    }),
  };
}

const DESCRIPTION = [
  "Manages commands that `terminal` runs in the background. They belong to the conversation, and go on after the turn.",
  "Actions: `list` shows them; `poll` shows what one printed since the last poll, or the screen of its terminal; `log` shows lines of its output;",
  "`wait` waits until it has ended; `kill` ends it with all that it started; `write` types text into it, `submit` the same and Enter; `close` ends its input.",
].join(" ");

function parametersFor({ maxWaitSeconds }: ProcessLimits): Tool["parameters"] {
  return {
    type: "object",
    properties: {
      action: { type: "string", enum: ACTIONS },
      id: {
        type: "string",
        description: "The process, by its id or the beginning of it. For all actions but `list`.",
      },
      offset: {
        type: "integer",
        description:
          "For `log`: the first line, from 1; a negative number counts from the end. By default the last lines.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: `For \`log\`: how many lines; ${LOG_LINES} by default.`,
      },
      timeout: {
        type: "number",
        description: `For \`wait\`: how many seconds; ${maxWaitSeconds} by default and at most.`,
      },
      text: {
        type: "string",
        description: "For `write` and `submit`: what to type. Control characters are sent as they are.",
      },
    },
    required: ["action"],
    additionalProperties: false,
  };
}

function actionOf(args: Arguments): ProcessAction {
  const given = args.text("action", 100);
  const action = ACTIONS.find((name) => name === given);
  if (!action) throw new Refused(`there is no action ${JSON.stringify(given)}. Use ${ACTIONS.join(", ")}.`);
  return action;
}

async function act(
  setting: ProcessToolSetting,
  action: ProcessAction,
  args: Arguments,
  context: ToolContext,
): Promise<string> {
  if (action === "list") return list(setting);
  const process = await meant(setting, action, args);
  switch (action) {
    case "poll":
      return poll(setting, process);
    case "log":
      return log(setting, process, args);
    case "wait":
      return wait(setting, process, args, context);
    case "kill":
      return kill(setting, process);
    case "write":
    case "submit":
      return write(setting, process, action, args, context);
    case "close":
      return close(setting, process);
    default:
      return action satisfies never;
  }
}

async function list({ seen, clock }: ProcessToolSetting): Promise<string> {
  const processes = await seen();
  if (processes.length === 0) return "There are no processes.";
  const lines = processes.map((process) => {
    const { kept } = process;
    return `${kept.id} ${stateWords(process, clock())}: ${commandWords(kept)} ${placeWords(kept)}`;
  });
  return [`${countWords(processes.length)}, newest first:`, ...lines].join("\n");
}

async function meant(
  { seen }: ProcessToolSetting,
  action: ProcessAction,
  args: Arguments,
): Promise<SeenProcess> {
  const given = args.optionalText("id", 100);
  const named = (await seen()).map((process) => ({ id: process.kept.id, process }));
  if (given !== undefined) return processMeant(named, given.trim()).process;
  const known =
    named.length === 0 ? "There are no processes." : `Give one of ${named.map(({ id }) => id).join(", ")}.`;
  throw new Refused(`\`id\` is missing, and \`${action}\` needs it. ${known}`);
}

async function poll(setting: ProcessToolSetting, { kept }: SeenProcess): Promise<string> {
  const { processes, limits, clock } = setting;
  const process = await processes.status(kept.id);
  if (process.status.pty) {
    const { cols, rows } = process.status.pty;
    const screen = await lookAt(processes, process, limits.outputCharacters);
    const now = head(process, clock());
    return `${now}\n\n${screen === null ? "Its screen is blank." : `Its screen, ${cols} × ${rows}:\n${screen}`}`;
  }
  const most = Math.min(MOST_NEW, limits.outputCharacters);
  const { process: now, output } = await processes.poll(kept.id, most);
  const text = readable(output, most);
  if (text === "") return `${head(now, clock())}\n\nNo new output.`;
  // Both ends may have been inside a character.
  const isCut = output.to - output.from > most - 2 * BYTES_A_CHARACTER;
  const note = isCut ? " (only its end; see the rest with `log`)" : "";
  return `${head(now, clock())}\n\nNew output${note}:\n${text}`;
}

async function log(setting: ProcessToolSetting, process: SeenProcess, args: Arguments): Promise<string> {
  const { processes, limits, clock } = setting;
  const limit = Math.floor(args.optionalNumber("limit", 1) ?? LOG_LINES);
  const offset = args.optionalInteger("offset") ?? -limit;
  const bytes = limits.outputCharacters * BYTES_A_CHARACTER;
  const output = await processes.read(process.kept.id, -bytes, bytes);
  const text = printableText(output.text);
  const kept = text.slice(-limits.outputCharacters);
  const gone = output.from + Buffer.byteLength(text) - Buffer.byteLength(kept);
  if (kept === "") return `${head(process, clock())}\n\nNo output.`;
  const part = logPart(kept, offset, limit);
  const dropped = gone === 0 ? "" : ` The first ${grouped(gone)} bytes are no longer kept.`;
  return `${head(process, clock())}\n\nOutput, ${part.which}.${dropped}\n${part.text}`.trimEnd();
}

async function wait(
  setting: ProcessToolSetting,
  process: SeenProcess,
  args: Arguments,
  { signal }: ToolContext,
): Promise<string> {
  const { processes, limits, personWrote, clock } = setting;
  const asked = args.optionalNumber("timeout", 0) ?? limits.maxWaitSeconds;
  const seconds = Math.min(asked, limits.maxWaitSeconds);
  const wrote = personWrote();
  const ended = await processes.wait(process.kept.id, {
    timeoutMs: seconds * 1_000,
    signal: AbortSignal.any([signal, wrote]),
  });
  if (ended.status === null && !isEnded(ended)) return `${head(ended, clock())}\n\n${NO_ANSWER}`;
  const clamped = asked > seconds ? ` (\`timeout\` was limited to ${seconds} s)` : "";
  const why = isEnded(ended)
    ? "It has ended."
    : wrote.aborted
      ? "The person wrote something, so this stopped waiting. The process is still running. If their message does not come next, finish your answer: it comes after that."
      : signal.aborted
        ? "Stopped waiting. The process is still running."
        : `It still runs after ${seconds} s${clamped}. It goes on by itself; you need not wait for it.`;
  const shown = await lookAt(processes, ended, MOST_TAIL);
  return `${head(ended, clock())}\n\n${why}\n\n${shown === null ? "No output." : `The end of its output:\n${shown}`}`;
}

const NO_ANSWER = "Stopped waiting, because the process host does not answer. Try again later.";

async function kill({ processes, clock }: ProcessToolSetting, process: SeenProcess): Promise<string> {
  if (!canBeEnded(process)) mustRun(process, clock());
  const ended = await processes.kill(process.kept.id, "agent");
  return !canBeEnded(ended)
    ? head(ended, clock())
    : `Error: ${process.kept.id} could not be ended, and may still run.`;
}

async function write(
  { processes, clock }: ProcessToolSetting,
  process: SeenProcess,
  action: "write" | "submit",
  args: Arguments,
  { approved }: ToolContext,
): Promise<string> {
  const text =
    action === "submit" ? (args.optionalText("text", LONGEST_TEXT) ?? "") : args.text("text", LONGEST_TEXT);
  mustRun(process, clock());
  const known = await processes.status(process.kept.id); // It fails if nobody knows what was typed before.
  const enter = known.status.pty ? "\r" : "\n";
  const typed = action === "submit" ? `${text}${enter}` : text;
  await typeChecked(processes, known, typed, async (now) => {
    const danger = await dangerOfTyping(now, text);
    if (danger !== null && danger.what !== approved?.what) throw new Refused(TYPED_MEANWHILE);
  });
  return `Written to ${process.kept.id}. Use \`poll\` to see what it answers.`;
}

const TYPED_MEANWHILE =
  "nothing was written, because something else was typed into it meanwhile. Look at it with `poll`, then try again.";
const MOST_TRIES = 5;

/** Calls of a step run at the same time: what one of them types changes what is to be checked for the others. */
async function typeChecked(
  processes: Processes,
  known: KnownProcess,
  text: string,
  check: (now: SeenProcess) => Promise<void>,
): Promise<void> {
  const { id } = known.kept;
  for (let now = known, tries = 0; tries < MOST_TRIES; now = await processes.status(id), tries++) {
    await check(now);
    try {
      await processes.write(id, text, now.status.unsent);
      return;
    } catch (error) {
      if (!(error instanceof BatonError) || error.code !== "process_input_changed") throw error;
    }
  }
  throw new Refused(TYPED_MEANWHILE);
}

async function close({ processes, clock }: ProcessToolSetting, process: SeenProcess): Promise<string> {
  mustRun(process, clock());
  await processes.close(process.kept.id);
  return `Closed the input of ${process.kept.id}. Use \`poll\` to see if it ends.`;
}

function mustRun(process: SeenProcess, now: number): void {
  if (isEnded(process))
    throw new Refused(`${process.kept.id} has already ended: it ${stateWords(process, now)}.`);
}

function head(process: SeenProcess, now: number): string {
  return `${process.kept.id} ${stateWords(process, now)}: ${commandWords(process.kept)}`;
}
