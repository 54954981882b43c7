/** Lines of JSON over a socket, each of a bounded length. */
import type { Socket } from "node:net";
import { LONGEST_LINE } from "./protocol.js";

/** Calls back with each line. A line that is too long or no JSON ends the connection. */
export function readJsonLines(socket: Socket, onValue: (value: unknown) => void): void {
  let pieces: Buffer[] = [];
  let length = 0;
  socket.on("data", (data: Buffer) => {
    let from = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, data.subarray(from, end)]).toString("utf8");
      pieces = [];
      length = 0;
      from = end + 1;
      try {
        onValue(JSON.parse(line));
      } catch (error) {
        socket.destroy(error as Error);
        return;
      }
    }
    if (from === data.length) return;
    pieces.push(data.subarray(from));
    length += data.length - from;
    if (length > LONGEST_LINE) socket.destroy(new Error("The other side sent a line that is too long."));
  });
}

export function writeJsonLine(socket: Socket, value: unknown): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
}
