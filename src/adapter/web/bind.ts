/**
 * Where the page listens, and under which names it may be asked for. Whoever is at this machine needs no encryption;
 * everybody else does: so any other address is refused unless there is TLS, here or at a proxy whose address is known.
 */
import { isIP } from "node:net";
import { parsedUrl } from "../../util/parsed-url.js";

export interface BindPlace {
  readonly host: string;
  /** The address under which a proxy shows the page; null if there is none. */
  readonly publicUrl: string | null;
  /** Baton itself speaks TLS. */
  readonly hasTls: boolean;
}

/** The names under which a request may ask for the page, and the origins that its own scripts have. */
export interface OwnNames {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

const ALL_ADDRESSES = new Set(["", "0.0.0.0", "::", "[::]"]);

/** Why the page is not served there, as a sentence that says what to do; null if it may be. */
export function bindProblem({ host, publicUrl, hasTls }: BindPlace): string | null {
  const address = publicUrl === null ? null : publicAddress(publicUrl);
  if (publicUrl !== null && address === null)
    return `web.publicUrl is ${JSON.stringify(publicUrl)}. Set it to the page's address without a path, such as "https://baton.example.com".`;
  if (isLoopback(host) || address !== null) return null;
  if (!hasTls)
    return `web.host is ${JSON.stringify(host)}, so other machines could read the page without encryption. Set web.host to "127.0.0.1", or set web.publicUrl to the https address of your proxy, or set web.tls.`;
  if (ALL_ADDRESSES.has(host))
    return "web.host is every address of this machine, so Baton can't know under which name people open the page. Set web.publicUrl to that address.";
  return null;
}

/** The page under this origin; null for what can't be one: without TLS it must be this machine. */
function publicAddress(publicUrl: string): URL | null {
  const url = parsedUrl(publicUrl);
  if (url?.pathname !== "/" || url.search || url.hash || url.username || url.password) return null;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && isLoopback(url.hostname) ? url : null;
}

export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (plain === "localhost" || plain === "::1") return true;
  return isIP(plain) === 4 && plain.startsWith("127.");
}

/** A request under any other name comes from a page that makes its own name mean this machine. */
export function ownNames({ host, publicUrl, hasTls }: BindPlace, port: number): OwnNames {
  const scheme = hasTls ? "https" : "http";
  const names = isLoopback(host) || ALL_ADDRESSES.has(host) ? ["127.0.0.1", "localhost", "[::1]"] : [];
  if (!ALL_ADDRESSES.has(host)) names.push(asUrlHost(host));
  const usual = hasTls ? 443 : 80;
  const hosts = new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === usual ? [name] : [])]));
  const origins = new Set([...hosts].map((each) => `${scheme}://${each}`));
  const known = publicUrl === null ? null : publicAddress(publicUrl);
  if (known) {
    hosts.add(known.host);
    origins.add(known.origin);
  }
  return { hosts, origins };
}

/** What people open. */
export function pageUrl(place: BindPlace, port: number): string {
  if (place.publicUrl !== null) return publicAddress(place.publicUrl)?.origin ?? place.publicUrl;
  const host = ALL_ADDRESSES.has(place.host) ? "127.0.0.1" : asUrlHost(place.host);
  return `${place.hasTls ? "https" : "http"}://${host}:${port}`;
}

function asUrlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}
