/**
 * Reads the messages that a process prints, one a line. Other lines are skipped, because many programs print a greeting
 * first. Throws if a process prints nothing else, or a line without end.
 */
import { deserializeMessage, type JSONRPCMessage } from "@modelcontextprotocol/client";

export const LONGEST_MESSAGE = 10 * 2 ** 20;
const MOST_STRAY_LINES = 1_000;
const NEW_LINE = 10;

export class MessageLines {
  #begun: Buffer[] = [];
  #size = 0;
  #strays = 0;

  /** The messages that these bytes complete. If Baton should give up the process, throws the reason. */
  *take(bytes: Buffer): Iterable<JSONRPCMessage> {
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
      this.#keep(bytes.subarray(start, end));
      start = end + 1;
      const message = parsed(this.#line());
      if (message) {
        this.#strays = 0;
        yield message;
      } else if (++this.#strays > MOST_STRAY_LINES) {
        throw new Error("it printed something that is not an MCP message");
      }
    }
    this.#keep(bytes.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > LONGEST_MESSAGE) throw new Error("it sent a message larger than 10 MB");
    this.#begun.push(piece);
  }

  #line(): string {
    const line = Buffer.concat(this.#begun).toString("utf8");
    this.#begun = [];
    this.#size = 0;
    return line;
  }
}

function parsed(line: string): JSONRPCMessage | null {
  if (!line.startsWith("{")) return null;
  try {
    return deserializeMessage(line);
  } catch {
    return null;
  }
}
