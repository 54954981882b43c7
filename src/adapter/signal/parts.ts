/**
 * What a message of Signal's has besides text and files: a sticker, a contact, a poll. What we do not know is named by
 * signal-cli's own word for it.
 */
import { contactPart, type Part, part, pollPart } from "../../session/parts.js";
import { isFields } from "../../util/json.js";
import { field, isThere, listIn, listOf, numberIn, objectIn, textIn, textOf } from "../untrusted.js";

/** What is read elsewhere, or is nobody's words: settings, marks on other messages, what only shows a link once more. */
const ELSEWHERE = new Set([
  "timestamp",
  "message",
  "expiresInSeconds",
  "isExpirationUpdate",
  "viewOnce",
  "reaction",
  "quote",
  "mentions",
  "previews",
  "attachments",
  "textStyles",
  "groupInfo",
  "storyContext",
  "remoteDelete",
  "adminDelete",
  "pinMessage",
  "unpinMessage",
  "groupCallUpdate",
  "profileKeyUpdate",
  "endSession",
]);

const FAMILIES = new Map([
  ["image", "a picture"],
  ["video", "a video"],
  ["audio", "a voice message"],
]);

const READERS: Readonly<Record<string, (value: unknown) => Part | readonly Part[]>> = {
  sticker: (sticker) => part("sticker", textIn(sticker, "emoji")),
  contacts: (contacts) => listOf(contacts).map(contactOf),
  payment: (payment) => part("payment", textIn(payment, "note")),
  pollCreate: (poll) =>
    pollPart(
      textIn(poll, "question"),
      listIn(poll, "options").flatMap((each) => textOf(each) ?? []),
    ),
  pollVote: (vote) => {
    const chosen = listIn(vote, "optionIndexes").filter((each) => Number.isSafeInteger(each));
    return part(
      "vote",
      chosen.length === 0 ? "taken back" : `for option ${chosen.map((n) => Number(n) + 1).join(" and ")}`,
    );
  },
  pollTerminate: () => part("poll", "ended"),
};

export function partsIn(data: unknown): readonly Part[] {
  if (!isFields(data)) return [];
  const once = field(data, "viewOnce") === true ? listIn(data, "attachments").map(onceOf) : [];
  const others = Object.keys(data).filter((name) => !ELSEWHERE.has(name) && isSomething(field(data, name)));
  const known = others.flatMap((name) => {
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    return reader ? reader(field(data, name)) : [part("unsupported", name)];
  });
  return [...known, ...once];
}

/** Somebody calls: nobody answers, but that they did is said. */
export function callPart(call: unknown): Part | null {
  const offer = objectIn(call, "offerMessage");
  return offer ? part("call", field(offer, "type") === "VIDEO_CALL" ? "video" : "voice") : null;
}

/** Of a message that is answered, Signal gives only a small picture of a file. */
export function quotedFilePart(attachment: unknown): Part {
  const name = textIn(attachment, "filename") ?? textIn(attachment, "contentType") ?? "a file";
  return part("unsupported", `${name}, of which Signal repeats only the name`);
}

function isSomething(value: unknown): boolean {
  return isThere(value) && value !== false && !(Array.isArray(value) && value.length === 0);
}

function onceOf(attachment: unknown): Part {
  const [family = ""] = (textIn(attachment, "contentType") ?? "").split("/");
  const what = FAMILIES.get(family) ?? "a file";
  return part("unsupported", `${what} that may be opened only once`);
}

function contactOf(contact: unknown): Part {
  const names = ["prefix", "given", "middle", "family", "suffix"].flatMap(
    (name) => textIn(contact, "name", name) ?? [],
  );
  const name = textIn(contact, "name", "display") ?? textIn(contact, "name", "nickname") ?? names.join(" ");
  const places = listIn(contact, "address").map((address) =>
    ["street", "postcode", "city", "country"].flatMap((line) => textIn(address, line) ?? []).join(" "),
  );
  const ways = ["phone", "email"].flatMap((kind) =>
    listIn(contact, kind).map((way) => textIn(way, "value") ?? numberIn(way, "value")?.toString() ?? ""),
  );
  return contactPart(name, [textIn(contact, "organization") ?? "", ...ways, ...places]);
}
