/**
 * Erases a person, in this order: access, running turns, processes, then rows and files, then the person, then the bytes.
 * Whatever ends it in between, running it again finishes it: a row goes only after the files that it names, and the person
 * goes last.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes } from "../process/processes.js";
import { ConflictError } from "../session/errors.js";
import type { JobId, SessionId } from "../session/ids.js";
import type { Clock } from "../util/clock.js";
import type { Fingerprints } from "../util/fingerprints.js";
import { timerMs } from "../util/timer-ms.js";
import { counted } from "../util/words.js";
import type { ErasedPerson, Hear } from "./erasure.js";
import type { Media } from "./media.js";
import type { GatewayStore } from "./store.js";

export interface EraserSetting {
  readonly store: Pick<GatewayStore, "erasure" | "files">;
  readonly processes: Pick<Processes, "home" | "reconcile" | "remove">;
  readonly media: Pick<Media, "sweep">;
  /** Removes the results of a job. */
  readonly removeOutput: (job: JobId) => Promise<void>;
  /** The readable copies of sessions. */
  readonly copies: SessionCopies;
  readonly fingerprints: Fingerprints;
  /** The columns that hold words: there, others may have said the same. */
  readonly words: ReadonlySet<string>;
  readonly clock: Clock;
  readonly onProgress: (text: string) => void;
  /** How long running turns have to end by themselves. */
  readonly patienceMs?: number;
}

interface SessionCopies {
  remove(sessionId: SessionId): Promise<void>;
  /** Writes the copy of a session anew, if it has one. */
  refresh(sessionId: SessionId): Promise<void>;
}

/** What went, and what could not. */
export interface ErasedAmounts {
  readonly sessions: number;
  readonly messages: number;
  /** Messages in conversations of others, which say something else now. */
  readonly shared: number;
  readonly files: number;
  readonly jobs: number;
  readonly processes: number;
  /** Columns in which others repeat what the person said, with how many passages. */
  readonly repeated: Readonly<Record<string, number>>;
  /** What is left, in whole sentences that say what to do. */
  readonly left: readonly string[];
}

const PATIENCE_MS = 10_000;
const LOOK_MS = 100;

export async function erasePerson(whose: ErasedPerson, setting: EraserSetting): Promise<ErasedAmounts> {
  const { store, media, copies, fingerprints, clock, onProgress, removeOutput } = setting;
  const { erasure } = store;
  const hear: Hear = (kind, text) => {
    if (kind === "id") fingerprints.addName(text);
    else for (const passage of passagesIn(text)) fingerprints.addWords(passage);
  };
  onProgress("removing access");
  await erasure.lockOut(whose, hear);
  await endTurns(whose, setting);
  const processes = await endProcesses(whose, setting);
  const jobs = await erasure.jobs(whose);
  for (const id of jobs) await removeOutput(id);

  onProgress("looking through the conversations of others");
  const shared = await erasure.eraseShared(whose, clock(), hear);
  await erasure.eraseWork(whose, hear);
  for (const id of jobs) await removeOutput(id); // A run may have written its result meanwhile.
  const gone: SessionId[] = [];
  let messages = 0;
  for (let [next] = await erasure.sessions(whose, 1); next; [next] = await erasure.sessions(whose, 1)) {
    await copies.remove(next);
    messages += await erasure.eraseSession(next, hear);
    gone.push(next);
    onProgress(`${counted(gone.length, "session")} removed`);
  }
  for (const id of gone) await copies.remove(id); // A gateway may have written one meanwhile.
  for (const id of shared.sessionIds) await copies.refresh(id);
  const { files } = await media.sweep();
  await erasure.forgetPerson(whose, hear);

  onProgress("comparing with what stays");
  const { repeated, left } = await leftInRows(setting);
  const elsewhere = await store.files.unneeded(1);
  if (elsewhere.length > 0) {
    const lost = `${counted(elsewhere.length, "file")} of theirs ${elsewhere.length === 1 ? "is" : "are"} not in this home folder.`;
    left.push(`${lost} Run the same command on the other machine that uses this store.`);
  }
  onProgress("cleaning the store");
  left.push(...(await erasure.scrub()).problems);
  const amounts = { sessions: gone.length, messages, shared: shared.messages, files };
  return { ...amounts, jobs: jobs.length, processes, repeated, left };
}

/** What a text says. Of JSON that is what stands in its strings, as it is written there: its frame is everybody's. */
function passagesIn(text: string): string[] {
  if (!/^[[{]/.test(text)) return [text];
  try {
    const strings: string[] = [];
    JSON.parse(text, (_, value) => {
      if (typeof value === "string") strings.push(JSON.stringify(value).slice(1, -1));
      return value;
    });
    return strings;
  } catch {
    return [text];
  }
}

/** Asks their processes to end the turns, and takes the turns from those that do not. */
async function endTurns(
  whose: ErasedPerson,
  { store, clock, patienceMs = PATIENCE_MS, onProgress }: EraserSetting,
): Promise<void> {
  const until = performance.now() + patienceMs;
  while ((await store.erasure.stopTurns(whose, clock())) > 0 && performance.now() < until) {
    onProgress("waiting for running answers to end");
    await sleep(timerMs(LOOK_MS));
  }
  await store.erasure.endTurns(whose, clock());
}

/** Their processes end, and the output goes. Those of another machine must be ended there. */
async function endProcesses(
  whose: ErasedPerson,
  { store, processes, onProgress }: EraserSetting,
): Promise<number> {
  const known = await store.erasure.processes(whose);
  const first = known.find(({ home, isLive }) => isLive && home !== processes.home);
  if (first) {
    throw new ConflictError(
      "process_elsewhere",
      `A process of theirs, ${first.id}, may still run on another machine or in another home folder. End it there with \`baton processes kill ${first.id}\`, then run this command again.`,
    );
  }
  const here = known.filter(({ home }) => home === processes.home);
  if (here.some(({ isLive }) => isLive)) await processes.reconcile();
  for (const { id } of here) {
    onProgress(`ending ${id}`);
    await processes.remove(id);
  }
  return known.length;
}

/** Where their words are repeated, and where their names still stand. */
async function leftInRows({ store, fingerprints, words }: EraserSetting) {
  const repeated: Record<string, number> = {};
  const named = new Map<string, number>();
  await store.erasure.texts((text, table, column) => {
    const place = `${table}.${column}`;
    if (words.has(column)) {
      const pieces = fingerprints.leaveOut(text);
      if (pieces > 0) repeated[place] = (repeated[place] ?? 0) + pieces;
    }
    if (fingerprints.hasNameIn(text)) named.set(place, (named.get(place) ?? 0) + 1);
  });
  const left = [...named].map(
    ([place, rows]) =>
      `${counted(rows, "row")} of ${place} still ${rows === 1 ? "has" : "have"} an id of theirs: somebody else wrote it there, or a platform's connection remembers it.`,
  );
  return { repeated, left };
}
