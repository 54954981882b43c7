/**
 * Reads a document in a process of its own, which ends when it takes too long or too much memory: a file is hostile until
 * proven otherwise, and the readers of these formats are large. The process gets no environment, and the file's bytes as
 * its input, so it needs no right to open anything.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { isFields, parseJson } from "../util/json.js";
import { Limiter } from "../util/limiter.js";
import { timerMs } from "../util/timer-ms.js";
import { withoutDescriptors } from "../util/without-descriptors.js";
import type { DocumentText } from "./document.js";

export interface DocumentReading {
  /** Never rejects. `end`: nobody waits for it any more. */
  read(bytes: Uint8Array, end: AbortSignal): Promise<DocumentText>;
}

export interface DocumentReadingOptions {
  /** The program that reads. */
  readonly program: string;
  /** How many characters are read of a document. */
  readonly mostCharacters?: number;
  readonly timeoutMs?: number;
  readonly mostMemory?: number;
}

const MOST_CHARACTERS = 60_000;
const TIMEOUT_MS = 30_000;
const MOST_MEMORY = 1024 * 1024 * 1024;
const WATCH_MS = 200;
/** How many documents are read at once. */
const AT_ONCE = 2;

export function documentReading(options: DocumentReadingOptions): DocumentReading {
  const limiter = new Limiter(AT_ONCE);
  return { read: (bytes, end) => limiter.run(() => readApart(bytes, end, options)) };
}

function readApart(
  bytes: Uint8Array,
  end: AbortSignal,
  {
    program,
    mostCharacters = MOST_CHARACTERS,
    timeoutMs = TIMEOUT_MS,
    mostMemory = MOST_MEMORY,
  }: DocumentReadingOptions,
): Promise<DocumentText> {
  if (end.aborted) return Promise.resolve(none("nobody waits for it any more"));
  return new Promise((resolve) => {
    const heap = `--max-old-space-size=${Math.floor(mostMemory / 2 / 1024 / 1024)}`;
    const [file, ...args] = withoutDescriptors(process.execPath, [heap, program, String(mostCharacters)]);
    const child = spawn(file, args, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore"] });
    const said: Buffer[] = [];
    let length = 0;
    let why = "the program that reads it failed";
    const stop = (reason: string) => (): void => {
      why = reason;
      child.kill("SIGKILL");
    };
    const tooLate = setTimeout(stop("reading it took too long"), timerMs(timeoutMs));
    const tooLarge = setInterval(() => {
      if (memoryOf(child.pid) > mostMemory) stop("reading it took too much memory")();
    }, WATCH_MS);
    const unwanted = stop("nobody waits for it any more");
    end.addEventListener("abort", unwanted);
    child.stdout.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length <= 8 * mostCharacters + 1_000) said.push(piece);
      else stop("its text is too long")();
    });
    child.stdin.on("error", () => {}); // It ended before it had read everything.
    child.on("error", () => {
      why = "its reader can't be started";
    });
    child.on("close", () => {
      clearTimeout(tooLate);
      clearInterval(tooLarge);
      end.removeEventListener("abort", unwanted);
      resolve(answerIn(Buffer.concat(said).toString("utf8")) ?? none(why));
    });
    child.stdin.end(bytes);
  });
}

/** In bytes; 0 if the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ");
    return Number(pages) * 4_096;
  } catch {
    return 0;
  }
}

function answerIn(said: string): DocumentText | null {
  try {
    const answer = parseJson(said);
    if (!isFields(answer)) return null;
    const { text, isCut, reason, isDocument } = answer;
    if (typeof text === "string") return { kind: "text", text, isCut: isCut === true };
    return typeof reason === "string" ? { ...none(reason), isDocument: isDocument === true } : null;
  } catch {
    return null;
  }
}

function none(reason: string) {
  return { kind: "none", reason, isDocument: true } as const;
}
