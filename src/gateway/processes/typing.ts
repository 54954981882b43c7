/**
 * What is dangerous about text that the agent types into a process, after what is unsent there. A process in a sandbox is
 * not checked, because it stays there. Elsewhere the text is checked as if the process ran it as commands: a shell does.
 */
import { resolve } from "node:path";
import type { Danger } from "../../agent/agent.js";
import type { SeenProcess } from "../../process/processes.js";
import { placeWords } from "./words.js";

/** For a call of the tool `process`. `seen` are the processes that it may mean. */
export async function dangerOfCall(
  args: unknown,
  seen: () => Promise<readonly SeenProcess[]>,
): Promise<Danger | null> {
  if (typeof args !== "object" || args === null) return null;
  const { action, id, text } = args as Readonly<Record<string, unknown>>;
  const isTyped = action === "write" || action === "submit";
  if (!isTyped || typeof id !== "string" || typeof text !== "string") return null;
  const meant = (await seen()).filter(({ kept }) => kept.id.startsWith(id.trim()));
  const [process] = meant;
  return process && meant.length === 1 ? dangerOfTyping(process, text) : null;
}

export async function dangerOfTyping({ kept, status }: SeenProcess, text: string): Promise<Danger | null> {
  if (kept.walled) return null;
  const unsent = status?.unsent ?? "";
  const { dangerOfTyped, GOES_ON } = await import("../../agent/tools/danger.js"); // Only now, because it needs a parser.
  const place = { folders: [resolve("/", kept.workdir)] };
  const reason = dangerOfTyped(text, place, unsent);
  if (reason === null) return null;
  const showsAlone = reason === GOES_ON || dangerOfTyped(text, place) !== null;
  const before = showsAlone ? beginningOf(unsent) : unsent;
  return { reason, what: `${before}${text}\n\ntyped into ${kept.id} ${placeWords(kept)}: ${kept.command}` };
}

const MOST_SHOWN = 600;

/** What is too long to show can't be allowed. This was checked or allowed when it was typed: its beginning is enough. */
function beginningOf(unsent: string): string {
  const more = unsent.length - MOST_SHOWN;
  return more <= 0 ? unsent : `${unsent.slice(0, MOST_SHOWN)}… (${more} characters or more follow here)\n`;
}
