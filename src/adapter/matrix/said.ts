/**
 * What an event of a room says: its words, its files and what else it has. Polls, places and voice messages have two names
 * each, that of the specification and that of the proposal before it, which apps go on to use.
 */
import { locationPart, type Part, part, pollPart } from "../../session/parts.js";
import type { Fields } from "../../util/json.js";
import { listOf, record, textOf } from "../untrusted.js";
import { unescaped } from "./mention.js";

/** Where a file is, and how to read it where it is encrypted. */
export interface MediaPlace {
  readonly server: string;
  readonly mediaId: string;
  /** The keys of an encrypted file, as its message has them. */
  readonly encrypted?: Fields;
}

export interface MediaReference extends MediaPlace {
  readonly name?: string;
  readonly mediaType: string;
  /** Somebody spoke it. */
  readonly voice?: true;
}

export interface MatrixSaid {
  /** As it was written, without what it answers. */
  readonly words: string;
  /** What older clients put before the words: whom they answer, and what that one wrote. */
  readonly fallback?: { readonly author: string | undefined; readonly text: string };
  readonly media: readonly MediaReference[];
  readonly parts: readonly Part[];
  /** The answers of a poll that were chosen, by their ids. */
  readonly votes?: readonly string[];
}

const MESSAGE = "m.room.message";
const POLL = ["m.poll.start", "org.matrix.msc3381.poll.start"];
const VOTE = ["m.poll.response", "org.matrix.msc3381.poll.response"];
const POLL_END = ["m.poll.end", "org.matrix.msc3381.poll.end"];
const CALL = ["m.call.invite", "m.rtc.notification", "org.matrix.msc4075.rtc.notification"];
const LIVE_PLACE = ["m.beacon_info", "org.matrix.msc3672.beacon_info"];
const TEXT = ["m.text", "org.matrix.msc1767.text"];
const PLACE = ["m.location", "org.matrix.msc3488.location"];
const VOICE = ["m.voice", "org.matrix.msc3245.voice", "org.matrix.msc3245.voice.v2"];
const MEDIA_TYPES = new Set(["m.image", "m.file", "m.audio", "m.video"]);
const GALLERIES = new Set(["m.gallery", "dm.filament.gallery"]);
const MOST_FILES = 30;
const MAX_FORMATTED = 100_000;

const SAID = new Set<unknown>([MESSAGE, "m.sticker", ...POLL, ...VOTE, ...POLL_END, ...CALL, ...LIVE_PLACE]);

/** True for what a person says: everything else in a timeline is state, marks and keys. */
export function isSaid({ type, state_key, sender }: Fields): boolean {
  if (!SAID.has(type)) return false;
  return LIVE_PLACE.includes(String(type)) ? state_key === sender : state_key === undefined;
}

/** Null where it says nothing: a notice, which is what bots say, or what was deleted. */
export function saidIn(type: unknown, content: Fields, isReply: boolean): MatrixSaid | null {
  const kind = String(type);
  const only = (...parts: Part[]): MatrixSaid => ({ words: "", media: [], parts });
  if (kind === MESSAGE) return messageSaid(content, isReply);
  if (kind === "m.sticker") return sticker(content);
  if (POLL.includes(kind)) return only(pollOf(content));
  if (VOTE.includes(kind)) return { ...only(part("vote")), votes: votesIn(content) };
  if (POLL_END.includes(kind)) return only(part("poll", "ended", wordsOf(content)));
  if (LIVE_PLACE.includes(kind))
    return content.live === true
      ? only(locationPart({ name: textOf(content.description), isLive: true }))
      : null;
  return only(part("call"));
}

/** What somebody voted for, in the words of the poll. */
export function votePart(poll: Fields | null, votes: readonly string[]): Part {
  const answers = new Map(answersOf(record(poll?.content)).map(({ id, text }) => [id, text]));
  return part("vote", ...(votes.length === 0 ? ["taken back"] : votes.map((id) => answers.get(id))));
}

function messageSaid(content: Fields, isReply: boolean): MatrixSaid | null {
  const msgtype = textOf(content.msgtype);
  const body = textOf(content.body);
  if (msgtype === undefined || msgtype === "m.notice") return null;
  if (MEDIA_TYPES.has(msgtype)) return file(content, msgtype, body);
  if (GALLERIES.has(msgtype)) return gallery(content, msgtype, body);
  if (msgtype === "m.location") return { words: "", media: [], parts: [placeOf(content, body)] };
  if (msgtype === "m.key.verification.request")
    return { words: "", media: [], parts: [part("unsupported", "a request to verify keys")] };
  const isText = msgtype === "m.text" || msgtype === "m.emote";
  if (isText && body === undefined) return null;
  const parts = isText ? [] : [part("unsupported", msgtype)];
  const shown = unhidden(body ?? "", textOf(content.formatted_body) ?? "");
  if (!isReply) return { words: shown, media: [], parts };
  const { text: words, fallback } = withoutFallback(shown);
  return { words, media: [], parts, ...(fallback ? { fallback } : {}) };
}

/** A file's body is its name, unless the name stands elsewhere: then it is what was written with it. */
function file(content: Fields, msgtype: string, body: string | undefined): MatrixSaid {
  const filename = textOf(content.filename);
  const words = filename !== undefined && filename !== body ? (body ?? "") : "";
  const media = mediaOf(content, body);
  return { words, media: media ? [media] : [], parts: media ? [] : [part("unsupported", msgtype)] };
}

function gallery(content: Fields, msgtype: string, body: string | undefined): MatrixSaid {
  const items = listOf(content.itemtypes).map(record);
  const media = items.slice(0, MOST_FILES).flatMap((item) => mediaOf(item, textOf(item.body)) ?? []);
  const left = items.length - media.length;
  const missing = left > 0 ? [part("unsupported", `files of ${msgtype} that cannot be read: ${left}`)] : [];
  const parts = items.length === 0 ? [part("unsupported", msgtype)] : missing;
  return { words: body ?? "", media, parts };
}

function sticker(content: Fields): MatrixSaid {
  const body = textOf(content.body);
  const media = mediaOf(content, body);
  return { words: "", media: media ? [media] : [], parts: [part("sticker", body)] };
}

function mediaOf(content: Fields, body: string | undefined): MediaReference | undefined {
  const encrypted = content.file === undefined ? undefined : record(content.file);
  const address = textOf(encrypted ? encrypted.url : content.url) ?? "";
  const [, server, mediaId] =
    /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,255})\/([A-Za-z0-9_-]{1,255})$/.exec(address) ?? [];
  const name = textOf(content.filename) ?? body;
  if (!server || !mediaId) return undefined;
  return {
    server,
    mediaId,
    ...(name === undefined ? {} : { name }),
    mediaType: textOf(record(content.info).mimetype) ?? "application/octet-stream",
    ...(VOICE.some((mark) => content[mark] ?? false) ? { voice: true } : {}),
    ...(encrypted ? { encrypted } : {}),
  };
}

/** `geo:52.5,13.4;u=35`; the body is the place in words, or made of the address. */
function placeOf(content: Fields, body: string | undefined): Part {
  const place = record(first(content, PLACE));
  const address = textOf(place.uri) ?? textOf(content.geo_uri) ?? "";
  const [, latitude, longitude] =
    /^geo:(-?\d{1,3}(?:\.\d{1,20})?),(-?\d{1,3}(?:\.\d{1,20})?)/.exec(address) ?? [];
  const name = textOf(place.description) ?? (body?.includes("geo:") ? undefined : body);
  return locationPart({
    ...(latitude ? { latitude: Number(latitude), longitude: Number(longitude) } : {}),
    name,
  });
}

function pollOf(content: Fields): Part {
  const poll = record(first(content, ["m.poll", "m.poll.start", "org.matrix.msc3381.poll.start"]));
  const answers = answersOf(content).map(({ text }) => text ?? "?");
  return pollPart(wordsOf(record(poll.question)) ?? wordsOf(content), answers);
}

function answersOf(content: Fields): readonly { readonly id: string; readonly text: string | undefined }[] {
  const poll = record(first(content, ["m.poll", "m.poll.start", "org.matrix.msc3381.poll.start"]));
  return listOf(poll.answers)
    .slice(0, 100)
    .map(record)
    .map((answer) => ({ id: textOf(answer["m.id"]) ?? textOf(answer.id) ?? "", text: wordsOf(answer) }));
}

function votesIn(content: Fields): readonly string[] {
  const response = record(first(content, ["m.poll.response", "org.matrix.msc3381.poll.response"]));
  const chosen = content["m.selections"] ?? response.answers;
  return listOf(chosen)
    .slice(0, 100)
    .flatMap((id) => textOf(id) ?? []);
}

/** The words of a thing that is extensible: plain, or one of several renderings. */
function wordsOf(content: Fields): string | undefined {
  const text = first(content, TEXT);
  return textOf(text) ?? textOf(record(listOf(text)[0]).body) ?? textOf(content.body);
}

function first(content: Fields, names: readonly string[]): unknown {
  return names.map((name) => content[name]).find((value) => value !== undefined);
}

/** Some apps put what is hidden into a file, and leave only a link to it in the plain text: then the other text has it. */
function unhidden(body: string, html: string): string {
  if (!body.includes("](mxc://") || !html.includes("data-mx-spoiler")) return body;
  const own = html.slice(0, MAX_FORMATTED);
  const after = own.lastIndexOf("</mx-reply>");
  const lines = own.slice(Math.max(after, 0)).replace(/<(?:br|\/p)[ /]{0,3}>/gi, "\n");
  return unescaped(lines.replace(/<[^<>]{0,1000}>/g, "")).trim();
}

/** Older clients put what they answer before the text, as a quotation with its author. */
function withoutFallback(body: string): Pick<MatrixSaid, "fallback"> & { readonly text: string } {
  const lines = body.split("\n");
  const end = lines.findIndex((line) => line !== ">" && !line.startsWith("> "));
  if (end <= 0 || lines[end] !== "") return { text: body };
  const quoted = lines.slice(0, end).map((line) => line.slice(2));
  const [whole = "", author] = /^(?:\* )?<(@[^>]{1,255})> ?/.exec(quoted[0] ?? "") ?? [];
  quoted[0] = (quoted[0] ?? "").slice(whole.length);
  return { text: lines.slice(end + 1).join("\n"), fallback: { author, text: quoted.join("\n") } };
}
