/** A server's side of a WebSocket, in frames: enough to read what it says, and to say something in between. */

/** A text as one frame of a server's. */
export function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), payload]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** Cuts what a server sends, from its answer to the handshake on, into whole frames. */
export class FrameSplitter {
  readonly #hear: { readonly text: (text: string) => void; readonly other: (bytes: Buffer) => void };
  #rest = Buffer.alloc(0);
  #isOpen = false;

  constructor(hear: { text: (text: string) => void; other: (bytes: Buffer) => void }) {
    this.#hear = hear;
  }

  push(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (!this.#isOpen) {
      const end = this.#rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.#isOpen = true;
      this.#hear.other(this.#take(end + 4));
    }
    for (let size = this.#nextFrame(); size; size = this.#nextFrame()) this.#tell(size);
  }

  #tell({ head, length }: { head: number; length: number }): void {
    const whole = this.#take(head + length);
    const isText = ((whole[0] ?? 0) & 0x0f) === 1;
    if (isText) this.#hear.text(whole.subarray(head).toString());
    else this.#hear.other(whole);
  }

  /** Null while it is not all there. */
  #nextFrame(): { head: number; length: number } | null {
    const rest = this.#rest;
    if (rest.length < 2) return null;
    const short = (rest[1] ?? 0) & 0x7f;
    const head = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (rest.length < head) return null;
    const length =
      short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
    return rest.length < head + length ? null : { head, length };
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
