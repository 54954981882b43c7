/**
 * The way of outgoing connections, if it leads through a proxy. One choice holds for the whole process, as Node.js has one
 * dispatcher for every `fetch`. The libraries for it are loaded only if there is a proxy.
 */
import { announceProxies } from "../util/proxy-in-use.js";
import { type Proxies, proxyFor } from "./proxy-choice.js";
import type { ProxyWays } from "./proxy-ways.js";

let ways: ProxyWays | null = null;

/** From now on, and for every `fetch` of this process. */
export async function useProxies(proxies: Proxies): Promise<void> {
  if (!proxies.https && !proxies.http) return;
  ways = (await import("./proxy-ways.js")).openWays(proxies);
  announceProxies((url) => proxyFor(url, proxies));
}

/** For clients that do not call by `fetch`; null if everything is reached directly. */
export function proxyWays(): ProxyWays | null {
  return ways;
}
