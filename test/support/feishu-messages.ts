/** The messages of a played Feishu: those of people, and those of the bot, each under its key once. */
import type { Answer } from "./between.js";
import type { WrittenEvent } from "./feishu-world.js";

export interface SentMessage {
  readonly messageId: string;
  readonly chatId: string;
  /** The first message of its thread. */
  readonly threadId?: string;
  readonly replyTo?: string;
  readonly type: string;
  content: string;
  edits: number;
}

interface Posted {
  readonly msg_type: string;
  readonly content: string;
  readonly uuid?: string;
  readonly receive_id?: string;
  readonly reply_in_thread?: boolean;
}

const OWN_KINDS = ["image", "file", "audio", "media"];
const MOST_EDITS = 20;

/** An answer of Feishu's: with status 400 if it is a failure. */
export function feishu(code: number, msg: string, data: object = {}): Answer {
  const headers = { "content-type": "application/json" };
  return { status: code === 0 ? 200 : 400, headers, body: JSON.stringify({ code, msg, data }) };
}

export class FeishuMessages {
  readonly sent: SentMessage[] = [];
  /** As the API has them, oldest first. */
  readonly #items: Record<string, unknown>[] = [];
  readonly #byKey = new Map<string, string>();
  readonly #appId: string;
  readonly #isPrivate: (chatId: string) => boolean;
  #made = 0;

  constructor(appId: string, isPrivate: (chatId: string) => boolean) {
    this.#appId = appId;
    this.#isPrivate = isPrivate;
  }

  /** Somebody wrote this; as an event tells of it. */
  told(
    messageId: string,
    written: WrittenEvent,
    {
      content,
      mentions,
      isCrablines,
    }: { content: object; mentions: readonly object[]; isCrablines: boolean },
  ): object {
    const { chatId, senderId, type = "text", replyTo, threadId, isBot } = written;
    const answers = threadId ?? (replyTo && (this.#item(replyTo)?.root_id ?? replyTo));
    const place = {
      ...(answers ? { root_id: answers, parent_id: replyTo ?? threadId } : {}),
      ...(threadId ? { thread_id: threadOf(threadId) } : {}),
    };
    const sender = { id: senderId, id_type: "open_id", sender_type: isBot ? "app" : "user" };
    this.#keep(
      { ...place, message_id: messageId, chat_id: chatId, msg_type: type, sender, isCrablines },
      content,
    );
    return {
      sender: { sender_id: { open_id: senderId }, sender_type: isBot ? "app" : "user", tenant_key: "t" },
      message: {
        ...place,
        message_id: messageId,
        chat_id: chatId,
        chat_type: this.#isPrivate(chatId) ? "p2p" : "group",
        message_type: type,
        content: JSON.stringify(content),
        ...(mentions.length > 0 ? { mentions } : {}),
        create_time: `${Date.now()}`,
      },
    };
  }

  /** The bot sends; null if crabline takes it, and `taken` is told then. */
  post(path: string, posted: Posted): Answer | null {
    const before = posted.uuid === undefined ? undefined : this.#byKey.get(posted.uuid);
    if (before) return feishu(0, "ok", { message_id: before });
    const parent = this.#parentIn(path);
    const isCrablines = parent === undefined || (parent.isCrablines === true && !posted.reply_in_thread);
    if (path.includes("/reply") && !parent)
      return feishu(230_110, "Action unavailable as the message has been deleted.");
    if (isCrablines && !OWN_KINDS.includes(posted.msg_type)) return null;
    this.#made += 1;
    const messageId = `om_own${this.#made}`;
    this.taken(path, posted, messageId);
    return feishu(0, "ok", { message_id: messageId });
  }

  taken(path: string, posted: Posted, messageId: string): void {
    if (this.sent.some((each) => each.messageId === messageId)) return;
    const parent = this.#parentIn(path);
    const root = parent && String(parent.root_id ?? parent.message_id);
    const isThread = posted.reply_in_thread === true || parent?.thread_id !== undefined;
    const chatId = String(parent?.chat_id ?? posted.receive_id);
    if (posted.uuid) this.#byKey.set(posted.uuid, messageId);
    this.sent.push({
      messageId,
      chatId,
      ...(root && isThread ? { threadId: root } : {}),
      ...(parent ? { replyTo: String(parent.message_id) } : {}),
      type: posted.msg_type,
      content: posted.content,
      edits: 0,
    });
    if (root && isThread) Object.assign(this.#item(root) ?? {}, { thread_id: threadOf(root) });
    const place = root ? { root_id: root, ...(isThread ? { thread_id: threadOf(root) } : {}) } : {};
    const sender = { id: this.#appId, id_type: "app_id", sender_type: "app" };
    this.#keep(
      {
        ...place,
        message_id: messageId,
        chat_id: chatId,
        msg_type: posted.msg_type,
        sender,
        isCrablines: !messageId.startsWith("om_own"),
      },
      unwrapped(posted.content),
    );
  }

  /** Reads, edits and lists. */
  played(method: string, path: string, body: Buffer): Answer | null {
    const [, id] = /\/im\/v1\/messages\/([\w-]+)$/.exec(path) ?? [];
    if (method === "GET" && id) {
      const item = this.#item(id);
      const inside = this.#items.filter((each) => each.upper_message_id === id);
      return item ? feishu(0, "ok", { items: [item, ...inside] }) : feishu(230_001, "invalid message_id");
    }
    if (method === "GET") return this.#list(new URL(path, "http://x").searchParams);
    const sent = this.sent.find(({ messageId }) => messageId === id);
    if (!sent || !id) return feishu(230_001, "Your request contains an invalid request parameter.");
    const isCard = sent.type === "interactive";
    if (isCard !== (method === "PATCH"))
      return feishu(230_054, "This operation is not supported for this message type.");
    if (!isCard && sent.edits >= MOST_EDITS)
      return feishu(230_072, "The message has reached the number of times it can be edited.");
    const { content } = JSON.parse(body.toString()) as Posted;
    sent.edits += 1;
    sent.content = content;
    Object.assign(this.#item(id) ?? {}, { body: { content: JSON.stringify(unwrapped(content)) } });
    return feishu(0, "ok");
  }

  /** Adds what only the API tells of. */
  add(item: Readonly<Record<string, unknown>>, content: object): void {
    this.#keep({ ...item }, content);
  }

  #list(query: URLSearchParams): Answer {
    const id = query.get("container_id");
    const field = query.get("container_id_type") === "thread" ? "thread_id" : "chat_id";
    const items = this.#items.filter((each) => each[field] === id && !each.upper_message_id).toReversed();
    return feishu(0, "ok", { items: items.slice(0, 50), has_more: items.length > 50 });
  }

  #keep(item: Record<string, unknown>, content: object): void {
    this.#items.push({ create_time: `${Date.now()}`, ...item, body: { content: JSON.stringify(content) } });
  }

  #item(id: string): Record<string, unknown> | undefined {
    return this.#items.find((each) => each.message_id === id);
  }

  #parentIn(path: string): Record<string, unknown> | undefined {
    const [, id = ""] = /\/messages\/([^/]+)\/reply/.exec(path) ?? [];
    return this.#item(decodeURIComponent(id));
  }
}

function threadOf(root: string): string {
  return `omt_${root.slice(3, 20)}`;
}

/** Feishu gives a rich text back without the name of its language. */
function unwrapped(content: string): object {
  const parsed = JSON.parse(content) as { zh_cn?: object };
  return parsed.zh_cn ?? parsed;
}
