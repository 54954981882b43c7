/**
 * One GET to a server on the public internet. What holds:
 * - the host's name is resolved once, all its addresses must be public, and the connection goes to one of them by
 *   number: whatever the name means a moment later, no other server is reached;
 * - each redirect is checked like the first URL;
 * - the bytes (also after decompression), the total time and the time without a byte are bounded;
 * - no cookies, no credentials, no proxies, no kept-alive connections.
 */

import { lookup } from "node:dns/promises";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { parsedUrl } from "../../util/parsed-url.js";
import { isPublicAddress } from "./public-address.js";
import { Refused } from "./refused.js";

/** All addresses of a name. */
type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface FetchLimits {
  readonly bytes: number;
  readonly totalMs: number;
  readonly idleMs: number;
}

export interface FetchOptions {
  /** `host:port` pairs that may be reached although they are not public. */
  readonly allowHosts: readonly string[];
  /** The ports that may be reached on other hosts. */
  readonly ports: readonly string[];
  readonly limits: FetchLimits;
  /** By default as the system does. */
  readonly resolve?: Resolve;
}

export interface Answer {
  /** The final URL. */
  readonly url: URL;
  /** The caller must destroy it. */
  readonly response: IncomingMessage;
}

const MOST_REDIRECTS = 5;
const MOST_ADDRESSES = 4;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Follows redirects to the response, and does not read its body. */
export async function fetchPinned(
  written: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Answer> {
  let url = placeOf(written, undefined);
  for (let redirects = 0; ; redirects++) {
    const response = await requestOnce(url, await addressesOf(url, options, signal), options.limits, signal);
    const { location } = response.headers;
    if (!REDIRECTS.includes(response.statusCode ?? 0) || location === undefined) return { url, response };
    response.destroy();
    if (redirects === MOST_REDIRECTS) throw new Refused(`it redirects more than ${MOST_REDIRECTS} times.`);
    url = placeOf(location, url);
  }
}

/** A URL that may be tried; where it leads is checked later. */
function placeOf(written: string, from: URL | undefined): URL {
  const what = from ? `${from.origin} redirects to a URL that` : "the URL";
  const url = parsedUrl(written, from?.href);
  if (!url) throw new Refused(`${what} is not a valid URL.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Refused(`${what} begins with ${url.protocol}; use http: or https:.`);
  }
  if (url.username || url.password)
    throw new Refused(`${what} contains a user name or a password; leave them out.`);
  return url;
}

/** The addresses to connect to, all of them checked. */
async function addressesOf(url: URL, options: FetchOptions, signal: AbortSignal): Promise<readonly string[]> {
  const { allowHosts, ports, resolve = resolveName } = options;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const allowed = allowHosts.includes(`${url.hostname}:${portOf(url)}`);
  if (!allowed && !ports.includes(portOf(url))) {
    throw new Refused(`port ${portOf(url)} is not allowed; allowed ports are ${ports.join(", ")}.`);
  }
  const addresses = isIP(host) ? [host] : await unlessAborted(resolve(host), signal);
  if (addresses.length === 0) throw new Refused(`the host ${host} was not found.`);
  const own = allowed ? [] : ownAddresses();
  if (!allowed && !addresses.every((address) => isPublicAddress(address) && !own.includes(address))) {
    throw new Refused(
      `${host} is a private or local address, and only public ones can be fetched. The owner can allow it in tools.fetch.allowHosts.`,
    );
  }
  return addresses.slice(0, MOST_ADDRESSES);
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** No address if the name has none. The lookup itself can't be cancelled, only ignored. */
function unlessAborted(found: Promise<readonly string[]>, signal: AbortSignal): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    found.then(resolve, () => resolve([])).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

const resolveName: Resolve = async (hostname) => {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
};

/** Addresses of this machine, which may be public and still be local. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

/** Tries one address after the other, until one connects. */
async function requestOnce(
  url: URL,
  addresses: readonly string[],
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let failure: Error | undefined;
  for (const address of addresses) {
    try {
      return await requestFrom(url, address, limits, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error as Error;
    }
  }
  throw new Refused(`${url.host} could not be reached: ${failure?.message ?? "no address"}.`);
}

function requestFrom(
  url: URL,
  address: string,
  { idleMs }: FetchLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const options = {
    // The number, so that nothing is resolved again; the name is for the server and its certificate.
    host: address,
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      accept: "text/html, application/xhtml+xml, text/plain, application/json, */*;q=0.5",
      "accept-encoding": "gzip, deflate, br",
      "user-agent": "Baton (fetch_url)",
    },
    ...(isIP(host) ? {} : { servername: host }),
    timeout: idleMs,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = isSecure
      ? httpsRequest({ ...options, agent: new HttpsAgent() })
      : httpRequest({ ...options, agent: new HttpAgent() });
    request.once("timeout", () => request.destroy(new Error(`no data came for ${idleMs / 1_000} s`)));
    request.on("error", reject);
    request.once("response", (response) => {
      response.on("error", () => {}); // Code that reads it gets the error; other code need not.
      resolve(response);
    });
    request.end();
  });
}
