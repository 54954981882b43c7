/**
 * Signal as crabline's daemon plays it, with what that leaves out played here: edits, quotes, mentions, files and
 * redeliveries are spoken into its stream of events, and files are given out.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSignalServer } from "@openclaw/crabline";
import { type Answer, type Asked, Between } from "./between.js";

export const ACCOUNT = "+15550000000";
export const GROUP = "R3JvdXAgb2YgdGhlIHRlc3RzLCAzMiBieXRlcyBsb24=";

export interface SignalPerson {
  readonly number: string;
  readonly uuid: string;
  readonly name: string;
}

export const ANN: SignalPerson = {
  number: "+15551234567",
  uuid: "a0000000-0000-4000-8000-000000000001",
  name: "Ann",
};

export interface SignalSaid {
  readonly timestamp: number;
  readonly params: Readonly<Record<string, unknown>>;
}

type Server = Awaited<ReturnType<typeof startSignalServer>>;

export class SignalWorld {
  /** What was sent, each as it is shown by now. */
  readonly sent: SignalSaid[] = [];
  /** Every other call that was taken. */
  readonly calls: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  readonly #files = new Map<string, Uint8Array>();
  readonly #server: Server;
  readonly #folder: string;
  readonly between: Between;
  /** Those that the daemon says it has; crabline's, like one for a single account, does not say. */
  accounts: readonly string[] | null = null;
  /** The keys that it knows, as it lists them. */
  identities: readonly object[] = [];
  /** Those whom the daemon knows, as it lists them. */
  contacts: readonly { readonly number: string | null; readonly uuid: string; readonly name?: string }[] = [
    ANN,
  ];
  groups: readonly object[] = [{ id: GROUP, isMember: true }];
  /** Others who are on Signal, by their numbers. */
  readonly registered = new Map<string, string>();
  /** Nobody answers who asks for events. */
  holdsEvents = false;
  #next: "swallow" | Answer | null = null;
  #swallowsFile = false;
  #last = "";

  static async open(): Promise<SignalWorld> {
    const folder = await mkdtemp(join(tmpdir(), "baton-signal-"));
    const server = await startSignalServer({
      account: ACCOUNT,
      host: "127.0.0.1",
      port: 0,
      recorderPath: join(folder, "signal.jsonl"),
    });
    let world: SignalWorld | undefined;
    const between = await Between.open(server.manifest.baseUrl, {
      answer: (asked) => world?.answer(asked) ?? null,
      heard: (asked, status, body) => world?.hear(asked, status, body),
    });
    world = new SignalWorld(server, between, folder);
    return world;
  }

  private constructor(server: Server, between: Between, folder: string) {
    this.#server = server;
    this.between = between;
    this.#folder = folder;
  }

  get baseUrl(): string {
    return this.between.url;
  }

  /** What becomes of the next message. */
  failNext(how: "swallow" | Answer): void {
    this.#next = how;
  }

  /** The next file is taken, and nobody says so. */
  swallowFile(): void {
    this.#swallowsFile = true;
  }

  /** A plain message, by way of crabline; gives the time it has. */
  async write(text: string, from: SignalPerson = ANN, groupId?: string): Promise<number> {
    const { endpoints, adminToken } = this.#server.manifest;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-crabline-admin-token": adminToken },
      body: JSON.stringify({
        text,
        sourceName: from.name,
        sourceNumber: from.number,
        sourceUuid: from.uuid,
        ...(groupId ? { groupId } : {}),
      }),
    });
    const answer = (await response.json()) as { event?: { envelope: { timestamp: number } }; error?: string };
    if (!answer.event) throw new Error(answer.error ?? "crabline did not take it");
    this.#last = JSON.stringify(answer.event);
    return answer.event.envelope.timestamp;
  }

  /** An envelope of any kind, spoken into the stream. */
  speak(envelope: Readonly<Record<string, unknown>>, from: SignalPerson = ANN, id?: string): void {
    this.#last = JSON.stringify({
      envelope: { sourceNumber: from.number, sourceUuid: from.uuid, sourceName: from.name, ...envelope },
    });
    this.between.speak(`${id ? `id:${id}\n` : ""}event:receive\ndata:${this.#last}\n\n`);
  }

  speakAgain(): void {
    this.between.speak(`event:receive\ndata:${this.#last}\n\n`);
  }

  keep(id: string, bytes: Uint8Array): void {
    this.#files.set(id, bytes);
  }

  sentTo(chatId: string): SignalSaid[] {
    return this.sent.filter(({ params }) => placeOf(params) === chatId);
  }

  async close(): Promise<void> {
    await this.between.close();
    await this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  answer(asked: Asked): "swallow" | "drop" | Answer | null {
    if (this.holdsEvents && asked.path.startsWith("/api/v1/events")) return "drop";
    const call = rpcOf(asked);
    if (call?.method === "getAttachment") {
      const bytes = this.#files.get(String(call.params.id));
      const result = bytes ? { result: { data: Buffer.from(bytes).toString("base64") } } : {};
      return rpcAnswer(bytes ? result : { error: { code: -1, message: "Could not find attachment" } });
    }
    if (call?.method === "listContacts" || call?.method === "getUserStatus" || call?.method === "listGroups")
      return rpcAnswer({ result: this.#known(call.method, call.params) });
    if (call?.method === "listIdentities") return rpcAnswer({ result: this.identities });
    if (call?.method === "listAccounts" && this.accounts)
      return rpcAnswer({ result: this.accounts.map((number) => ({ number })) });
    if (call?.method !== "send") return null;
    if (call.params.attachments && this.#swallowsFile) {
      this.#swallowsFile = false;
      return "swallow";
    }
    const next = this.#next;
    this.#next = null;
    return next;
  }

  /** What the daemon answers of people and groups, which crabline knows none of. */
  #known(method: string, { recipient }: Readonly<Record<string, unknown>>): readonly object[] {
    if (method === "listGroups") return this.groups;
    const [id] = recipient as readonly string[];
    const contact = this.contacts.find(({ number, uuid }) => id === number || id === uuid);
    if (method === "listContacts") return contact ? [contact] : [];
    const uuid = this.registered.get(id ?? "");
    return [{ recipient: id, number: id, uuid: uuid ?? null, isRegistered: uuid !== undefined }];
  }

  hear(asked: Asked, _status: number, body: string): void {
    const call = rpcOf(asked);
    const { result } = JSON.parse(body || "{}") as { result?: { timestamp?: number } };
    if (!call || !result) return;
    if (call.method !== "send") return void this.calls.push(call);
    const said = { timestamp: result.timestamp ?? 0, params: call.params };
    const place = this.sent.findIndex(({ timestamp }) => timestamp === call.params.editTimestamp);
    if (place >= 0) this.sent[place] = { timestamp: Number(call.params.editTimestamp), params: call.params };
    else this.sent.push(said);
  }
}

export function rpcAnswer(answer: object): Answer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer });
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

function rpcOf(asked: Asked): { method: string; params: Readonly<Record<string, unknown>> } | null {
  return asked.path.startsWith("/api/v1/rpc") ? JSON.parse(asked.body.toString()) : null;
}

function placeOf({ recipient, groupId }: Readonly<Record<string, unknown>>): unknown {
  return groupId ?? (Array.isArray(recipient) ? recipient[0] : recipient);
}
