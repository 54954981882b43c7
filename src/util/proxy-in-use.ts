/** Which proxy leads to an address, for sentences about connections that fail. Set once, where the proxies are chosen. */

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

/** undici's words for a proxy that opened no tunnel. */
const NO_TUNNEL = /Proxy response \((\d{3})\) !== 200 when HTTP Tunneling/;

/** The status by which a proxy refused to open a tunnel; null if the error says nothing of that. */
export function refusedByProxy(error: unknown): number | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const status = NO_TUNNEL.exec(at.message)?.[1];
    if (status !== undefined) return Number(status);
  }
  return null;
}
