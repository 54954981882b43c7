/**
 * Who is signed in on a device, and how somebody comes in. A link is exchanged once for a cookie with 128 random bits, of
 * which the store knows the hash. Access is looked up at each call: whoever loses it sees nothing more. Nobody is known by
 * where a request comes from, but for the header of a proxy whose address the owner has named.
 */
import { randomBytes } from "node:crypto";
import type { SignedIn, SignInRequest } from "../adapter/web/signed-in.js";
import { webSource } from "../adapter/web/web-source.js";
import type { Who } from "../gateway/authorize.js";
import type { Device } from "../gateway/web/devices.js";
import { newSecret, secretHash } from "../gateway/web/links.js";
import { parseIdentity } from "../session/access.js";
import { isPlatform } from "../session/platform.js";
import { parsedUrl } from "../util/parsed-url.js";
import { browserName } from "./browser-name.js";
import type { WebSetting } from "./setting.js";

export type SignInSetting = Pick<
  WebSetting,
  "store" | "trustedHeader" | "publicUrl" | "hasTls" | "clock" | "randomBytes"
> & { readonly people: Pick<WebSetting["gateway"]["people"], "access" | "store"> };

export interface KnownHere {
  readonly signedIn: SignedIn;
  readonly who: Who;
}

const SECRET = /^[A-Za-z0-9_-]{22}$/;
const DEVICE_ID_BYTES = 5;
/** Browsers keep none longer. */
const COOKIE_SECONDS = 400 * 86_400;
/** With more cookies of one name, nobody is signed in: a browser has one, unless somebody else has set some. */
const MOST_TOKENS = 4;
/** So begin the ids of what the store has no device for. */
const BY_PROXY = "proxy-";

/** Somebody is signed in there as long as a proxy says so. */
export function isByProxy(device: string): boolean {
  return device.startsWith(BY_PROXY);
}

export class SignIn {
  readonly #setting: SignInSetting;
  readonly #publicHost: string | null;

  constructor(setting: SignInSetting) {
    this.#setting = setting;
    const url = setting.publicUrl === null ? null : parsedUrl(setting.publicUrl);
    this.#publicHost = url?.protocol === "https:" ? url.host : null;
  }

  /** Null if nobody is signed in there, or has no access any more. */
  async who(request: SignInRequest): Promise<KnownHere | null> {
    const device = this.#byProxy(request) ?? (await this.#byCookie(request));
    if (!device) return null;
    const { id, identity, alias, called } = device;
    const { people } = this.#setting;
    const source = webSource(identity, null, null, alias);
    const access = await people.access(source);
    if (!access.allowed) return null;
    const name = (await people.store.find(identity))?.name ?? called;
    return { signedIn: { device: id, identity, alias, name }, who: access };
  }

  /** Uses a link up: the cookie to set; null if the link is not valid. Nothing of what the browser had before is taken over. */
  async enter(key: unknown, request: SignInRequest): Promise<string | null> {
    if (typeof key !== "string" || !SECRET.test(key)) return null;
    const { store, clock, randomBytes: random = randomBytes } = this.#setting;
    const token = newSecret(random);
    const id = Buffer.from(random(DEVICE_ID_BYTES)).toString("hex");
    const name = browserName(request.headers["user-agent"]);
    const before = await this.#byCookies(request);
    const device = await store.devices.enter(
      secretHash(key),
      { id, name, tokenHash: secretHash(token) },
      clock(),
    );
    if (!device) return null;
    for (const old of before) await store.devices.revoke(old.id, null); // The new cookie takes their place.
    return this.#cookie(request, token, COOKIE_SECONDS);
  }

  /** Signs this device out: the cookie that takes the old one away. */
  async leave(request: SignInRequest): Promise<string> {
    for (const device of await this.#byCookies(request))
      await this.#setting.store.devices.revoke(device.id, null);
    return this.#cookie(request, "", 0);
  }

  /** Null also if there are several: without TLS, other programs of this machine can set a cookie beside ours. */
  async #byCookie(request: SignInRequest): Promise<Device | null> {
    const [device, ...others] = await this.#byCookies(request);
    return device && others.length === 0 ? device : null;
  }

  async #byCookies(request: SignInRequest): Promise<Device[]> {
    const { store, clock } = this.#setting;
    const tokens = cookiesIn(request.cookie, this.#cookieName(request)).filter((token) => SECRET.test(token));
    const devices: Device[] = [];
    for (const token of tokens.length > MOST_TOKENS ? [] : tokens) {
      const device = await store.devices.known(secretHash(token), clock());
      if (device) devices.push(device);
    }
    return devices;
  }

  /** The header counts only from the proxy itself, whatever else stands in it. */
  #byProxy({
    headers,
    remoteAddress,
  }: SignInRequest): Pick<Device, "id" | "identity" | "alias" | "called"> | null {
    const { trustedHeader } = this.#setting;
    if (!trustedHeader || remoteAddress === null) return null;
    if (!trustedHeader.proxies.map(plainAddress).includes(plainAddress(remoteAddress))) return null;
    const told = headers[trustedHeader.name.toLowerCase()];
    const identity = typeof told === "string" ? identityNamedIn(told) : null;
    if (identity === null) return null;
    return { id: `${BY_PROXY}${secretHash(identity).slice(0, 10)}`, identity, alias: null, called: null };
  }

  /** With TLS it has the prefix that no other host can set. */
  #cookieName(request: SignInRequest): string {
    return this.#isSecure(request) ? "__Host-baton" : "baton";
  }

  #cookie(request: SignInRequest, token: string, seconds: number): string {
    const secure = this.#isSecure(request) ? "; Secure" : "";
    return `${this.#cookieName(request)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  /** By the name under which it is asked for, which the guard has checked. */
  #isSecure({ headers }: SignInRequest): boolean {
    const host = headers.host?.toLowerCase();
    return this.#setting.hasTls || (this.#publicHost !== null && host === this.#publicHost);
  }
}

/** What a proxy may say: somebody on a platform that there is. */
function identityNamedIn(told: string): string | null {
  const name = told.trim();
  return isPlatform(name.split(":", 1)[0]) ? parseIdentity(name) : null;
}

/** The values of that name, each once. */
function cookiesIn(header: string | null, name: string): string[] {
  const values = new Set<string>();
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) values.add(pair.slice(at + 1).trim());
  }
  return [...values];
}

/** As it is written for an IPv4 address on an IPv6 socket. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=[0-9.]+$)/, "");
}
