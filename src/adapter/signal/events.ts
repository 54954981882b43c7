/**
 * The daemon's stream of server-sent events, one after the other: the next is read when the last was dealt with. A daemon
 * that shows between them that it is there (`:`, every 15 seconds) is gone if it no longer does: the connection is half
 * open.
 */
import { timerMs } from "../../util/timer-ms.js";
import { ConnectError } from "../adapter.js";
import { piecesOf } from "../http-call.js";
import { jsonOf } from "../untrusted.js";
import type { StreamEvent } from "./transport.js";

const LONGEST_EVENT = 2 * 1024 * 1024;
const SILENCE_MS = 90_000;

export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  end: AbortSignal,
  silenceMs = SILENCE_MS,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const reading = new AbortController();
  const stop = (): void => reading.abort(end.reason);
  end.addEventListener("abort", stop);
  if (end.aborted) stop();
  const pieces = piecesOf(body, reading.signal);
  let givesSigns = false;
  let rest = "";
  let id: string | null = null;
  let data: string[] = [];
  let size = 0;
  try {
    for (;;) {
      const late = givesSigns ? setTimeout(() => reading.abort(GONE), timerMs(silenceMs)).unref() : undefined;
      const { done, value: piece } = await pieces.next().finally(() => clearTimeout(late));
      if (done) return;
      rest += decoder.decode(piece, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length + size > LONGEST_EVENT) throw new Error("an event was too long");
      for (const line of lines) {
        const [, name = "", value = ""] = /^(\w*):? ?(.*)$/s.exec(line) ?? [];
        if (line === "") {
          if (data.length > 0) yield { id, data: jsonOf(data.join("\n")) };
          [data, size] = [[], 0];
        } else if (line.startsWith(":")) givesSigns = true;
        else if (name === "data") {
          data.push(value);
          size += value.length;
        } else if (name === "id") id = value;
      }
    }
  } finally {
    end.removeEventListener("abort", stop);
    await pieces.return(undefined);
  }
}

const GONE = new ConnectError("retryable", "signal-cli no longer shows that it is there.");
