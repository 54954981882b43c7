/** The inbox: what was accepted, once, and what became of it. */

import type {
  Account,
  Amended,
  AwaitedFiles,
  HeldItem,
  Inbox,
  InboxItem,
  MadeBy,
  NewDelivery,
  NewInboxItem,
  Taken,
} from "../../gateway/store.js";
import { INBOX_KINDS, MADE_BY } from "../../gateway/store.js";
import { identityOf } from "../../session/access.js";
import type { InboxId, SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import { escapePart, unescapePart } from "../../util/escape.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { insertDeliveries } from "./outbox.js";
import { readAttachments, writeList, writeOrigin } from "./rows.js";
import { flag, json, number, oneOf, source, text } from "./values.js";

export class SqlInbox implements Inbox {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  accept(item: NewInboxItem, holder: string, now: number): Promise<InboxItem | null> {
    return insertItem(this.#db, item, holder, now);
  }

  async acceptFrom(
    peopleVersion: number,
    item: NewInboxItem,
    holder: string,
    now: number,
  ): Promise<InboxItem | "duplicate" | "outdated"> {
    const kept = await insertItem(this.#db, item, holder, now, peopleVersion);
    if (kept) return kept;
    const row = await this.#db.get("SELECT version FROM people_state WHERE one = 1");
    return number(row?.version) === peopleVersion ? "duplicate" : "outdated";
  }

  async amend(account: Account, which: Amended, change: (was: string) => string): Promise<InboxItem | null> {
    return this.#db.transaction(async (tx) => {
      const was = await this.#waitingOf(tx, account, which);
      const { source } = which;
      if (!was || identityOf(was.source) !== identityOf(source)) return null;
      const changed = storableText(change(was.text));
      await tx.run("UPDATE inbox SET text = ? WHERE id = ?", changed, was.id);
      return { ...was, text: changed };
    });
  }

  withdraw(account: Account, which: Amended): Promise<InboxItem | null> {
    return this.#db.transaction(async (tx) => {
      const was = await this.#waitingOf(tx, account, which);
      if (!was) return null;
      const gone =
        "UPDATE inbox SET state = 'done', text = '', attachments = NULL, missing = NULL, awaited = NULL WHERE id = ?";
      await tx.run(gone, was.id);
      return was;
    });
  }

  /** The message of the platform with that id, if nobody has begun to answer it. */
  async #waitingOf(tx: Queries, account: Account, { source, messageId }: Amended): Promise<InboxItem | null> {
    const row = await tx.get(
      `SELECT ${columnsOf("inbox")} FROM inbox WHERE platform = ? AND account = ? AND chat = ? AND message_id = ?
         AND kind = 'message' AND state = 'waiting' ${this.#db.dialect.forUpdate("inbox")}`,
      account.platform,
      account.account,
      escapePart(source.chatId),
      escapePart(messageId),
    );
    return row ? inboxItem(row) : null;
  }

  complete(id: InboxId, holder: string, files: Taken | null): Promise<InboxItem | null> {
    return this.#db.transaction(async (tx) => {
      const row = await this.#waitingFor(tx, id, holder);
      if (!row) return null;
      const columns = files
        ? { attachments: writeList(files.attachments), missing: writeList(files.missing) }
        : { attachments: row.attachments ?? null, missing: row.missing ?? null };
      const change = "UPDATE inbox SET attachments = ?, missing = ?, awaited = NULL WHERE id = ?";
      await tx.run(change, columns.attachments, columns.missing, number(row.id));
      return inboxItem({ ...row, ...columns, awaited: null });
    });
  }

  fetching(id: InboxId, holder: string): Promise<AwaitedFiles | null> {
    return this.#db.transaction(async (tx) => {
      const row = await this.#waitingFor(tx, id, holder);
      const { awaited } = row ? inboxItem(row) : {};
      if (!row || !awaited) return null;
      const begun = { ...awaited, tries: awaited.tries + 1 };
      await tx.run("UPDATE inbox SET awaited = ? WHERE id = ?", writeAwaited(begun), number(row.id));
      return begun;
    });
  }

  /** A message that waits for this holder, also if it was moved. */
  async #waitingFor(tx: Queries, id: InboxId, holder: string): Promise<Row | undefined> {
    const row = await tx.get(
      `SELECT ${columnsOf("inbox")} FROM inbox WHERE id = ? AND owner = ? AND kind = 'message' AND state = 'waiting'
         ${this.#db.dialect.forUpdate("inbox")}`,
      id,
      holder,
    );
    if (row) return row;
    const moved = await movedTo(tx, id);
    return moved === null ? undefined : this.#waitingFor(tx, moved, holder);
  }

  async waiting(account: Account): Promise<HeldItem[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("inbox")} FROM inbox WHERE platform = ? AND account = ? AND state = 'waiting' ORDER BY id`,
      account.platform,
      account.account,
    );
    return rows.map(heldItem);
  }

  async waitingIn(key: SessionKey): Promise<InboxItem[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("inbox")} FROM inbox WHERE key = ? AND state = 'waiting' AND kind = 'message' ORDER BY id`,
      key,
    );
    return rows.map(inboxItem);
  }

  async release({ platform, account }: Account, holder: string): Promise<void> {
    const left =
      "UPDATE inbox SET owner = '' WHERE platform = ? AND account = ? AND state = 'waiting' AND owner = ?";
    await this.#db.run(left, platform, account, holder);
  }

  async adopt({ platform, account }: Account, from: string, holder: string): Promise<void> {
    const adopt = `UPDATE inbox SET owner = ? WHERE platform = ? AND account = ? AND state = 'waiting' AND owner = ?
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE platform = ? AND account = ? AND owner <> ?)`;
    await this.#db.run(adopt, holder, platform, account, from, platform, account, holder);
  }

  async beginCommand(id: InboxId, holder: string): Promise<boolean> {
    const begin =
      "UPDATE inbox SET state = 'running' WHERE id = ? AND owner = ? AND kind = 'command' AND state = 'waiting'";
    return (await this.#db.run(begin, id, holder)) === 1;
  }

  finishCommand(id: InboxId, said: readonly NewDelivery[], now: number): Promise<void> {
    return this.#db.transaction(async (tx) => {
      const finished = await tx.run("UPDATE inbox SET state = 'done' WHERE id = ? AND state = 'running'", id);
      if (finished === 1) await insertDeliveries(tx, said, now);
    });
  }

  skip(id: InboxId, holder: string, said: readonly NewDelivery[], now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const skip =
        "UPDATE inbox SET state = 'done' WHERE id = ? AND owner = ? AND kind = 'message' AND state = 'waiting'";
      const isSkipped = (await tx.run(skip, id, holder)) === 1;
      if (isSkipped) await insertDeliveries(tx, said, now);
      return isSkipped;
    });
  }

  async interruptedCommands(account: Account): Promise<HeldItem[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("inbox")} FROM inbox WHERE platform = ? AND account = ? AND state = 'running' AND kind = 'command' ORDER BY id`,
      account.platform,
      account.account,
    );
    return rows.map(heldItem);
  }
}

/** One statement. Null if it is there already, or if persons were changed since that version. */
export async function insertItem(
  tx: Queries,
  item: NewInboxItem,
  holder: string,
  receivedAt: number,
  peopleVersion?: number,
): Promise<InboxItem | null> {
  const row = await tx.write(
    `INSERT INTO inbox (platform, account, chat, message_id, kind, key, source, text, attachments, missing, awaited, said_by,
       made_by, made_of, in_background, bound_to, received_at, owner, state)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting' FROM people_state
     WHERE one = 1 ${peopleVersion === undefined ? "" : "AND version = ?"}
     ON CONFLICT (platform, account, chat, message_id) DO NOTHING RETURNING id`,
    item.platform,
    item.account,
    escapePart(item.source.chatId),
    madeId(item.made, item.messageId),
    item.kind,
    item.key,
    writeOrigin(item.source),
    storableText(item.text),
    writeList(item.attachments),
    writeList(item.missing),
    writeAwaited(item.awaited),
    item.by ? writeOrigin(item.by) : null,
    item.made ?? null,
    item.made ? item.messageId : null,
    item.inBackground ? 1 : 0,
    item.boundTo ?? null,
    receivedAt,
    holder,
    ...(peopleVersion === undefined ? [] : [peopleVersion]),
  );
  if (!row) return null;
  const kept = { ...item, id: number<InboxId>(row.id), receivedAt };
  tx.record({ kind: "inbox", item: kept, holder });
  return kept;
}

/** Unique beside the platform's ids, in which a colon is escaped. It is never read. */
function madeId(made: MadeBy | undefined, messageId: string): string {
  return made ? `${made}:${escapePart(messageId)}` : escapePart(messageId);
}

/** It was said into a running turn. Where it has moved meanwhile, it needs no answer there any more. */
export async function steerIn(tx: Queries, id: InboxId): Promise<void> {
  if ((await tx.run("UPDATE inbox SET state = 'done' WHERE id = ? AND state = 'waiting'", id)) === 1) return;
  const moved = await movedTo(tx, id);
  if (moved !== null) await steerIn(tx, moved);
}

/** What a message is in the lane that its conversation was moved to; null where it was not. */
async function movedTo(tx: Queries, id: InboxId): Promise<InboxId | null> {
  const sql = "SELECT id FROM inbox WHERE message_id = ? AND said_by IS NOT NULL";
  const moved = await tx.get(sql, madeId("moved", `${id}`));
  return moved ? number<InboxId>(moved.id) : null;
}

function writeAwaited(awaited: AwaitedFiles | undefined): string | null {
  return awaited ? storableText(JSON.stringify(awaited)) : null;
}

function heldItem(row: Row): HeldItem {
  return { item: inboxItem(row), holder: text(row.owner) };
}

export function inboxItem(row: Row): InboxItem {
  return {
    id: number<InboxId>(row.id),
    platform: text(row.platform),
    account: text(row.account),
    kind: oneOf(row.kind, INBOX_KINDS),
    key: text<SessionKey>(row.key),
    source: source(row.source),
    messageId: row.made_by === null ? platformId(text(row.message_id)) : text(row.made_of ?? row.message_id),
    ...(row.made_by === null ? {} : { made: oneOf(row.made_by, MADE_BY) }),
    text: text(row.text),
    ...readAttachments(row),
    ...(row.missing === null ? {} : { missing: json<string[]>(row.missing) }),
    ...(row.awaited === null ? {} : { awaited: json<AwaitedFiles>(row.awaited) }),
    ...(flag(row.in_background) ? { inBackground: true } : {}),
    ...(row.bound_to === null ? {} : { boundTo: text<SessionId>(row.bound_to) }),
    ...(row.said_by === null ? {} : { by: source(row.said_by) }),
    receivedAt: number(row.received_at),
  };
}

function platformId(escaped: string): string {
  return unescapePart(escaped) ?? escaped;
}
