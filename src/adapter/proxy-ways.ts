/** The ways through a proxy: every connection is a tunnel (CONNECT), so the proxy reads nothing that is encrypted. */
import type { Agent } from "node:https";
import { HttpsProxyAgent } from "https-proxy-agent";
import { Dispatcher, getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from "undici";
import { type Proxies, proxyFor } from "./proxy-choice.js";

export interface ProxyWays {
  readonly dispatcher: Dispatcher;
  /** For `ws` and `node:https`; undefined to connect directly. */
  agentFor(url: string): Agent | undefined;
}

/** Every `fetch` goes by them from now on. */
export function openWays(proxies: Proxies): ProxyWays {
  const dispatcher = new Ways(proxies, getGlobalDispatcher());
  setGlobalDispatcher(dispatcher);
  return {
    dispatcher,
    agentFor: (url) => {
      const proxy = proxyFor(url, proxies);
      return proxy === null ? undefined : new HttpsProxyAgent(proxy);
    },
  };
}

/** Directly, or through the proxy, for each call. */
class Ways extends Dispatcher {
  readonly #proxies: Proxies;
  readonly #direct: Dispatcher;
  readonly #through = new Map<string, Dispatcher>();

  constructor(proxies: Proxies, direct: Dispatcher) {
    super();
    this.#proxies = proxies;
    this.#direct = direct;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const proxy = options.origin ? proxyFor(options.origin, this.#proxies) : null;
    return this.#wayBy(proxy).dispatch(options, handler);
  }

  #wayBy(proxy: string | null): Dispatcher {
    if (proxy === null) return this.#direct;
    const way = this.#through.get(proxy) ?? new ProxyAgent({ uri: proxy, proxyTunnel: true });
    this.#through.set(proxy, way);
    return way;
  }
}
