/** A job as people, agents and scripts ask for it, in texts and numbers, and the setting that it means. Pure. */
import { InputError } from "../session/errors.js";
import { checkTimeZone } from "../session/reset-policy.js";
import { cleanLine, shorten } from "../util/text.js";
import { type CatchUp, defaultCatchUp, MISSED, type Missed } from "./due.js";
import { JOB_SESSIONS, type JobSession, type JobSetting, OVERLAPS, type Overlap } from "./job.js";
import { parseSchedule, parseSpan } from "./parse.js";
import type { Timing } from "./schedule.js";
import { parseTargets } from "./targets.js";

/** What is absent stays as it is, or is as usual. */
export interface JobWish {
  readonly name?: string;
  readonly prompt?: string | null;
  readonly command?: string | null;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly deliver?: string;
  readonly session?: string;
  readonly model?: string | null;
  readonly tools?: readonly string[] | null;
  readonly missed?: string;
  /** Such as `12h`, like `jitter` and `timeout`. */
  readonly grace?: string;
  readonly overlap?: string;
  readonly jitter?: string;
  readonly timeout?: string;
  readonly repeat?: number | null;
  readonly dailyTokens?: number | null;
}

export interface WishContext {
  readonly now: number;
  /** The zone of a job that names no other. */
  readonly timeZone: string;
  /** The time that a run may take if the job says nothing else. */
  readonly timeoutMs: number;
}

const LONGEST_NAME = 60;
const LONGEST_TEXT = 20_000;
const LONGEST_JITTER_MS = 86_400_000;
const LONGEST_TIMEOUT_MS = 86_400_000;

/** The setting of a new job, or, with `before`, of one that is changed. Fails with a sentence. */
export function settingOf(wish: JobWish, context: WishContext, before?: JobSetting): JobSetting {
  const prompt = textOf(wish.prompt, before?.prompt ?? null, "prompt");
  const command = textOf(wish.command, before?.command ?? null, "command");
  if (prompt === null && command === null)
    throw refused("Say what the job does: a prompt for the agent, or a command.");
  const timing = timingOf(wish, context, before);
  const deliver = wish.deliver ?? before?.deliver ?? "origin";
  parseTargets(deliver);
  return {
    name: nameOf(wish.name ?? givenName(before) ?? prompt ?? command ?? ""),
    prompt,
    command,
    timing,
    deliver: deliver.trim(),
    session: oneOf<JobSession>(wish.session, JOB_SESSIONS, before?.session ?? "own", "session"),
    model: wish.model === undefined ? (before?.model ?? null) : wish.model,
    tools: wish.tools === undefined ? (before?.tools ?? null) : wish.tools,
    catchUp: catchUpOf(wish, timing, before),
    overlap: oneOf<Overlap>(wish.overlap, OVERLAPS, before?.overlap ?? "skip", "overlap"),
    jitterMs: spanOf(wish.jitter, before?.jitterMs ?? 0, LONGEST_JITTER_MS, "jitter"),
    timeoutMs: timeoutOf(wish.timeout, before?.timeoutMs ?? context.timeoutMs),
    repeat: countOf(wish.repeat, before?.repeat ?? null, "repeat"),
    dailyTokens: countOf(wish.dailyTokens, before?.dailyTokens ?? null, "dailyTokens"),
  };
}

function timingOf(wish: JobWish, { now, timeZone: usual }: WishContext, before?: JobSetting): Timing {
  const timeZone = wish.timeZone ?? before?.timing.timeZone ?? usual;
  checkTimeZone(timeZone, "timezone");
  if (wish.schedule !== undefined)
    return { schedule: parseSchedule(wish.schedule, { now, timeZone }), timeZone, from: now };
  if (!before) throw refused("Say when the job runs.");
  return { ...before.timing, timeZone };
}

/** Another schedule has another period, so what was usual for the old one does not stay. */
function catchUpOf({ missed, grace, schedule }: JobWish, timing: Timing, before?: JobSetting): CatchUp {
  const usual = before && schedule === undefined ? before.catchUp : defaultCatchUp(timing);
  return {
    missed: oneOf<Missed>(missed, MISSED, usual.missed, "missed"),
    graceMs: spanOf(grace, usual.graceMs, Number.MAX_SAFE_INTEGER, "grace"),
  };
}

/** Null if the job is called by its text: with another text it is called by that. */
function givenName(before?: JobSetting): string | null {
  if (!before) return null;
  return before.name === nameOf(before.prompt ?? before.command ?? "") ? null : before.name;
}

function nameOf(text: string): string {
  const name = shorten(cleanLine(text), LONGEST_NAME);
  if (name === "") throw refused("The name of a job can't be empty.");
  return name;
}

function textOf(wanted: string | null | undefined, before: string | null, what: string): string | null {
  const text = wanted === undefined ? before : wanted?.trim() || null;
  if (text !== null && text.length > LONGEST_TEXT)
    throw refused(`The ${what} is too long: it may have ${LONGEST_TEXT} characters.`);
  return text;
}

function spanOf(wanted: string | undefined, before: number, most: number, what: string): number {
  if (wanted === undefined) return before;
  const ms = wanted.trim() === "0" ? 0 : parseSpan(wanted);
  if (ms === null || ms > most)
    throw refused(
      `${JSON.stringify(cleanLine(wanted))} can't be the ${what}: write a time such as 30m or 2h.`,
    );
  return ms;
}

function timeoutOf(wanted: string | undefined, before: number): number {
  const ms = spanOf(wanted, before, LONGEST_TIMEOUT_MS, "timeout");
  if (ms > 0) return ms;
  throw refused("A run needs some time: the timeout can't be 0.");
}

function countOf(wanted: number | null | undefined, before: number | null, what: string): number | null {
  if (wanted === undefined || wanted === null) return wanted === null ? null : before;
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted;
  throw refused(`\`${what}\` must be a whole number of at least 1.`);
}

function oneOf<Word extends string>(
  wanted: string | undefined,
  words: readonly Word[],
  before: Word,
  what: string,
): Word {
  if (wanted === undefined) return before;
  const found = words.find((word) => word === wanted.trim().toLowerCase());
  if (found) return found;
  throw refused(`\`${what}\` is one of ${words.join(", ")}, not ${JSON.stringify(cleanLine(wanted))}.`);
}

function refused(why: string): InputError {
  return new InputError("invalid_job", why);
}
