/**
 * WhatsApp Web with a server between us and crabline's. Both channels are opened here, so every node is seen: logins,
 * questions and plain texts are crabline's; what it cannot play is played here: groups, quotes, edits, reactions, files,
 * messages that waited, refusals, and the phone that a machine is linked to.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { startWhatsAppServer } from "@openclaw/crabline";
import { type BinaryNode, decodeBinaryNode, encodeBinaryNode, getMediaKeys, proto } from "baileys";
import { WebSocket, WebSocketServer } from "ws";
import type { BaileysSettings } from "../../src/adapter/whatsapp/baileys/config.js";
import type { DoorFault, Fault } from "../../src/testing/adapter/fixture.js";
import { Faults } from "./faults.js";
import { type Answered, type Channel, call, Frames, pickUp } from "./noise.js";
import { linkedFolder, NUMBER } from "./whatsapp-device.js";
import { Phone } from "./whatsapp-phone.js";
import { childrenOf, Readers } from "./whatsapp-reader.js";

export const GROUP = "120363000000000001@g.us";
export const OUR_LID = "990000000000@lid";
const PEM = new URL("./loopback.pem", import.meta.url);
const PAGE = "HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n\r\n<html>502 Bad Gateway</html>\n";
const HEADER = 4;
const EDIT = 14;

export interface WebPerson {
  readonly number: string;
  readonly lid: string;
  readonly name: string;
}

export const ANN: WebPerson = { number: "15551234567", lid: "200000000001", name: "Ann" };
export const BOB: WebPerson = { number: "15557654321", lid: "200000000002", name: "Bob" };

export interface WebSent {
  readonly id: string;
  readonly to: string;
  message: proto.IMessage;
}

type Crabline = Awaited<ReturnType<typeof startWhatsAppServer>>;
/** `silent`: it is taken, and nobody says so. Otherwise the number of the refusal. */
type Refusal = "silent" | string;

/** One connection of ours, and the one to crabline behind it. */
interface Session {
  readonly socket: WebSocket;
  readonly upstream: WebSocket;
  tell(node: BinaryNode): void;
  /** Half of it, and then the connection is reset. */
  tellHalf(node: BinaryNode): void;
}

export class WhatsAppWeb {
  /** What people see of what we sent, oldest first. */
  readonly sent: WebSent[] = [];
  readonly marks: { readonly id: string; readonly text: string }[] = [];
  readonly files = new Map<string, Uint8Array>();
  /** The ids of messages that we said arrived. */
  readonly receipts: string[] = [];
  typed = 0;
  logins = 0;
  /** Questions for people's devices are not answered. */
  isMute = false;
  /** Why a login is refused. */
  refusedLogin: string | null = null;
  readonly phone = new Phone();
  readonly #crabline: Crabline;
  readonly #folder: string;
  readonly #readers = new Readers((digits) => [ANN, BOB].find(({ lid }) => lid === digits)?.number ?? digits);
  readonly #sessions = new Set<Session>();
  /** What nobody said yet that it arrived. */
  readonly #waiting = new Map<string, BinaryNode>();
  /** Of the files that are given out. */
  readonly faults: Faults;
  readonly #server: Server;
  readonly #uploads: Server;
  /** Of the files that are taken. */
  readonly uploads: Faults;
  /** The certificate of the server that takes them. */
  readonly authority = fileURLToPath(PEM);
  #next: Refusal | null = null;
  #swallowsFile = false;
  /** What the next message meets on its way. */
  #fault: Fault | null = null;
  #door: DoorFault | null = null;
  readonly #unanswered = new Set<Duplex>();
  #last: BinaryNode | null = null;
  #written = 0;

  static async open(): Promise<WhatsAppWeb> {
    const folder = await mkdtemp(join(tmpdir(), "baton-whatsapp-"));
    await linkedFolder(join(folder, "link"));
    const crabline = await startWhatsAppServer({
      host: "127.0.0.1",
      port: 0,
      recorderPath: join(folder, "whatsapp.jsonl"),
      selfJid: `${NUMBER}@s.whatsapp.net`,
    });
    const world = new WhatsAppWeb(crabline, folder);
    for (const server of [world.#server, world.#uploads])
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return world;
  }

  private constructor(crabline: Crabline, folder: string) {
    this.#crabline = crabline;
    this.#folder = folder;
    const server = createServer((request, response) => this.#giveFile(request, response));
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      const door = this.#door;
      this.#door = null;
      if (door === "reset") return socket.destroy();
      if (door === "page") return socket.end(PAGE);
      if (door === null) sockets.handleUpgrade(request, socket, head, (open) => this.#meet(open));
      else this.#unanswered.add(socket);
    });
    this.#server = server;
    this.faults = new Faults(
      server,
      () => false,
      () => this.cut(),
    );
    const pem = readFileSync(PEM);
    const uploads = createSecureServer({ key: pem, cert: pem }, (request, response) =>
      this.#takeFile(request, response),
    );
    this.#uploads = uploads;
    this.uploads = new Faults(
      uploads,
      (method) => method === "POST",
      () => {},
    );
  }

  get settings(): BaileysSettings {
    const baseUrl = `http://127.0.0.1:${portOf(this.#server)}/ws/chat`;
    return { number: `+${NUMBER}`, folder: join(this.#folder, "link"), baseUrl, timeoutMs: 4_000 };
  }

  /** What becomes of the next message. */
  failNext(how: Refusal): void {
    this.#next = how;
  }

  async play(fault: Fault): Promise<void> {
    if (fault === "unreachable" || fault === "reachable") await this.faults.play(fault);
    else this.#fault = fault;
  }

  /** What the next connection meets. */
  faultAtDoor(fault: DoorFault): void {
    this.#door = fault;
  }

  /** The next file is taken, and nobody says so. */
  swallowFile(): void {
    this.#swallowsFile = true;
  }

  /** A plain text in a chat of two, by way of crabline. */
  async writePlain(text: string, { number, name }: WebPerson = ANN): Promise<string> {
    const { endpoints, adminToken } = this.#crabline.manifest;
    const jid = `${number}@s.whatsapp.net`;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-crabline-admin-token": adminToken },
      body: JSON.stringify({ chatJid: jid, senderJid: jid, text, pushName: name }),
    });
    const { message } = (await response.json()) as { message?: { key: { id: string } } };
    if (!message) throw new Error("crabline did not take it");
    return message.key.id;
  }

  /** A message of any kind, as WhatsApp delivers it; kept until it is said that it arrived. Gives its id. */
  write(
    message: proto.IMessage,
    {
      from = ANN,
      group,
      id = `3A${randomBytes(9).toString("hex").toUpperCase()}`,
      attrs = {},
    }: { from?: WebPerson; group?: string; id?: string; attrs?: Record<string, string> } = {},
  ): string {
    const place: Record<string, string> = group
      ? {
          from: group,
          participant: `${from.lid}@lid`,
          participant_pn: `${from.number}@s.whatsapp.net`,
          addressing_mode: "lid",
        }
      : { from: `${from.number}@s.whatsapp.net`, sender_lid: `${from.lid}@lid` };
    this.#written += 1;
    const content = [{ tag: "plaintext", attrs: {}, content: proto.Message.encode(message).finish() }];
    const t = `${Math.floor(Date.now() / 1_000)}`;
    this.#last = { tag: "message", attrs: { ...place, id, t, notify: from.name, ...attrs }, content };
    this.#waiting.set(id, this.#last);
    this.speak(this.#last);
    return id;
  }

  writeAgain(): void {
    if (this.#last) this.speak(this.#last);
  }

  /** To every connection of ours. */
  speak(node: BinaryNode): void {
    for (const { tell } of this.#sessions) tell(node);
  }

  /** A file of a person's, sealed; gives what a message says of it. */
  async keepFile(
    kind: "image" | "document",
    { name, mediaType, bytes }: { name: string; mediaType: string; bytes: Uint8Array },
  ) {
    const mediaKey = randomBytes(32);
    const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, kind);
    const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
    const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
    const seal = createHmac("sha256", macKey ?? "")
      .update(iv)
      .update(body)
      .digest()
      .subarray(0, 10);
    const directPath = `/v/${randomBytes(8).toString("hex")}`;
    this.files.set(directPath, Buffer.concat([body, seal]));
    return { mediaKey, directPath, mimetype: mediaType, fileName: name, fileLength: bytes.byteLength };
  }

  sentTo(chatId: string): WebSent[] {
    return this.sent.filter(({ to }) => to === chatId || to.split("@")[0] === chatId);
  }

  /** The files of a message of ours, opened. */
  async filesOf({ message }: WebSent): Promise<{ name: string; bytes: Uint8Array; voice: boolean }[]> {
    const { documentMessage, imageMessage, audioMessage } = message;
    const file = documentMessage ?? imageMessage ?? audioMessage;
    const kind = documentMessage ? "document" : imageMessage ? "image" : "audio";
    const sealed = this.files.get(file?.directPath ?? "");
    if (!file || !sealed) return [];
    const { iv, cipherKey } = await getMediaKeys(file.mediaKey, kind);
    const cipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
    const bytes = Buffer.concat([cipher.update(sealed.subarray(0, -10)), cipher.final()]);
    return [{ name: documentMessage?.fileName ?? "", bytes, voice: audioMessage?.ptt === true }];
  }

  /** The line is cut, and can be had again at once. */
  cut(): void {
    for (const { socket } of this.#sessions) socket.terminate();
  }

  /** WhatsApp ends every connection with that number; settles when they are gone. */
  async end(code: string): Promise<void> {
    const gone = [...this.#sessions].map(
      ({ socket }) => new Promise((resolve) => socket.once("close", resolve)),
    );
    this.speak({ tag: "stream:error", attrs: { code } });
    await Promise.all(gone);
  }

  async close(): Promise<void> {
    this.cut();
    for (const socket of this.#unanswered) socket.destroy();
    for (const server of [this.#server, this.#uploads]) {
      server.closeAllConnections(); // An upload may be held.
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
    this.#readers.close();
    await this.#crabline.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A connection of ours: it is let in when crabline has answered, whose certificate is WhatsApp's own. */
  #meet(socket: WebSocket): void {
    const upstream = new WebSocket(this.#crabline.manifest.endpoints.baileysWebSocketUrl);
    const calling = call();
    const [ours, theirs] = [new Frames(HEADER), new Frames()];
    const hello = later<Buffer>();
    let answered: Answered | null = null;
    let greeting: ReturnType<typeof pickUp> | null = null;
    let down: Channel | null = null;
    let up: Channel | null = null;
    let session: Session | null = null;
    let turn: Promise<void> = Promise.resolve();
    const inTurn = (work: () => Promise<void>): void => {
      turn = turn.then(work).catch(() => socket.terminate());
    };
    upstream.on("open", () => upstream.send(calling.hello));
    upstream.on("error", () => socket.terminate());
    upstream.on("close", () => socket.terminate());
    upstream.on("message", (bytes: Buffer) => {
      for (const frame of theirs.of(bytes))
        inTurn(async () => {
          if (!answered) {
            answered = calling.answer(frame);
            greeting = pickUp(await hello.promise, answered.certificate);
            socket.send(greeting.bytes);
          } else if (up && session) {
            await this.#pass(await decodeBinaryNode(up.open(frame)), session);
          }
        });
    });
    socket.on("message", (bytes: Buffer) => {
      for (const frame of ours.of(bytes)) {
        if (!hello.isSettled) {
          hello.settle(Buffer.from(frame));
          continue;
        }
        inTurn(async () => {
          if (down && session) {
            await this.#hear(await decodeBinaryNode(down.open(frame)), session, (node) => {
              if (up && upstream.readyState === WebSocket.OPEN)
                upstream.send(up.seal(encodeBinaryNode(node)));
            });
            return;
          }
          const finished = greeting?.finish(frame);
          if (!finished || !answered) return;
          const { channel, payload } = finished;
          down = channel;
          const sealed = (node: BinaryNode): Buffer => channel.seal(encodeBinaryNode(node));
          session = {
            ...{ socket, upstream },
            tell: (node) => socket.send(sealed(node)),
            tellHalf: (node) => {
              const bytes = sealed(node);
              socket.send(bytes.subarray(0, bytes.length / 2), () => socket.terminate());
            },
          };
          this.#sessions.add(session);
          const { devicePairingData } = proto.ClientPayload.decode(payload);
          if (devicePairingData) return this.phone.offer(session.tell);
          this.logins += 1;
          if (this.refusedLogin) {
            session.tell({ tag: "failure", attrs: { reason: this.refusedLogin } });
            return;
          }
          const last = answered.finish(payload);
          up = last.channel;
          upstream.send(last.bytes);
        });
      }
    });
    socket.on("close", () => {
      upstream.terminate();
      if (session) this.#sessions.delete(session);
    });
  }

  /** From crabline to us. */
  async #pass(node: BinaryNode, { tell }: Session): Promise<void> {
    if (node.tag === "success") return tell({ ...node, attrs: { ...node.attrs, lid: OUR_LID } });
    const isOffline = node.tag === "ib" && childrenOf(node).some(({ tag }) => tag === "offline");
    if (isOffline)
      for (const waiting of this.#waiting.values())
        tell({ ...waiting, attrs: { ...waiting.attrs, offline: "0" } });
    tell(node);
  }

  /** From us; what is not played here is crabline's. */
  async #hear(node: BinaryNode, session: Session, pass: (node: BinaryNode) => void): Promise<void> {
    const { tell } = session;
    const { tag, attrs } = node;
    const [child] = childrenOf(node);
    if (tag === "receipt") {
      this.receipts.push(attrs.id ?? "");
      this.#waiting.delete(attrs.id ?? "");
    }
    if (tag === "chatstate" && child?.tag === "composing") this.typed += 1;
    if (tag === "message") return this.#takeMessage(node, session);
    const answer = (content: BinaryNode[]): void =>
      tell({ tag: "iq", attrs: { from: attrs.to ?? "", id: attrs.id ?? "", type: "result" }, content });
    if (attrs.xmlns === "md" || child?.tag === "pair-device-sign") return this.phone.hear(node, tell);
    if (attrs.xmlns === "encrypt" && child?.tag === "key")
      return answer([{ tag: "list", attrs: {}, content: await this.#readers.bundles(node) }]);
    if (attrs.xmlns === "usync" && this.isMute) return;
    if (attrs.xmlns === "w:g2" && child?.tag === "query") return answer([groupNode(attrs.to ?? "")]);
    if (attrs.xmlns === "w:m" && child?.tag === "media_conn") {
      const host = { hostname: `127.0.0.1:${portOf(this.#uploads)}`, maxContentLengthBytes: "16777216" };
      const content = [{ tag: "host", attrs: host }];
      return answer([{ tag: "media_conn", attrs: { auth: "auth", ttl: "3600" }, content }]);
    }
    pass(node);
  }

  async #takeMessage(node: BinaryNode, { tell, tellHalf, socket }: Session): Promise<void> {
    const { to = "", id = "" } = node.attrs;
    const message = await this.#readers.read(node);
    const fault = this.#fault;
    this.#fault = null;
    if (fault === "silence") return;
    if (fault === "reset") return socket.terminate();
    const isSwallowed = this.#swallowsFile && message?.documentMessage;
    const refusal = isSwallowed ? "silent" : this.#next;
    if (isSwallowed) this.#swallowsFile = false;
    else this.#next = null;
    const isTaken = refusal === null || refusal === "silent";
    if (message && isTaken) this.#show({ id, to, message });
    if (refusal === "silent") return;
    // What nobody can read is no message.
    const reason = message ? refusal : "400";
    const error: Record<string, string> = reason ? { error: reason } : {};
    if (fault === "reset after") return socket.terminate();
    const say = fault === "half an answer" ? tellHalf : tell;
    say({ tag: "ack", attrs: { class: "message", from: to, id, t: "1750000000", ...error } });
  }

  /** As every app does: an edit changes what it names, and what is there already is not shown twice. */
  #show(sent: WebSent): void {
    const { protocolMessage, editedMessage, reactionMessage } = sent.message;
    const edit = protocolMessage ?? editedMessage?.message?.protocolMessage;
    if (edit?.type === EDIT) {
      const edited = this.sent.find(({ id, to }) => id === edit.key?.id && to === sent.to);
      if (edited && edit.editedMessage) edited.message = edit.editedMessage;
    } else if (reactionMessage) {
      this.marks.push({ id: reactionMessage.key?.id ?? "", text: reactionMessage.text ?? "" });
    } else if (!this.sent.some(({ id }) => id === sent.id)) {
      this.sent.push(sent);
    }
  }

  #giveFile({ url = "" }: IncomingMessage, response: ServerResponse): void {
    const bytes = this.files.get(url);
    response.writeHead(bytes ? 200 : 404);
    response.end(bytes);
  }

  async #takeFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const direct_path = `/v/up-${this.files.size}`;
    this.files.set(direct_path, Buffer.concat(pieces));
    response.end(JSON.stringify({ url: `https://mmg.whatsapp.net${direct_path}`, direct_path }));
  }
}

function groupNode(group: string): BinaryNode {
  const participants = [ANN, BOB].map(({ lid, number }) => ({
    tag: "participant",
    attrs: { jid: `${lid}@lid`, phone_number: `${number}@s.whatsapp.net` },
  }));
  const attrs = { id: group, subject: "Friends", creation: "1750000000", s_t: "1750000000" };
  return { tag: "group", attrs: { ...attrs, addressing_mode: "lid" }, content: participants };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function later<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  const self = {
    promise,
    isSettled: false,
    settle: (value: Value) => {
      self.isSettled = true;
      resolve(value);
    },
  };
  return self;
}
