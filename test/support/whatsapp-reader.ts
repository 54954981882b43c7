/** The people that messages are sealed for: each has keys of their own, and reads what we send with them. */
import {
  addTransactionCapability,
  type BinaryNode,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  initAuthCreds,
  KEY_BUNDLE_TYPE,
  proto,
  type SignalDataSet,
  unpadRandomMax16,
  xmppPreKey,
  xmppSignedPreKey,
} from "baileys";
import { SILENT } from "../../src/adapter/whatsapp/baileys/quiet.js";
import { NUMBER } from "./whatsapp-device.js";

const US = `${NUMBER}@s.whatsapp.net`;

class Reader {
  readonly #creds = initAuthCreds();
  readonly #values = new Map<string, unknown>();
  readonly #keys = addTransactionCapability(
    {
      get: async (type, ids) =>
        Object.fromEntries(
          ids.flatMap((id) => {
            const value = this.#values.get(`${type}/${id}`);
            return value === undefined ? [] : [[id, value]];
          }),
        ) as never,
      set: async (data: SignalDataSet) => {
        for (const [type, values] of Object.entries(data))
          for (const [id, value] of Object.entries(values ?? {})) this.#values.set(`${type}/${id}`, value);
      },
    },
    SILENT,
    { maxCommitRetries: 1, delayBetweenTriesMs: 1 },
  );
  readonly #signal = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
    { creds: this.#creds, keys: this.#keys },
    SILENT,
  );
  #preKeys = 0;

  /** As WhatsApp hands it out to those who want to write. */
  async bundle(jid: string): Promise<BinaryNode> {
    const { registrationId, signedIdentityKey, signedPreKey } = this.#creds;
    this.#preKeys += 1;
    const preKey = Curve.generateKeyPair();
    await this.#keys.set({ "pre-key": { [`${this.#preKeys}`]: preKey } });
    return {
      tag: "user",
      attrs: { jid },
      content: [
        { tag: "registration", attrs: {}, content: encodeBigEndian(registrationId) },
        { tag: "type", attrs: {}, content: KEY_BUNDLE_TYPE },
        { tag: "identity", attrs: {}, content: signedIdentityKey.public },
        xmppSignedPreKey(signedPreKey),
        xmppPreKey(preKey, this.#preKeys),
      ],
    };
  }

  async read(type: string, ciphertext: Uint8Array): Promise<proto.Message> {
    const sealed = { jid: US, type: type as "pkmsg" | "msg", ciphertext };
    const bytes = await this.#signal.decryptMessage(sealed);
    const message = proto.Message.decode(unpadRandomMax16(bytes));
    const item = message.senderKeyDistributionMessage;
    if (item) await this.#signal.processSenderKeyDistributionMessage({ item, authorJid: US });
    return message;
  }

  async readGroup(group: string, msg: Uint8Array): Promise<proto.Message> {
    const bytes = await this.#signal.decryptGroupMessage({ group, authorJid: US, msg });
    return proto.Message.decode(unpadRandomMax16(bytes));
  }

  close(): void {
    this.#signal.close?.();
  }
}

export class Readers {
  readonly #readers = new Map<string, Reader>();
  readonly #numberOf: (digits: string) => string;

  /** A person has one set of keys, by whichever of their ids they are written to. */
  constructor(numberOf: (digits: string) => string) {
    this.#numberOf = numberOf;
  }

  /** The answer to a question for keys. */
  async bundles(question: BinaryNode): Promise<BinaryNode[]> {
    const [key] = childrenOf(question);
    const bundles: BinaryNode[] = [];
    for (const { attrs } of key ? childrenOf(key) : [])
      bundles.push(await this.#of(attrs.jid ?? "").bundle(attrs.jid ?? ""));
    return bundles;
  }

  /** What a message says to those it is for. */
  async read(node: BinaryNode): Promise<proto.Message | null> {
    const group = childrenOf(node).find(({ tag, attrs }) => tag === "enc" && attrs.type === "skmsg");
    const participants = childrenOf(node).find(({ tag }) => tag === "participants");
    let read: proto.Message | null = null;
    for (const { attrs, content } of participants ? childrenOf(participants) : []) {
      const [sealed] = Array.isArray(content) ? content : [];
      if (userOf(attrs.jid ?? "") === NUMBER || !(sealed?.content instanceof Uint8Array)) continue;
      const message = await this.#of(attrs.jid ?? "").read(sealed.attrs.type ?? "", sealed.content);
      read ??= message.deviceSentMessage ? null : message;
    }
    if (!group) return read;
    for (const reader of this.#readers.values()) {
      const message = await reader
        .readGroup(node.attrs.to ?? "", group.content as Uint8Array)
        .catch(() => null);
      if (message) return message;
    }
    return null;
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
  }

  #of(jid: string): Reader {
    const number = this.#numberOf(userOf(jid));
    const reader = this.#readers.get(number) ?? new Reader();
    this.#readers.set(number, reader);
    return reader;
  }
}

export function childrenOf({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content : [];
}

function userOf(jid: string): string {
  return jid.split(/[:@]/)[0] ?? "";
}
