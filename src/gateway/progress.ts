/**
 * What a turn does while it says nothing: which tools run, and since when; or that it waits for the model's server, and
 * until when. A tool that is done within a few seconds is not worth a word, and neither is such a wait. Nothing here calls
 * a platform: who shows the words hears when there are new ones.
 */
import type { ToolCall } from "../session/transcript.js";
import type { ModelRetry } from "../session/turn-facts.js";
import { parseJson } from "../util/json.js";
import type { Later } from "../util/later.js";
import { cleanLine, shorten } from "../util/text.js";
import { durationWords } from "../util/words.js";

/** From the start of a tool until it is worth a word. */
export const LONG_MS = 5_000;
/** Between two updates in the first minute, and later on. */
export const UPDATE_MS = 10_000;
const RARE_UPDATE_MS = 30_000;
const OFTEN = 6;
/** From a question until the words say who is waited for: a platform's line goes with the message that asks. */
export const ASKED_MS = 2_000;

export interface ProgressSetting {
  /** True if the words may tell what a tool works on, and which server is waited for. A group sees only which tool it is. */
  readonly hints: boolean;
  /** Milliseconds that pass whatever the clock says. */
  readonly elapsed: () => number;
  readonly later: Later;
  /** There are new words. */
  readonly changed: () => void;
}

/** A call that runs, and since when. */
export interface RunningCall {
  readonly call: ToolCall;
  readonly since: number;
}

/** A request to the model is made again at that time. */
export interface ModelWait {
  readonly reason: string;
  readonly until: number;
}

interface Watched extends RunningCall {
  /** It is no longer waited for. */
  readonly cancel: () => void;
}

export class Progress {
  readonly #setting: ProgressSetting;
  readonly #running = new Map<ToolCall, Watched>();
  #said: { readonly lines: string; readonly words: string } | null = null;
  #updates = 0;
  #cancelUpdate: () => void = () => {};
  #questions = 0;
  #wait: ModelWait | null = null;
  #isOver = false;

  constructor(setting: ProgressSetting) {
    this.#setting = setting;
  }

  started(call: ToolCall): void {
    if (this.#isOver) return;
    const { later, elapsed } = this.#setting;
    const cancel = later(() => this.#begin(), LONG_MS);
    this.#running.set(call, { call, since: elapsed(), cancel });
  }

  finished(call: ToolCall): void {
    this.#running.get(call)?.cancel();
    this.#running.delete(call);
  }

  /** The model's server can't answer now: it is asked again later. */
  waits({ reason, waitMs }: ModelRetry): void {
    if (this.#isOver) return;
    this.#wait = { reason, until: this.#setting.elapsed() + waitMs };
    if (waitMs >= LONG_MS || this.#said !== null) this.#update();
  }

  /** The model answers. */
  answers(): void {
    this.#wait = null;
  }

  asked(): void {
    this.#questions += 1;
    if (this.#isOver || this.#questions > 1) return;
    this.pause();
    this.#cancelUpdate = this.#setting.later(() => this.#update(), ASKED_MS);
  }

  answered(): void {
    this.#questions -= 1;
    if (this.isWaiting) return;
    this.pause();
    if (this.#running.size > 0) this.#cancelUpdate = this.#setting.later(() => this.#update(), UPDATE_MS);
  }

  /** True while a person is asked. The question says so itself, where the platform has no line for it. */
  get isWaiting(): boolean {
    return this.#questions > 0;
  }

  /** As of the last update, in Markdown, a line for each tool; empty while nothing is worth a word. */
  get lines(): string {
    return this.#said?.lines ?? "";
  }

  /** The same in one plain line that follows the bot's name. */
  get words(): string {
    return this.#said?.words ?? "";
  }

  /** The turn speaks: that says more. The next long tool is worth a word again. */
  pause(): void {
    this.#said = null;
    this.#wait = null;
    this.#updates = 0;
    this.#cancelUpdate();
  }

  end(): void {
    this.#isOver = true;
    this.pause();
    for (const call of [...this.#running.keys()]) this.finished(call);
  }

  #begin(): void {
    if (this.#said === null) this.#update(); // Otherwise the next update has it.
  }

  #update(): void {
    this.#cancelUpdate();
    const { later, changed, elapsed, hints } = this.#setting;
    const [running, now] = [[...this.#running.values()], elapsed()];
    const told = this.#wait
      ? waitingTexts(this.#wait, now, hints)
      : { lines: progressLines(running, now, hints), words: progressWords(running, now, hints) };
    this.#said = this.isWaiting ? { ...told, words: WAITING } : told;
    this.#updates += 1;
    this.#cancelUpdate = later(() => this.#update(), this.#updates > OFTEN ? RARE_UPDATE_MS : UPDATE_MS);
    changed();
  }
}

const WAITING = "is waiting for you";

/** So many tools are named. */
const MOST_NAMED = 3;

export function progressLines(running: readonly RunningCall[], now: number, hints: boolean): string {
  if (running.length === 0) return "⏳ Thinking";
  const named = running.slice(0, MOST_NAMED).map(({ call, since }) => {
    const hint = hints ? hintOf(call) : "";
    return `⏳ ${inCode(nameOf(call))}${hint && `: ${inCode(hint)}`}, for ${ranFor(since, now)}`;
  });
  const more = running.length - named.length;
  return [...named, ...(more > 0 ? [`⏳ ${more} more`] : [])].join("\n");
}

export function progressWords(running: readonly RunningCall[], now: number, hints: boolean): string {
  const [first] = running;
  if (!first) return "is thinking";
  const hint = hints ? hintOf(first.call) : "";
  const more = running.length > 1 ? `, and ${running.length - 1} more` : "";
  return `is running ${nameOf(first.call)}${hint && `: ${hint}`}, for ${ranFor(first.since, now)}${more}`;
}

export function waitingTexts(
  { reason, until }: ModelWait,
  now: number,
  hints: boolean,
): { readonly lines: string; readonly words: string } {
  const seconds = Math.ceil((until - now) / 1_000);
  const again = seconds > 0 ? `trying again in ${durationWords(seconds * 1_000)}` : "trying again";
  if (!hints)
    return { lines: `⏳ The model can't answer now: ${again}`, words: `is waiting for the model, ${again}` };
  const why = shorten(cleanLine(reason), MAX_REASON);
  return { lines: `⏳ ${inCode(why)}: ${again}`, words: `is waiting for the model (${why}), ${again}` };
}

/** Whole seconds: fractions would only look like precision. */
function ranFor(since: number, now: number): string {
  const ms = Math.max(0, now - since);
  return durationWords(ms < 60_000 ? Math.round(ms / 1_000) * 1_000 : ms);
}

const MAX_NAME = 64;
const MAX_HINT = 60;
const MAX_REASON = 120;
/** Arguments that are longer are not read for a hint. */
const MAX_READ = 10_000;

function nameOf({ name }: ToolCall): string {
  return shorten(cleanLine(name), MAX_NAME) || "a tool";
}

/** What it works on, as the terminal shows it too: its first argument, if that is words. */
function hintOf({ arguments: json }: ToolCall): string {
  if (json.length > MAX_READ) return "";
  try {
    const parsed = parseJson(json);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return "";
    const [first] = Object.values(parsed);
    return typeof first === "string" ? shorten(cleanLine(first), MAX_HINT) : "";
  } catch {
    return "";
  }
}

/** As code that it cannot end itself. */
function inCode(line: string): string {
  return `\`${line.replaceAll("`", "'")}\``;
}
