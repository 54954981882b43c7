/**
 * Long work, such as an import or a backup: how far it has got, for everybody who looks on, in any process. Each method is
 * one atomic step. Work whose process has ended is shown as ended: nobody goes on with it.
 */

/** What is said of work whose process ended before the work did. */
export const CUT_OFF = "cut off";

/** Work is forgotten so long after its end. */
export const WORK_KEPT_MS = 86_400_000;

/** So long after its last word, work of a process that cannot be seen from here counts as cut off. */
export const WORK_SILENT_MS = 3_600_000;

export interface NewWork {
  /** In a few words: "Backup", "Import from Claude Code". */
  readonly what: string;
  /** What is counted, in the plural: "sessions", "bytes". */
  readonly unit: string;
  /** Null if it is not known. */
  readonly total: number | null;
}

export interface LongWork extends NewWork {
  readonly id: number;
  readonly done: number;
  readonly startedAt: number;
  readonly toldAt: number;
  readonly endedAt: number | null;
  /** What came of it, in words; null while it goes on. */
  readonly outcome: string | null;
}

export interface WorkStore {
  /** Returns its id. `holder`: the process that does it. */
  begin(work: NewWork, holder: string, now: number): Promise<number>;
  /** Says how far it is. Nothing changes if it is over. */
  tell(id: number, progress: Pick<LongWork, "done" | "total">, now: number): Promise<void>;
  /** Once: a second end changes nothing. */
  end(id: number, outcome: string, now: number): Promise<void>;
  /** The newest first, with what ended in the last day. */
  list(now: number): Promise<LongWork[]>;
}
