/**
 * What a background process printed, for somebody who follows it part by part. An escape sequence or a secret that two parts
 * share is removed all the same: what came before a part is read again with it. Each call reads a bounded amount.
 */
import { lookAt } from "../../gateway/processes/words.js";
import type { ProcessStatus } from "../../process/process.js";
import type { Processes, SeenProcess } from "../../process/processes.js";
import type { Hide } from "../../util/redact.js";
import { printableText, withoutControls } from "../../util/text.js";
import type { WireOutput, WireScreen } from "../wire.js";

/** How much of the output a part has, and how much before it is read again. */
const PART_BYTES = 64 * 1024;
const BEFORE_BYTES = 4 * 1024;
const MOST_CHARACTERS = 200_000;

type Source = Pick<Processes, "read" | "status">;

/** From a position on; null for the end of what there is. */
export async function outputAfter(
  processes: Source,
  seen: SeenProcess,
  after: number | null,
  redact: Hide,
): Promise<WireOutput> {
  const { id } = seen.kept;
  const status = await statusOf(processes, seen);
  const part = await processes.read(id, after ?? -PART_BYTES, PART_BYTES);
  const isOver = status.end !== null && part.to >= status.output.to;
  if (part.text === "") return { text: "", next: part.to, isOver };
  const begin = Math.max(status.output.from, part.from - BEFORE_BYTES, 0);
  const before = begin < part.from ? await processes.read(id, begin, part.from - begin) : null;
  return { text: shownAfter(before?.text ?? "", part.text, redact), next: part.to, isOver };
}

/** What the second text adds to what the first one shows. */
export function shownAfter(before: string, part: string, redact: Hide): string {
  const shown = clean(before, redact);
  const all = clean(before + part, redact);
  return all.slice(commonLength(shown, all));
}

/** Breaks stay as the program made them: a line that is written over again is the page's to show. */
function clean(text: string, redact: Hide): string {
  return redact(withoutControls(redact(text)));
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

/** Null if it has no terminal. */
export async function screenNow(
  processes: Source,
  seen: SeenProcess,
  redact: Hide,
): Promise<WireScreen | null> {
  const status = await statusOf(processes, seen);
  const { pty } = status;
  if (!pty) return null;
  const drawn = await lookAt(processes, { kept: seen.kept, status }, MOST_CHARACTERS);
  const lines = redact(printableText(drawn ?? "")).split("\n");
  return { lines, columns: pty.cols, rows: pty.rows };
}

async function statusOf(processes: Source, { kept, status }: SeenProcess): Promise<ProcessStatus> {
  return status ?? (await processes.status(kept.id)).status;
}
