/** The proxy before an address, for sentences about connections that fail. Set once, where the proxies are chosen. */

type FindProxy = (url: string | URL) => string | null;

let find: FindProxy = () => null;

export function announceProxies(findProxy: FindProxy): void {
  find = findProxy;
}

/** The host and port of the proxy, without its password: `proxy.example:3128`. Null if the address is reached directly. */
export function proxyInUse(url: string | URL): string | null {
  const proxy = find(url);
  return proxy === null ? null : new URL(proxy).host;
}

export const PROXY_CURE =
  "It is set by `proxy` in config.yaml, BATON_PROXY or HTTPS_PROXY; name hosts to reach without it in NO_PROXY.";

/**
 * The proxy opened no tunnel, so nothing was sent to anybody. The message says why, as after a colon and without its last
 * stop.
 */
export class ProxyFailure extends Error {
  /** Its host and port, without its password. */
  readonly proxy: string;
  /** What it answered; null if it could not be reached. */
  readonly status: number | null;

  constructor(proxyUrl: string, status: number | null, options?: ErrorOptions) {
    const { host } = new URL(proxyUrl);
    super(`${why(host, status, options?.cause)} ${PROXY_CURE.slice(0, -1)}`, options);
    this.proxy = host;
    this.status = status;
  }
}

/** It answers, but not as a proxy that Baton may trust: its certificate is wrong, or it speaks something else. */
const NO_PROXY_THERE = /^(?:ERR_TLS|ERR_SSL|EPROTO|HPE_)|CERT|SIGNATURE/;

function why(proxy: string, status: number | null, cause: unknown): string {
  const code = codeIn(cause);
  if (NO_PROXY_THERE.test(code)) return `the proxy ${proxy} can't be used (${code}). Check its address.`;
  if (status === null) return `the proxy ${proxy} does not answer. Check that it is running.`;
  if (status === 407) return `the proxy ${proxy} wants a user name and a password.`;
  const what = status < 500 ? "refused the connection" : "could not make the connection";
  return `the proxy ${proxy} ${what} (HTTP ${status}).`;
}

function codeIn(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ("code" in at && typeof at.code === "string") return at.code;
  return "";
}

/** Null if the error says nothing of a proxy. */
export function proxyFailureIn(error: unknown): ProxyFailure | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof ProxyFailure) return at;
  return null;
}
