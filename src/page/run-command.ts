/** Commands that a button of the page says. */
import type { Said, SaidAnswer } from "../adapter/web/wire.js";
import { CallFailure, post } from "./call.js";
import { onEvent } from "./events.js";
import { randomId } from "./random-id.js";

const LATE = "Baton took the command, but has not answered yet. Look again in a moment.";
const PATIENCE_MS = 15_000;
const AGAIN_MS = 1_000;
const TRIES = 4;

/** Says a command as the press of a button, in that thread; the same press counts once, however often it is sent. */
export async function press(thread: string | null, command: string): Promise<void> {
  const said: Said = { id: randomId(), thread, text: command, press: true };
  for (let tried = 1; ; tried++)
    try {
      const { received } = await post<SaidAnswer>("/api/say", said);
      if (received === "refused") throw new CallFailure(403, "refused", "Baton refused this.");
      return;
    } catch (error) {
      if (tried === TRIES || !(error instanceof CallFailure) || error.isFinal) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
}

/**
 * Says a command, and resolves with what Baton answers: in a thread, or where nothing else is said. Rejects with a sentence for
 * people.
 */
export function runCommand(text: string, where?: string | null): Promise<string> {
  const thread = where === undefined ? randomId() : where;
  return new Promise((resolve, reject) => {
    const over = (): void => {
      clearTimeout(tooLate);
      stop();
    };
    const tooLate = setTimeout(() => {
      over();
      reject(new CallFailure(0, "late", LATE));
    }, PATIENCE_MS);
    const stop = onEvent((event) => {
      if (event.kind === "secret" && event.thread === thread) {
        over();
        resolve(event.text);
      }
      if (event.kind !== "post" || event.post.thread !== thread || event.post.isGone) return;
      if (where !== undefined && event.post.purpose !== "command") return;
      over();
      resolve(event.post.text);
    });
    press(thread, text).catch((error: Error) => {
      over();
      reject(error);
    });
  });
}
