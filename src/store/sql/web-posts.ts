/**
 * What is in the chats of the page. A write takes the next position of its chat while it holds the row of that chat, until
 * it is committed: so whoever has read a position has seen everything below it, also on PostgreSQL.
 */
import type { NewPost, Post, PostChange, PostFile, PostStore } from "../../gateway/store.js";
import { PURPOSES } from "../../gateway/store.js";
import type { SessionId } from "../../session/ids.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { writeList } from "./rows.js";
import { flag, json, maybe, number, oneOf, text } from "./values.js";

const POSTS = `SELECT ${columnsOf("web_posts")} FROM web_posts`;

export class SqlWebPosts implements PostStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  add(chatId: string, post: NewPost, now: number): Promise<Post> {
    return this.#db.transaction(async (tx) => {
      const last = await lockChat(tx, chatId);
      const there = await tx.get(`${POSTS} WHERE chat = ? AND delivery_id = ?`, chatId, post.deliveryId);
      if (there) return postOf(there);
      const row = await tx.write(
        `INSERT INTO web_posts (chat, position, delivery_id, thread, purpose, text, buttons, attachments, session_id, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${columnsOf("web_posts")}`,
        chatId,
        last + 1,
        post.deliveryId,
        post.thread ?? "",
        post.purpose,
        storableText(post.text),
        JSON.stringify(post.buttons),
        writeList(post.files),
        post.transcript,
        now,
      );
      await moveOn(tx, chatId, last + 1);
      return postOf(row ?? {});
    });
  }

  async change(chatId: string, messageId: string, change: PostChange): Promise<Post | null> {
    const id = /^[0-9]{1,15}$/.test(messageId) ? Number(messageId) : null;
    if (id === null) return null;
    return this.#db.transaction(async (tx) => {
      const last = await lockChat(tx, chatId);
      const row = await tx.get(`${POSTS} WHERE id = ? AND chat = ?`, id, chatId);
      if (!row) return null;
      const post = { ...postOf(row), ...change, position: last + 1 };
      const changed = await tx.write(
        `UPDATE web_posts SET position = ?, text = ?, buttons = ?, is_gone = ? WHERE id = ?
         RETURNING ${columnsOf("web_posts")}`,
        post.position,
        storableText(post.text),
        JSON.stringify(post.buttons),
        post.isGone ? 1 : 0,
        id,
      );
      await moveOn(tx, chatId, post.position);
      return postOf(changed ?? {});
    });
  }

  find(chatId: string, deliveryId: string): Promise<Post | null> {
    return this.#one(`${POSTS} WHERE chat = ? AND delivery_id = ?`, chatId, deliveryId);
  }

  at(chatId: string, position: number): Promise<Post | null> {
    return this.#one(`${POSTS} WHERE chat = ? AND position = ?`, chatId, position);
  }

  async after(chatId: string, position: number, limit: number): Promise<Post[]> {
    const sql = `${POSTS} WHERE chat = ? AND position > ? ORDER BY position LIMIT ?`;
    return (await this.#db.all(sql, chatId, position, limit)).map(postOf);
  }

  async last(chatId: string): Promise<number> {
    const row = await this.#db.get("SELECT position FROM web_chats WHERE chat = ?", chatId);
    return row ? number(row.position) : 0;
  }

  async inThread(
    chatId: string,
    thread: string | null,
    from: number,
    before: number | null,
    limit: number,
  ): Promise<Post[]> {
    const rows = await this.#db.all(
      `${POSTS} WHERE chat = ? AND thread = ? AND is_gone = 0 AND at >= ? AND position < ?
       ORDER BY position DESC LIMIT ?`,
      chatId,
      thread ?? "",
      from,
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    );
    return rows.map(postOf).sort((one, other) => Number(one.messageId) - Number(other.messageId));
  }

  async #one(sql: string, ...values: (string | number)[]): Promise<Post | null> {
    const row = await this.#db.get(sql, ...values);
    return row ? postOf(row) : null;
  }
}

/** The last position of a chat, which nobody else moves on until this transaction ends. */
async function lockChat(tx: Queries, chatId: string): Promise<number> {
  const row = await tx.write(
    `INSERT INTO web_chats (chat, position) VALUES (?, 0)
     ON CONFLICT (chat) DO UPDATE SET position = web_chats.position RETURNING position`,
    chatId,
  );
  return number(row?.position);
}

async function moveOn(tx: Queries, chatId: string, position: number): Promise<void> {
  await tx.run("UPDATE web_chats SET position = ? WHERE chat = ?", position, chatId);
}

function postOf(row: Row): Post {
  const thread = text(row.thread);
  return {
    messageId: String(number(row.id)),
    position: number(row.position),
    deliveryId: text(row.delivery_id),
    thread: thread === "" ? null : thread,
    purpose: oneOf(row.purpose, PURPOSES),
    text: text(row.text),
    buttons: json<Post["buttons"]>(row.buttons),
    files: maybe(row.attachments ?? null, json<PostFile[]>) ?? [],
    transcript: maybe(row.session_id ?? null, text<SessionId>),
    at: number(row.at),
    isGone: flag(row.is_gone),
  };
}
