/** The daemon's stream of server-sent events, one after the other: the next is read when the last was dealt with. */
import { piecesOf } from "../http-call.js";
import { jsonOf } from "../untrusted.js";
import type { StreamEvent } from "./transport.js";

const LONGEST_EVENT = 2 * 1024 * 1024;

export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  end: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let id: string | null = null;
  let data: string[] = [];
  let size = 0;
  for await (const piece of piecesOf(body, end)) {
    rest += decoder.decode(piece, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? "";
    if (rest.length + size > LONGEST_EVENT) throw new Error("an event was too long");
    for (const line of lines) {
      const [, name = "", value = ""] = /^(\w*):? ?(.*)$/s.exec(line) ?? [];
      if (line === "") {
        if (data.length > 0) yield { id, data: jsonOf(data.join("\n")) };
        [data, size] = [[], 0];
      } else if (name === "data") {
        data.push(value);
        size += value.length;
      } else if (name === "id") id = value;
    }
  }
}
