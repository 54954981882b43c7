/** The sealed channel of WhatsApp Web (Noise XX), from either end. */
import {
  aesDecryptGCM,
  aesEncryptGCM,
  Curve,
  hkdf,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
} from "baileys";

const NOTHING = Buffer.alloc(0);
type Pair = ReturnType<typeof Curve.generateKeyPair>;

/** What both ends reckon with until the channel stands. */
class Handshake {
  #hash: Buffer = Buffer.from(NOISE_MODE);
  #salt: Uint8Array = this.#hash;
  #key: Uint8Array = this.#hash;
  #count = 0;

  constructor() {
    this.heard(NOISE_WA_HEADER);
  }

  heard(bytes: Uint8Array): void {
    this.#hash = sha256(Buffer.concat([this.#hash, bytes]));
  }

  mix(own: Pair, other: Uint8Array): void {
    [this.#salt, this.#key] = this.halves(Curve.sharedKey(own.private, other));
    this.#count = 0;
  }

  seal(bytes: Uint8Array): Buffer {
    const sealed = aesEncryptGCM(bytes, this.#key, counted(this.#count++), this.#hash);
    this.heard(sealed);
    return sealed;
  }

  open(sealed: Uint8Array): Buffer {
    const bytes = aesDecryptGCM(sealed, this.#key, counted(this.#count++), this.#hash);
    this.heard(sealed);
    return bytes;
  }

  halves(secret: Uint8Array): [Uint8Array, Uint8Array] {
    const both = hkdf(Buffer.from(secret), 64, { salt: Buffer.from(this.#salt), info: "" });
    return [both.subarray(0, 32), both.subarray(32)];
  }
}

/** The channel once it stands. */
export class Channel {
  #written = 0;
  #read = 0;
  readonly #keys: { readonly write: Uint8Array; readonly read: Uint8Array };

  constructor(keys: { readonly write: Uint8Array; readonly read: Uint8Array }) {
    this.#keys = keys;
  }

  seal(bytes: Uint8Array): Buffer {
    return framed(aesEncryptGCM(bytes, this.#keys.write, counted(this.#written++), NOTHING));
  }

  open(frame: Uint8Array): Buffer {
    return aesDecryptGCM(frame, this.#keys.read, counted(this.#read++), NOTHING);
  }
}

export interface Answered {
  readonly certificate: Uint8Array;
  /** Ends the handshake; gives what is to be sent last, and the channel. */
  finish(payload: Uint8Array): { readonly bytes: Buffer; readonly channel: Channel };
}

/** The end that calls. */
export function call(): { readonly hello: Buffer; answer(frame: Uint8Array): Answered } {
  const handshake = new Handshake();
  const [ephemeral, identity] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
  handshake.heard(ephemeral.public);
  const hello = proto.HandshakeMessage.encode({ clientHello: { ephemeral: ephemeral.public } }).finish();
  return {
    hello: Buffer.concat([NOISE_WA_HEADER, framed(hello)]),
    answer: (frame) => {
      const { serverHello } = proto.HandshakeMessage.decode(frame);
      const theirs = serverHello?.ephemeral ?? NOTHING;
      handshake.heard(theirs);
      handshake.mix(ephemeral, theirs);
      const fixed = handshake.open(serverHello?.static ?? NOTHING);
      handshake.mix(ephemeral, fixed);
      const certificate = handshake.open(serverHello?.payload ?? NOTHING);
      return {
        certificate,
        finish: (given) => {
          const own = handshake.seal(identity.public);
          handshake.mix(identity, theirs);
          const payload = handshake.seal(given);
          const finish = proto.HandshakeMessage.encode({ clientFinish: { static: own, payload } }).finish();
          const [write, read] = handshake.halves(NOTHING);
          return { bytes: framed(finish), channel: new Channel({ write, read }) };
        },
      };
    },
  };
}

/** The end that is called. */
export function pickUp(
  frame: Uint8Array,
  certificate: Uint8Array,
): { readonly bytes: Buffer; finish(frame: Uint8Array): { payload: Uint8Array; channel: Channel } } {
  const handshake = new Handshake();
  const theirs = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral ?? NOTHING;
  const [ephemeral, fixed] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
  handshake.heard(theirs);
  handshake.heard(ephemeral.public);
  handshake.mix(ephemeral, theirs);
  const own = handshake.seal(fixed.public);
  handshake.mix(fixed, theirs);
  const payload = handshake.seal(certificate);
  const serverHello = { ephemeral: ephemeral.public, static: own, payload };
  return {
    bytes: framed(proto.HandshakeMessage.encode({ serverHello }).finish()),
    finish: (last) => {
      const { clientFinish } = proto.HandshakeMessage.decode(last);
      handshake.mix(ephemeral, handshake.open(clientFinish?.static ?? NOTHING));
      const said = handshake.open(clientFinish?.payload ?? NOTHING);
      const [read, write] = handshake.halves(NOTHING);
      return { payload: said, channel: new Channel({ write, read }) };
    },
  };
}

/** The frames of a stream, as they become whole; what comes before the first of them is taken off. */
export class Frames {
  #rest = NOTHING;
  #skip: number;

  constructor(skip = 0) {
    this.#skip = skip;
  }

  of(bytes: Uint8Array): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes.subarray(this.#skip)]);
    this.#skip = 0;
    const frames: Buffer[] = [];
    while (this.#rest.length >= 3 && this.#rest.length >= 3 + this.#rest.readUIntBE(0, 3)) {
      const end = 3 + this.#rest.readUIntBE(0, 3);
      frames.push(this.#rest.subarray(3, end));
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}

function framed(bytes: Uint8Array): Buffer {
  const size = Buffer.alloc(3);
  size.writeUIntBE(bytes.length, 0, 3);
  return Buffer.concat([size, bytes]);
}

function counted(count: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(count, 8);
  return iv;
}
