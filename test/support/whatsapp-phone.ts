/**
 * The account's phone while a machine is linked to it: it is shown a code by a person, and both sides prove to each
 * other that they know it.
 */
import { randomBytes } from "node:crypto";
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  type BinaryNode,
  Curve,
  derivePairingCodeKey,
  hkdf,
  hmacSign,
  proto,
} from "baileys";
import { NUMBER } from "./whatsapp-device.js";
import { childrenOf } from "./whatsapp-reader.js";

const SERVER = "s.whatsapp.net";
const NOTHING = Buffer.alloc(0);

export class Phone {
  /** The machine that asks to be linked, and with which number. */
  asked: string | null = null;
  /** It was linked, and its own signature is good. */
  isLinked = false;
  readonly #identity = Curve.generateKeyPair();
  readonly #ephemeral = Curve.generateKeyPair();
  #tell: (node: BinaryNode) => void = () => {};
  #wrapped: Uint8Array = NOTHING;
  #shared: Uint8Array = NOTHING;
  #companion: Uint8Array = NOTHING;

  /** A machine that nobody knows is shown what to ask a phone with. */
  offer(tell: (node: BinaryNode) => void): void {
    this.#tell = tell;
    const refs = ["2@first", "2@second"].map((ref) => ({ tag: "ref", attrs: {}, content: Buffer.from(ref) }));
    const pair = { tag: "pair-device", attrs: {}, content: refs };
    tell({ tag: "iq", attrs: { from: SERVER, type: "set", id: "pair-1", xmlns: "md" }, content: [pair] });
  }

  /** A person types the code that the machine has shown. */
  async type(code: string): Promise<void> {
    const given = this.#wrapped;
    const key = await derivePairingCodeKey(code, Buffer.from(given.subarray(0, 32)));
    const theirs = aesDecryptCTR(given.subarray(48), key, given.subarray(32, 48));
    this.#shared = Curve.sharedKey(this.#ephemeral.private, theirs);
    const [salt, iv] = [randomBytes(32), randomBytes(16)];
    const own = aesEncryptCTR(this.#ephemeral.public, await derivePairingCodeKey(code, salt), iv);
    const content = [
      leaf("link_code_pairing_ref", Buffer.from("ref")),
      leaf("primary_identity_pub", this.#identity.public),
      leaf("link_code_pairing_wrapped_primary_ephemeral_pub", Buffer.concat([salt, iv, own])),
    ];
    const hello = { tag: "link_code_companion_reg", attrs: { stage: "primary_hello" }, content };
    const attrs = { from: SERVER, type: "link_code_companion_reg", id: "link-1", t: "1750000000" };
    this.#tell({ tag: "notification", attrs, content: [hello] });
  }

  /** Takes no more of it: WhatsApp ends the connection. */
  hangUp(): void {
    this.#tell({ tag: "stream:error", attrs: { code: "503" } });
  }

  hear(node: BinaryNode, tell: (node: BinaryNode) => void): void {
    const [child] = childrenOf(node);
    const part = (name: string): Uint8Array => {
      const found = child && childrenOf(child).find(({ tag }) => tag === name);
      return found?.content instanceof Uint8Array ? found.content : NOTHING;
    };
    if (child?.tag === "pair-device-sign") {
      this.#finish(part("device-identity"), tell);
      return;
    }
    const done = { from: SERVER, id: node.attrs.id ?? "", type: "result" };
    if (child?.attrs.stage === "companion_hello") {
      this.#wrapped = part("link_code_pairing_wrapped_companion_ephemeral_pub");
      tell({ tag: "iq", attrs: done });
      this.asked = child.attrs.jid ?? "";
    } else if (child?.attrs.stage === "companion_finish") {
      tell({ tag: "iq", attrs: done });
      this.#accept(part("link_code_pairing_wrapped_key_bundle"), tell);
    } else {
      tell({ tag: "iq", attrs: done });
    }
  }

  #accept(wrapped: Uint8Array, tell: (node: BinaryNode) => void): void {
    const info = "link_code_pairing_key_bundle_encryption_key";
    const key = hkdf(Buffer.from(this.#shared), 32, { salt: Buffer.from(wrapped.subarray(0, 32)), info });
    const bundle = aesDecryptGCM(wrapped.subarray(44), key, wrapped.subarray(32, 44), NOTHING);
    const [companion, random] = [bundle.subarray(0, 32), bundle.subarray(64)];
    const both = Curve.sharedKey(this.#identity.private, companion);
    const secret = hkdf(Buffer.concat([this.#shared, both, random]), 32, { info: "adv_secret" });
    this.#succeed(companion, Buffer.from(secret), NUMBER, tell);
  }

  /** A person scans the QR code; `number` is the phone's. */
  scan(qr: string, number = NUMBER): void {
    const [, , identity = "", secret = ""] = qr.split(",").map((value) => Buffer.from(value, "base64"));
    this.#succeed(Buffer.from(identity), Buffer.from(secret), number, this.#tell);
  }

  #succeed(companion: Uint8Array, secret: Buffer, number: string, tell: (node: BinaryNode) => void): void {
    this.#companion = companion;
    const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: 1 }).finish();
    const signed = proto.ADVSignedDeviceIdentity.encode({
      details,
      accountSignatureKey: this.#identity.public,
      accountSignature: Curve.sign(
        this.#identity.private,
        Buffer.concat([Buffer.from([6, 0]), details, companion]),
      ),
    }).finish();
    const hmac = hmacSign(signed, secret);
    const proof = proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish();
    const device = { jid: `${number}:7@s.whatsapp.net`, lid: "990000000000:7@lid" };
    const content = [
      leaf("device-identity", proof),
      { tag: "device", attrs: device },
      { tag: "platform", attrs: { name: "android" } },
    ];
    const success = { tag: "pair-success", attrs: {}, content };
    tell({ tag: "iq", attrs: { from: SERVER, type: "set", id: "pair-2" }, content: [success] });
  }

  #finish(identity: Uint8Array, tell: (node: BinaryNode) => void): void {
    const { details, deviceSignature } = proto.ADVSignedDeviceIdentity.decode(identity);
    const signed = Buffer.concat([
      Buffer.from([6, 1]),
      details ?? NOTHING,
      this.#companion,
      this.#identity.public,
    ]);
    this.isLinked = Curve.verify(this.#companion, signed, deviceSignature ?? NOTHING);
    tell({ tag: "stream:error", attrs: { code: "515" } });
  }
}

function leaf(tag: string, content: Uint8Array): BinaryNode {
  return { tag, attrs: {}, content };
}
