/**
 * Whether a request may be read at all, by its head alone. What holds: it asks for us by a name of ours, no other site had
 * a part in it, and its body is of the one kind and no longer than its call may have. The cookie is not looked at: it is
 * also `SameSite=Strict`, so this is the second of two walls.
 *
 * - A browser says with `Sec-Fetch-Site` which site a request comes from, and no script can set that. What it does not say
 *   is a very old browser or no browser: those must set our own header, which no other site's form, picture, frame or event
 *   stream can. So an event stream is opened by a browser that says where it comes from, or by a program.
 * - The page itself and its files have no secret. Anybody may go to it, also by a link in a chat on another site (a log-in
 *   link is one), but no other site may show it in a frame or load its files.
 */
import type { OwnNames } from "./bind.js";
import { OUR_HEADER, OUR_HEADER_VALUE, PATHS } from "./wire.js";

/** The head of a request, as it came. */
export interface AskedHead {
  readonly method: string;
  /** What was asked for, as it came: a path. Only proxies are asked for whole addresses. */
  readonly target: string;
  /** As the routes read it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What a body may be. */
export interface BodyRoom {
  readonly json: number;
  readonly file: number;
}

export interface Refusal {
  readonly status: 400 | 403 | 404 | 405 | 411 | 413 | 415;
  readonly code: string;
  /** For people who look into the console. */
  readonly message: string;
}

/** As what a browser may ask for an answer of ours: never as a script, a style, a frame or a worker. */
const DATA = new Set(["", "empty", "image", "audio", "video", "document"]);

/** Null if it may be read. */
export function refusalOf(asked: AskedHead, names: OwnNames, room: BodyRoom): Refusal | null {
  const { method } = asked;
  const isApi = isApiPath(asked.path);
  if (!/^\/(?!\/)/.test(asked.target)) return refusal(400, "wrong_target", "Ask for a path.");
  if (!names.hosts.has(headOf(asked, "host").toLowerCase()))
    return refusal(403, "wrong_host", "Baton is not known under this address. Set web.publicUrl to it.");
  const origin = asked.headers.origin;
  if (origin !== undefined && (typeof origin !== "string" || !names.origins.has(origin)))
    return refusal(403, "wrong_origin", "Only Baton's own page may ask for this.");
  if (!isKnownMethod(asked, isApi))
    return refusal(405, "method_not_allowed", `There is no ${shownMethod(method)} here.`);
  const stranger = isApi ? foreignCall(asked) : foreignVisit(asked);
  if (stranger) return stranger;
  return bodyRefusal(asked, room);
}

export function isApiPath(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

function isKnownMethod({ method, path }: AskedHead, isApi: boolean): boolean {
  if (method === "GET" || method === "HEAD") return true;
  if (!isApi) return false;
  return method === "POST" || (method === "PUT" && path === PATHS.upload);
}

/** A call from elsewhere, or one that can't be known to be from here. */
function foreignCall(asked: AskedHead): Refusal | null {
  const { method } = asked;
  const site = headOf(asked, "sec-fetch-site");
  const isOurs = headOf(asked, OUR_HEADER) === OUR_HEADER_VALUE;
  if (site !== "" && site !== "same-origin")
    return refusal(403, "cross_site", "Only Baton's own page may ask for this.");
  if (!DATA.has(headOf(asked, "sec-fetch-dest")))
    return refusal(403, "wrong_destination", "This can't be used as a script, a style or a frame.");
  if (isOurs) return null;
  if (method === "POST" || method === "PUT")
    return refusal(403, "header_missing", `Send the header ${OUR_HEADER}: ${OUR_HEADER_VALUE}.`);
  if (site === "")
    return refusal(
      403,
      "unknown_site",
      `This browser is too old for Baton. A program must send the header ${OUR_HEADER}: ${OUR_HEADER_VALUE}.`,
    );
  return null;
}

/** Something other than somebody who opens the page, or the page that loads its files. */
function foreignVisit(asked: AskedHead): Refusal | null {
  const site = headOf(asked, "sec-fetch-site");
  if (site === "" || site === "same-origin" || site === "none") return frameRefusal(asked);
  const isVisit =
    headOf(asked, "sec-fetch-mode") === "navigate" && headOf(asked, "sec-fetch-dest") === "document";
  return isVisit && !hasEnding(asked.path)
    ? null
    : refusal(403, "cross_site", "Only Baton's own page may load this.");
}

function frameRefusal(asked: AskedHead): Refusal | null {
  const isFramed = ["iframe", "frame", "embed", "object"].includes(headOf(asked, "sec-fetch-dest"));
  return isFramed ? refusal(403, "framed", "Baton is not shown inside of other pages.") : null;
}

/** Files of the page have one, its places do not. */
export function hasEnding(path: string): boolean {
  return path.slice(path.lastIndexOf("/")).includes(".");
}

/** Its length must be told before: then the server reads no more than that. */
function bodyRefusal(asked: AskedHead, room: BodyRoom): Refusal | null {
  const { method } = asked;
  const told = headOf(asked, "content-length");
  const isChunked = asked.headers["transfer-encoding"] !== undefined;
  if (method === "GET" || method === "HEAD")
    return isChunked || (told !== "" && told !== "0")
      ? refusal(400, "unexpected_body", "This takes no body.")
      : null;
  const [type = ""] = headOf(asked, "content-type").toLowerCase().split(";");
  const wanted = method === "PUT" ? "application/octet-stream" : "application/json";
  if (type.trim() !== wanted) return refusal(415, "wrong_type", `Send this as ${wanted}.`);
  if (isChunked || !/^[0-9]{1,15}$/.test(told))
    return refusal(411, "length_required", "Say how long this is, with Content-Length.");
  const most = method === "PUT" ? room.file : room.json;
  return Number(told) > most ? refusal(413, "too_large", tooLarge(most)) : null;
}

function tooLarge(most: number): string {
  const [size, unit] = most < 2 ** 20 ? [most / 2 ** 10, "KB"] : [most / 2 ** 20, "MB"];
  return `This is larger than ${Math.floor(size)} ${unit}.`;
}

function refusal(status: Refusal["status"], code: string, message: string): Refusal {
  return { status, code, message };
}

/** Empty if it is not there; what was sent twice is none that we know. */
function headOf({ headers }: AskedHead, name: string): string {
  const value = headers[name];
  if (value === undefined) return "";
  return typeof value === "string" ? value : "(twice)";
}

function shownMethod(method: string): string {
  return /^[A-Z]{1,16}$/.test(method) ? method : "such method";
}
