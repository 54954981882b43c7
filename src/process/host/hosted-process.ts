/**
 * One process of the host. It was started here, or by a host before this one: then its output goes on, but nobody will
 * see its exit code. What holds:
 * - the record is saved before the process starts, and with its end before anybody hears of it;
 * - it has ended only when nothing of its group runs, if it was killed; its end never changes.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessId } from "../../session/ids.js";
import { fateOf } from "../../util/holder.js";
import { forgetThere, statusThere } from "../../util/remote-control.js";
import type {
  EndedBy,
  OutputPart,
  ProcessEnd,
  ProcessSpec,
  ProcessStatus,
  TerminalSize,
} from "../process.js";
import { NOTHING_TYPED, typedAfter } from "../unsent.js";
import { type ChildExit, type HostedChild, startPiped } from "./child.js";
import { endProcess, exitInside } from "./ending.js";
import { OutputFile } from "./output-file.js";
import { type GroupOwner, ownGroup } from "./own-group.js";
import { type loadPty, startOnPty } from "./pty.js";
import { newRecord, outputPath, type ProcessRecord, removeRecord, saveRecord } from "./record.js";

/** How long processes that are just ending may take. */
const MOMENT_MS = 100;
const LOOK_MS = 20;
/** How long it may take until the exit of something that is gone is seen. */
const SEEN_MS = 10_000;
const NOBODY_SAW = "The process host ended while this was running, so its exit code is unknown.";
const RESTARTED = "The machine or its container was restarted while this was running.";
const NEVER_KNOWN = "The process host ended while it started this. It may not have run.";
const NEVER_STARTED = "Baton ended before it started this process.";
const CUT_OFF = "The connection was lost. It may still be running there.";

export interface HostParts {
  readonly folder: string;
  readonly pty: Awaited<ReturnType<typeof loadPty>>;
  readonly clock: () => number;
  readonly onOutput: (process: HostedProcess) => void;
  readonly onEnded: (process: HostedProcess) => void;
}

export class HostedProcess {
  readonly #parts: HostParts;
  readonly #output: OutputFile;
  #record: ProcessRecord;
  #child: HostedChild | null = null;
  #killedBy: "agent" | "person" | null = null;
  #killing: Promise<boolean> | null = null;
  #polledThrough = 0;
  #typed = NOTHING_TYPED;
  #isSaved = true;
  /** What was last known of the output, and whether it was to be removed. */
  #range: ProcessStatus["output"];
  #isRemoved = false;
  #hasExited = false;
  #looking: Promise<void> | null = null;
  #tellOver: () => void = () => {};
  readonly #over = new Promise<void>((resolve) => {
    this.#tellOver = resolve;
  });

  private constructor(parts: HostParts, record: ProcessRecord) {
    this.#parts = parts;
    this.#record = record;
    this.#output = new OutputFile(outputPath(parts.folder, record.id), record.place);
    this.#range = { from: record.place.olderFrom, to: record.place.base };
  }

  static async start(parts: HostParts, spec: ProcessSpec): Promise<HostedProcess> {
    const { id, hasOwnProcesses, remote, environment } = spec;
    const hosted = new HostedProcess(parts, {
      ...newRecord(id, parts.clock()),
      hasOwnProcesses,
      remote,
      environment: remote ? environment : {},
    });
    try {
      saveRecord(parts.folder, hosted.#record);
      await hosted.#start(spec);
    } catch (error) {
      hosted.#removeIfPossible();
      throw error;
    }
    return hosted;
  }

  /** One that must never be started. */
  static abandon(parts: HostParts, id: ProcessId): HostedProcess {
    const now = parts.clock();
    const record = {
      ...newRecord(id, now),
      end: { kind: "lost", why: NEVER_STARTED },
      endedAt: now,
    } as const;
    saveRecord(parts.folder, record);
    return new HostedProcess(parts, record);
  }

  /** Takes on what a host before this one left. */
  static adopt(parts: HostParts, record: ProcessRecord): HostedProcess {
    const hosted = new HostedProcess(parts, record);
    if (record.end === null && record.name === null) hosted.#end({ kind: "lost", why: NEVER_KNOWN });
    return hosted;
  }

  async #start(spec: ProcessSpec): Promise<void> {
    const { pty, onOutput } = this.#parts;
    const { child, exit } =
      spec.pty && pty
        ? startOnPty(pty, spec, spec.pty, this.#output, () => onOutput(this))
        : await startPiped(spec, this.#output);
    this.#child = child;
    this.#save({ pid: child.pid, name: child.name, pty: child.pty });
    exit.then((how) => this.#exited(how));
  }

  get id() {
    return this.#record.id;
  }

  get isRunning(): boolean {
    return this.#record.end === null;
  }

  /** True if it runs, or left something behind that does. */
  get isActive(): boolean {
    const { end } = this.#record;
    return end === null || (end.kind === "exited" && end.leftBehind);
  }

  get endedAt(): number | null {
    return this.#record.endedAt;
  }

  get status(): ProcessStatus {
    const { id, pid, startedAt, end, endedAt } = this.#record;
    return {
      id,
      pid,
      startedAt,
      pty: this.#pty,
      end,
      endedAt,
      output: this.#outputRange,
      takesInput: this.isRunning && this.#child?.takesInput === true,
      unsent: this.#typed.unsent,
    };
  }

  /** If the file can't be looked at, as it was: everything else is known all the same. */
  get #outputRange(): ProcessStatus["output"] {
    try {
      if (!this.#isRemoved) this.#range = this.#output.range;
    } catch {
      // A read of the output fails with the reason.
    }
    return this.#range;
  }

  get #pty(): TerminalSize | null {
    return this.#child?.pty ?? this.#record.pty;
  }

  /** Why nothing can be written to it. */
  get whyDeaf(): string {
    if (!this.isRunning) return "The process has ended, so it takes no more input.";
    return this.#child === null
      ? "The process is still running, but nothing can be typed into it any more: the process host that started it has ended."
      : "The input of the process is closed.";
  }

  read(from: number, limit: number): OutputPart {
    if (this.#isRemoved) throw new Error("The output of the process was removed.");
    return this.#output.read(from, limit, !this.isRunning);
  }

  /** What is new since the last poll, at most the last `limit` bytes. */
  poll(limit: number): OutputPart {
    const { to } = this.#outputRange;
    const part = this.read(Math.max(this.#polledThrough, to - limit), limit);
    this.#polledThrough = part.to;
    return part;
  }

  /** How much it has not read of its input, in bytes. */
  get unread(): number {
    return this.#child?.unread ?? 0;
  }

  write(text: string): void {
    this.#child?.write(text);
    this.#typed = typedAfter(this.#typed, text, this.#pty !== null);
  }

  close(): void {
    this.#child?.close();
  }

  resize(size: TerminalSize): void {
    if (!this.#child) return;
    this.#child.resize(size);
    this.#save({ pty: size });
  }

  /** Keeps the output file bounded. */
  trim(): void {
    if (this.#isRemoved) return;
    const { base } = this.#record.place;
    this.#output.trim(!this.isActive);
    if (this.#output.place.base !== base) this.#save({ place: this.#output.place });
  }

  /** Ends everything that belongs to it. Settles when it is gone, or could not be ended. */
  async kill(by: "agent" | "person", graceMs: number): Promise<void> {
    const { hasOwnProcesses, remote, environment } = this.#record;
    if (!this.isActive) return;
    // What has ended already is not ended by us, though nobody has looked yet.
    if (this.isRunning && (remote || ownGroup(this.#owner) !== null)) this.#killedBy ??= by;
    const which = { ...this.#owner, hasOwnProcesses, remote, environment };
    this.#killing ??= endProcess(which, graceMs).finally(() => {
      this.#killing = null;
    });
    const isGone = await this.#killing;
    await this.look();
    if (!isGone) return;
    if (this.isRunning) await Promise.race([this.#over, delay(SEEN_MS, undefined, { ref: false })]);
    this.#lookBehind();
  }

  /** Looks whether a process that was started by another host has ended, and what it left behind. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    this.#lookBehind();
    if (this.#killing) await this.#killing;
    const { name } = this.#record;
    if (this.#child !== null || !this.isRunning || name === null) return;
    const fate = fateOf(name);
    if (fate === "alive") return;
    this.#end(await this.#unseenEnd(fate === "unknown" ? RESTARTED : NOBODY_SAW));
  }

  /** What it left behind may have ended, too: that is said like its end. */
  #lookBehind(): void {
    const { end } = this.#record;
    if (end?.kind !== "exited" || !end.leftBehind || ownGroup(this.#owner) !== null) return;
    this.#save({ end: { ...end, leftBehind: false } });
    this.#parts.onEnded(this);
  }

  get #owner(): GroupOwner {
    const { id, pid, name, pty, end } = this.#record;
    const hasExited = this.#hasExited || end?.kind === "exited";
    return { id, pid, name, isChild: this.#child !== null && !hasExited, hasExited, hasPty: pty !== null };
  }

  async #exited(how: ChildExit): Promise<void> {
    this.#hasExited = true;
    if (this.#killing) await this.#killing;
    const { hasOwnProcesses, remote } = this.#record;
    if (remote) return this.#end(await this.#unseenEnd(CUT_OFF));
    const exit = hasOwnProcesses && this.#killedBy ? exitInside(how) : how;
    const by = this.#endedBy(exit);
    this.#end({ kind: "exited", ...exit, by, leftBehind: await this.#leavesBehind() });
  }

  /** How a process ended that is not our child, if where it ran can tell. */
  async #unseenEnd(why: string): Promise<ProcessEnd> {
    const { remote, environment } = this.#record;
    const state = remote ? await statusThere(remote, environment) : null;
    if (state === null && this.#killedBy) {
      const leftBehind = await this.#leavesBehind();
      return { kind: "exited", code: null, signal: null, by: this.#killedBy, leftBehind };
    }
    if (state?.kind !== "exited") return { kind: "lost", why: state ? CUT_OFF : why };
    if (remote) void forgetThere(remote, environment);
    const seen = { code: state.code, signal: null };
    const exit = this.#killedBy ? exitInside(seen) : seen;
    return { kind: "exited", ...exit, by: this.#endedBy(exit), leftBehind: false };
  }

  #endedBy({ signal }: ChildExit): EndedBy {
    return this.#killedBy ?? (signal === null ? "itself" : "another");
  }

  async #leavesBehind(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < MOMENT_MS; waitedMs += LOOK_MS) {
      if (ownGroup(this.#owner) === null) return false;
      await delay(LOOK_MS);
    }
    return ownGroup(this.#owner) !== null;
  }

  #end(end: ProcessEnd): void {
    if (!this.isRunning) return;
    this.#child = null;
    this.#save({ end, endedAt: this.#parts.clock() });
    this.#tellOver();
    this.#parts.onEnded(this);
    this.trim();
  }

  #save(change: Partial<ProcessRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#isSaved = false;
    this.saveAgain();
  }

  /** If the disk was full, what is known was not saved yet. */
  saveAgain(): void {
    if (this.#isSaved) return;
    try {
      saveRecord(this.#parts.folder, this.#record);
      this.#isSaved = true;
    } catch {
      // It is tried again.
    }
  }

  /** Removes what is kept of it. If that fails on the way, it can be tried again, here or by the next host. */
  remove(): void {
    void this.#outputRange; // It is remembered.
    this.#isRemoved = true; // From now on nobody looks at its output again.
    this.#output.remove();
    removeRecord(this.#parts.folder, this.#record.id);
  }

  /** What is left is found by the next host. */
  #removeIfPossible(): void {
    try {
      this.remove();
    } catch {
      // Why it could not be started counts more.
    }
  }

  /** Leaves it to the next host. */
  leave(): void {
    this.#output.close();
  }
}
