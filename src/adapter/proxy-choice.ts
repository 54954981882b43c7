/** Which connections go through a proxy. Addresses of this machine never do. */
import { isLoopbackHost } from "../util/loopback.js";

export interface Proxies {
  /** The proxy's address for `https:` and `wss:`, and the one for `http:` and `ws:`; null to connect directly. */
  readonly https: string | null;
  readonly http: string | null;
  /** Hosts that are reached directly, as `NO_PROXY` names them. */
  readonly direct: readonly string[];
}

/** The address of the proxy that leads to this URL; null if it is reached directly. */
export function proxyFor(url: string | URL, { https, http, direct }: Proxies): string | null {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === "https:" || protocol === "wss:";
  const proxy = isSecure ? https : http;
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isDirect = isLoopbackHost(host) || direct.some((name) => covers(name, host, port, isSecure));
  return isDirect ? null : proxy;
}

/** A name covers the hosts below it. `*` covers all, and `host:8080` only that port. */
function covers(name: string, host: string, port: string, isSecure: boolean): boolean {
  const isIPv6Address = name.indexOf(":") !== name.lastIndexOf(":");
  const [named = "", only] = isIPv6Address ? [name.replace(/^\[|\]$/g, "")] : name.split(":");
  if (only !== undefined && only !== (port || (isSecure ? "443" : "80"))) return false;
  const domain = named.toLowerCase().replace(/^\*?\./, "");
  return domain === "*" || host === domain || (domain !== "" && host.endsWith(`.${domain}`));
}
