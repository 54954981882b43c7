/**
 * The ids of WhatsApp Web. A person is known by a phone number, by a LID (an id that hides the number), or by both; a
 * group by its own id. Here a number is its digits and a LID keeps its domain, as the session keys fold them. A message
 * of ours is its id alone, a person's is `<id>.<person>`: ids are made by those who send, and nobody may change
 * another's message by naming it.
 */
import { createHash } from "node:crypto";

const PERSON = /^(\d{5,20})(?:_\d{1,3})?(?::\d{1,5})?@(s\.whatsapp\.net|c\.us|lid)$/;
const GROUP = /^\d{5,25}(?:-\d{5,20})?@g\.us$/;
const MESSAGE = /^[\w.=+/-]{1,128}$/;
const OURS = /^3EB0[0-9A-F]{18}$/;

/** Digits, or `<digits>@lid`; null where it is no person. */
export function personOf(jid: unknown): string | null {
  const [, user, domain] = (typeof jid === "string" && PERSON.exec(jid)) || [];
  if (!user) return null;
  return domain === "lid" ? `${user}@lid` : user;
}

export function isLid(person: string): boolean {
  return person.endsWith("@lid");
}

export function isGroup(id: unknown): id is string {
  return typeof id === "string" && GROUP.test(id);
}

/** Where a chat is written to; null where there is none. */
export function jidOf(chatId: string): string | null {
  if (isGroup(chatId)) return chatId;
  const person = personOf(chatId) ?? /^\+?(\d{5,20})$/.exec(chatId)?.[1];
  if (!person) return null;
  return isLid(person) ? person : `${person}@s.whatsapp.net`;
}

export interface BaileysMessageRef {
  readonly id: string;
  /** Absent for our own. */
  readonly author?: string;
}

export function messageIdOf({ id, author }: BaileysMessageRef): string {
  return author ? `${id}.${author}` : id;
}

/** Null where it is no message of WhatsApp's. */
export function messageRefOf(messageId: string): BaileysMessageRef | null {
  const [, id = "", author] = /^(.+?)(?:\.(\d{5,20}(?:@lid)?))?$/s.exec(messageId) ?? [];
  if (!isStanzaId(id)) return null;
  return author ? { id, author } : { id };
}

export function isStanzaId(id: unknown): id is string {
  return typeof id === "string" && MESSAGE.test(id);
}

/** The id under which a delivery goes out: the same for every attempt, in this process and the next. */
export function ourId(account: string, deliveryId: string): string {
  const digest = createHash("sha256").update(`${account}\n${deliveryId}`).digest("hex");
  return `3EB0${digest.slice(0, 18).toUpperCase()}`;
}

export function isOurId(id: string): boolean {
  return OURS.test(id);
}
