/**
 * The text of a single question: the words of the command line, then what was piped in. Only words can be a command: a
 * pipe brings data, whatever it says. With words, nobody waits forever for a pipe that says nothing: programs that start
 * Baton often leave its input open.
 */
import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { beginsCommand, namesCommand } from "../adapter/command-text.js";
import { type TakenFor, takenFor } from "../adapter/terminal/terminal-source.js";
import { printableText } from "../util/text.js";
import { timerMs } from "../util/timer-ms.js";
import { grouped } from "../util/words.js";
import { wrongUsage } from "./failure.js";

/** How many characters may be piped in. */
const MOST_PIPED = 500_000;

/** Stands for the piped text: then Baton waits for it as long as it takes. */
const DASH = "-";

/** How long a question waits for the first piped byte. Parents that feed a socket write at once; a pipeline may work first. */
const FIRST_BYTE_MS = { socket: 2_000, pipe: 10_000 } as const;

type InputKind = "file" | "pipe" | "socket" | "none";

/** The words of the message as they were given; null if there are none. */
export function givenWords(words: readonly string[], message: string | undefined): string | null {
  const own = words.at(-1) === DASH ? words.slice(0, -1) : words;
  if (own.length > 0 && message !== undefined)
    throw wrongUsage("Give the message once: as words, or with --message.");
  return own.length > 0 ? own.join(" ") : (message ?? null);
}

export interface OneShotText {
  readonly text: string;
  readonly as: TakenFor;
}

/** The whole text of the question, and what it is. `tell` gets a sentence about a pipe that nothing came from. */
export async function oneShotText(
  stdin: Readable & { readonly isTTY?: boolean },
  words: readonly string[],
  message: string | undefined,
  tell: (sentence: string) => void,
): Promise<OneShotText> {
  const given = givenWords(words, message);
  if (given === null) return { text: withPiped("", await piped(stdin, null)), as: "text" };
  const as = beginsCommand(given) ? await commandOrPath(given) : "message";
  if (as === "command") return { text: given, as }; // It takes no input.
  if (words.at(-1) === DASH) return { text: withPiped(given, await piped(stdin, null)), as };
  const kind = stdin.isTTY ? "none" : inputKind();
  if (kind === "none") return { text: given, as };
  const patience = kind === "file" ? null : FIRST_BYTE_MS[kind];
  const text = await piped(stdin, patience);
  if (text === null)
    tell(
      `Nothing came from stdin in ${(patience ?? 0) / 1_000} seconds, so your message goes without it. ` +
        `If there is no input, add </dev/null. To wait for it, add " ${DASH}" after the message.`,
    );
  return { text: withPiped(given, text), as };
}

/** Fails if it is a command that there is not: nobody sees an answer to that. */
async function commandOrPath(given: string): Promise<TakenFor> {
  const { commandTable } = await import("../gateway/commands/table.js");
  const { noSuchCommand } = await import("../gateway/commands/commands.js");
  const table = commandTable({ agent: "", clock: Date.now });
  const names = new Set(table.map(({ name }) => name));
  const as = takenFor(given, names);
  if (as === "command" && !namesCommand(given.trim(), names))
    throw wrongUsage(noSuchCommand(given, table, "Run `baton /help`"));
  return as;
}

/** The message first, then the piped text in a fence that nothing in it can close. */
export function withPiped(message: string, text: string | null): string {
  if (text === null || text.trim() === "") return message.trim();
  if (message.trim() === "") return text.trim();
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${message.trim()}\n\nPiped input:\n${fence}\n${text.trimEnd()}\n${fence}`;
}

/** What a shell, a service or another program gave us as input. Devices such as /dev/null have nothing to say. */
function inputKind(): InputKind {
  try {
    const stats = fstatSync(0);
    if (stats.isFIFO()) return "pipe";
    if (stats.isSocket()) return "socket";
    return stats.isFile() ? "file" : "none";
  } catch {
    return "none"; // It is closed.
  }
}

/** All of the input, as text that somebody could have typed; null if nothing came in time. */
export function piped(
  stdin: Readable,
  firstByteMs: number | null,
  most = MOST_PIPED,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const timer = firstByteMs === null ? undefined : setTimeout(() => end(null), timerMs(firstByteMs));
    const end = (outcome: string | null | Error): void => {
      clearTimeout(timer);
      stdin.off("data", take).off("end", finish).off("error", end).pause();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const take = (piece: Buffer): void => {
      clearTimeout(timer);
      bytes += piece.length;
      if (bytes > 4 * most) end(tooLong(most));
      else pieces.push(piece);
    };
    const finish = (): void => {
      const text = new TextDecoder().decode(Buffer.concat(pieces));
      if (text.includes("\0"))
        end(wrongUsage("The piped input is not text. Save it as a file, and send that with --attach."));
      else end(text.length > most ? tooLong(most) : printableText(text));
    };
    stdin.on("data", take).on("end", finish).on("error", end);
  });
}

function tooLong(most: number): Error {
  return wrongUsage(
    `The piped input is longer than ${grouped(most)} characters. Send a part of it (such as \`| tail -c ${most}\`), or save it as a file and send that with --attach.`,
  );
}
