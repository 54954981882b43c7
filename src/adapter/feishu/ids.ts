/** Ids as Feishu writes them: what each is shows by how it begins. */

const PERSON = /^ou_[\w-]{1,100}$/;
const CHAT = /^oc_[\w-]{1,100}$/;
const MESSAGE = /^om_[\w-]{1,100}$/;
/** Of a picture or a file. */
const KEY = /^[\w-]{1,200}$/;

export function isPerson(value: unknown): value is string {
  return typeof value === "string" && PERSON.test(value);
}

export function isChat(value: unknown): value is string {
  return typeof value === "string" && CHAT.test(value);
}

export function isMessage(value: unknown): value is string {
  return typeof value === "string" && MESSAGE.test(value);
}

export function isKey(value: unknown): value is string {
  return typeof value === "string" && KEY.test(value);
}
