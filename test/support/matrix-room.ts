/** A homeserver's rooms as the tests need them: crabline's, on loopback, with a front before it. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMatrixServer } from "@openclaw/crabline";
import { MatrixAdapter } from "../../src/adapter/matrix/adapter.js";
import type { Address } from "../../src/session/source.js";
import type {
  AdapterFixture,
  DoorFault,
  Fault,
  Trouble,
  Written,
} from "../../src/testing/adapter/fixture.js";
import { MatrixFront } from "./matrix-front.js";

const SERVER = "matrix.test";
export const ANN = `@ann:${SERVER}`;
const BOB = `@bob:${SERVER}`;
const DM = `!dm:${SERVER}`;
const GROUP = `!group:${SERVER}`;

/** What somebody writes, with the room, the thread and the name where those are told. */
export type Said = Written & { readonly room?: string; readonly threadId?: string; readonly name?: string };

interface TimelineEvent {
  readonly event_id: string;
  readonly type: string;
  readonly sender: string;
  readonly content: Record<string, unknown>;
}

export class CrablineMatrix {
  readonly front: MatrixFront;
  readonly homeserver: string;
  readonly token: string;
  readonly botId: string;
  readonly #server: Awaited<ReturnType<typeof startMatrixServer>>;
  readonly #folder: string;
  #threadRoot = "";

  static async start(): Promise<CrablineMatrix> {
    const folder = await mkdtemp(join(tmpdir(), "baton-matrix-"));
    const server = await startMatrixServer({
      recorderPath: join(folder, "record.jsonl"),
      serverName: SERVER,
    });
    const front = new MatrixFront(server.manifest.baseUrl, { plays: true });
    const matrix = new CrablineMatrix(server, front, await front.open(), folder);
    await matrix.write({ text: "here we are" });
    matrix.#threadRoot = await matrix.write({ text: "here we are", in: "group" });
    await matrix.write({ text: "so am I", in: "group", from: BOB });
    return matrix;
  }

  private constructor(
    server: Awaited<ReturnType<typeof startMatrixServer>>,
    front: MatrixFront,
    homeserver: string,
    folder: string,
  ) {
    this.#server = server;
    this.front = front;
    this.homeserver = homeserver;
    this.#folder = folder;
    this.token = server.manifest.accessToken;
    this.botId = server.manifest.botUserId;
  }

  readonly dm: Address = { platform: "matrix", chatId: DM };
  readonly group: Address = { platform: "matrix", chatId: GROUP };

  /** Somebody writes; the event's id. What crabline does not know, the front plays. */
  async write(written: Said): Promise<string> {
    const { text, in: where = "dm", from = ANN, mentions, replyTo, files = [], isBot, threadId } = written;
    const body = mentions ? `${this.botId}: ${text}` : text;
    const file = files[0];
    const { endpoints, adminToken } = this.#server.manifest;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-crabline-admin-token": adminToken },
      body: JSON.stringify({
        roomId: written.room ?? (where === "dm" ? DM : GROUP),
        senderId: from.startsWith("@") ? from : `@${from}:${SERVER}`,
        senderName: written.name ?? from.replace(/^@|:.*$/g, ""),
        text: body || "nothing",
        direct: where === "dm",
        ...(where === "thread" ? { threadId: threadId ?? this.#threadRoot } : {}),
      }),
    });
    const { event } = (await response.json()) as { event: TimelineEvent };
    let content: Record<string, unknown> = event.content;
    if (body === "") content = { ...content, body };
    if (isBot) content = { ...content, msgtype: "m.notice" };
    if (replyTo)
      content = {
        ...content,
        "m.relates_to": { ...(content["m.relates_to"] as object), "m.in_reply_to": { event_id: replyTo } },
      };
    if (file) {
      const mediaId = randomBytes(8).toString("hex");
      this.front.keepFile(mediaId, file.bytes, file.mediaType);
      const url = `mxc://${SERVER}/${mediaId}`;
      content = {
        ...content,
        msgtype: "m.file",
        body: body || file.name,
        filename: file.name,
        url,
        info: { mimetype: file.mediaType },
      };
    }
    if (content !== event.content) this.front.play(event.event_id, content);
    return event.event_id;
  }

  async amend(messageId: string, text: string, by: Partial<Said> = {}): Promise<string> {
    const eventId = await this.write({ ...by, text: `* ${text}` });
    this.front.play(eventId, {
      msgtype: "m.text",
      body: `* ${text}`,
      "m.new_content": { msgtype: "m.text", body: text },
      "m.relates_to": { rel_type: "m.replace", event_id: messageId },
    });
    return eventId;
  }

  /** Somebody puts an emoji on a message. */
  async react(messageId: string, key: string, by: Partial<Said> = {}): Promise<string> {
    const eventId = await this.write({ ...by, text: key });
    const relation = { rel_type: "m.annotation", event_id: messageId, key };
    this.front.play(eventId, { "m.relates_to": relation }, "m.reaction");
    return eventId;
  }

  /** What the bot has sent to a room, in order. */
  async sent({ chatId, threadId }: Address = this.dm): Promise<readonly TimelineEvent[]> {
    const { endpoints } = this.#server.manifest;
    const response = await fetch(endpoints.syncUrl, { headers: { authorization: `Bearer ${this.token}` } });
    const { rooms } = (await response.json()) as {
      rooms: { join: Record<string, { timeline: { events: TimelineEvent[] } }> };
    };
    return (rooms.join[chatId]?.timeline.events ?? []).filter(
      ({ sender, content }) =>
        sender === this.botId &&
        (!threadId || (content["m.relates_to"] as { event_id?: string })?.event_id === threadId),
    );
  }

  /** The files that were sent there, oldest first. */
  async filesShown(address?: Address): Promise<{ name: string; bytes: Uint8Array; voice: boolean }[]> {
    return (await this.sent(address)).flatMap(({ content }) =>
      typeof content.url === "string"
        ? [
            {
              name: String(content.filename),
              bytes: this.front.fileOf(content.url) ?? new Uint8Array(),
              voice: "org.matrix.msc3245.voice" in content,
            },
          ]
        : [],
    );
  }

  async shown(address?: Address): Promise<string[]> {
    return shownTexts(await this.sent(address));
  }

  async close(): Promise<void> {
    await this.front.close();
    await this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Texts with their edits made. */
export function shownTexts(events: readonly TimelineEvent[]): string[] {
  const shown = new Map<string, string>();
  for (const { event_id, type, content } of events) {
    if (type !== "m.room.message" || (content.filename !== undefined && content.filename === content.body))
      continue; // A file without a caption.
    const relation = content["m.relates_to"] as { rel_type?: string; event_id?: string } | undefined;
    const isEdit = relation?.rel_type === "m.replace";
    const { body } = (isEdit ? content["m.new_content"] : content) as { body: string };
    shown.set(isEdit ? (relation.event_id ?? "") : event_id, body);
  }
  return [...shown.values()];
}

/** A message that says whom it mentions notifies nobody else. */
function notifiedBy({
  "m.mentions": mentions,
  "m.new_content": edited,
  body,
}: TimelineEvent["content"]): string[] {
  if (typeof mentions !== "object" || mentions === null) return [String(body)];
  const { user_ids = [], room } = mentions as { user_ids?: string[]; room?: boolean };
  const inner = edited === undefined ? [] : notifiedBy(edited as TimelineEvent["content"]);
  return [...user_ids, ...(room ? ["@room"] : []), ...inner];
}

export async function crablineFixture(): Promise<AdapterFixture> {
  const matrix = await CrablineMatrix.start();
  const { homeserver, token } = matrix;
  const make = () =>
    matrix.front.watch(new MatrixAdapter({ homeserver, accessToken: () => token, timeoutMs: 4_000 }));
  const fixture = {
    adapter: make(),
    address: matrix.dm,
    group: matrix.group,
    nowhere: { platform: "matrix", chatId: `!nowhere:${SERVER}` },
    again: make,
    write: async (written: Said) => {
      const messageId = await matrix.write(written);
      await matrix.front.told(messageId);
      return { messageId };
    },
    amend: async (messageId: string, text: string) => matrix.front.told(await matrix.amend(messageId, text)),
    react: async (messageId: string, emoji: string, by: Partial<Said> = {}) =>
      matrix.front.told(await matrix.react(messageId, emoji, by)),
    redeliver: () => matrix.front.redeliver(),
    isAcknowledged: (messageId: string) => matrix.front.isAcknowledged(messageId),
    shown: (address?: Address) => matrix.shown(address),
    notified: async () => (await matrix.sent()).flatMap(({ content }) => notifiedBy(content)),
    answeredBy: async (messageId: string) =>
      answeredBy(messageId, [...(await matrix.sent()), ...(await matrix.sent(matrix.group))]),
    files: (address?: Address) => matrix.filesShown(address),
    typed: () => matrix.front.typed,
    marks: async (messageId: string) =>
      marksOn(messageId, [...(await matrix.sent()), ...(await matrix.sent(matrix.group))]),
    threads: async (parent: Address) => rootsIn(await matrix.sent(parent)),
    trouble: (what: Trouble) => matrix.front.trouble(what),
    way: (fault: Fault) => matrix.front.faults.play(fault),
    door: (fault: DoorFault) => matrix.front.faults.door(fault),
    cut: () => matrix.front.cut(),
    dispose: () => matrix.close(),
  };
  return fixture;
}

/** How many messages belong to no other. */
export function rootsIn(events: readonly TimelineEvent[]): number {
  return events.filter(({ content }) => content["m.relates_to"] === undefined).length;
}

export function answeredBy(messageId: string, events: readonly TimelineEvent[]): string | null {
  const relation = events.find(({ event_id }) => event_id === messageId)?.content["m.relates_to"];
  return (
    (relation as { "m.in_reply_to"?: { event_id: string } } | undefined)?.["m.in_reply_to"]?.event_id ?? null
  );
}

export function marksOn(messageId: string, events: readonly TimelineEvent[]): string[] {
  return events.flatMap(({ type, content }) => {
    const relation = content["m.relates_to"] as { event_id?: string; key?: string } | undefined;
    return type === "m.reaction" && relation?.event_id === messageId ? [relation.key ?? ""] : [];
  });
}
