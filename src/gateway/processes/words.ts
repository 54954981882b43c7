/** A background process in words, and its output to read. The output may be anything: it is cleaned. */
import type { OutputPart } from "../../process/process.js";
import type { Processes, SeenProcess } from "../../process/processes.js";
import { SCREEN_BYTES, screenOf } from "../../process/screen.js";
import type { KeptProcess } from "../../process/store.js";
import { endWords, lostWords } from "../../process/words.js";
import { THIS_MACHINE } from "../../util/command-environment.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { durationWords, grouped } from "../../util/words.js";

const LONGEST_COMMAND = 120;
/** No character has more bytes. */
export const BYTES_A_CHARACTER = 4;

export function countWords(count: number): string {
  return count === 1 ? "1 process" : `${grouped(count)} processes`;
}

export function commandWords({ command }: Pick<KeptProcess, "command">): string {
  return shorten(cleanLine(command), LONGEST_COMMAND);
}

/** The same as code in a chat. */
export function commandCode(process: Pick<KeptProcess, "command">): string {
  return code(commandWords(process));
}

/** Whatever it is, the chat shows it and does nothing else with it. */
function code(line: string): string {
  return `\`${line.replaceAll("`", "'")}\``;
}

/** `running for 3 min`, `exited with code 0 after 12 s`: as after its id. */
export function stateWords({ kept, status }: SeenProcess, now: number): string {
  const { end } = status ?? kept; // What its host says counts.
  if (end) {
    const endedAt = kept.endedAt ?? status?.endedAt ?? now;
    const ago = `${durationWords(now - endedAt)} ago`;
    if (end.kind === "lost") return lostWords(end, ago);
    return `${endWords(end)}, after ${durationWords(endedAt - kept.startedAt)}, ${ago}`;
  }
  const since = durationWords(now - kept.startedAt);
  if (status) return `running for ${since}, pid ${status.pid}`;
  if (kept.state === "starting") return "starting";
  return `started ${since} ago, but Baton can't tell if it still runs`;
}

export function isEnded({ kept, status }: SeenProcess): boolean {
  return (status ?? kept).end !== null;
}

type Placed = Pick<KeptProcess, "workdir" | "environment">;

/** `in /srv/app`, and where if that is not this machine. */
export function placeWords({ workdir, environment }: Placed): string {
  return inFolder(cleanLine(workdir), environment);
}

/** The same with the folder as code in a chat. */
export function placeCode({ workdir, environment }: Placed): string {
  return inFolder(code(cleanLine(workdir)), environment);
}

function inFolder(folder: string, environment: string): string {
  const elsewhere = environment === THIS_MACHINE ? "" : ` (environment ${cleanLine(environment)})`;
  return `in ${folder}${elsewhere}`;
}

/** The output as text, at most so many characters of its end. */
export function readable({ text }: Pick<OutputPart, "text">, most: number): string {
  const clean = printableText(text).trimEnd();
  return clean.length <= most ? clean : clean.slice(-most).replace(/^[\udc00-\udfff]/, "");
}

/** The end of the output, or the screen of a PTY. Null if there is nothing to see. */
export async function lookAt(
  processes: Pick<Processes, "read" | "status">,
  { kept, status }: SeenProcess,
  most: number,
): Promise<string | null> {
  const { pty } = status ?? (await processes.status(kept.id)).status;
  const bytes = pty ? SCREEN_BYTES : most * BYTES_A_CHARACTER;
  const output = await processes.read(kept.id, -bytes, bytes);
  const text = readable(pty ? { text: await screenOf(output.text, pty) } : output, most);
  return text.trim() === "" ? null : text;
}

const TAIL_BYTES = 4_000;
const LONGEST_LINE = 120;

/** The last line that is not blank, as code in a chat; null if there is none, or its host cannot be asked. */
export async function lastLineCode(
  processes: Pick<Processes, "read">,
  { kept, status }: SeenProcess,
): Promise<string | null> {
  if (!status) return null;
  const { text } = await processes.read(kept.id, -TAIL_BYTES, TAIL_BYTES);
  const shown = status.pty ? await screenOf(text, status.pty) : text;
  const line = printableText(shown)
    .split("\n")
    .findLast((each) => each.trim() !== "");
  return line === undefined ? null : code(shorten(cleanLine(line), LONGEST_LINE));
}

/** The lines of a text from that one on, counted from 1, or, if it is negative, from the end. */
export interface LogPart {
  readonly text: string;
  /** `lines 3 to 7 of 12`. */
  readonly which: string;
}

export function logPart(text: string, offset: number, limit: number): LogPart {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const from = offset < 0 ? Math.max(0, lines.length + offset) : Math.max(0, offset - 1);
  const shown = lines.slice(from, from + limit);
  const total = `${grouped(lines.length)} kept`;
  const which =
    shown.length === 0
      ? `no lines from ${grouped(from + 1)} on, of ${total}`
      : `lines ${grouped(from + 1)} to ${grouped(from + shown.length)} of ${total}`;
  return { text: shown.join("\n"), which };
}
