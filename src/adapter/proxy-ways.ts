/**
 * The ways through a proxy: every connection is a tunnel (CONNECT), so the proxy reads nothing that is encrypted. If there
 * is no tunnel, the connection fails with a `ProxyFailure`, whichever library made it.
 */
import type { ClientRequest } from "node:http";
import type { Agent } from "node:https";
import { HttpsProxyAgent } from "https-proxy-agent";
import { Dispatcher, getGlobalDispatcher, Pool, ProxyAgent, setGlobalDispatcher } from "undici";
import { ProxyFailure } from "../util/proxy-in-use.js";
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
      return proxy === null ? undefined : new TunnelAgent(proxy);
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
    const way =
      this.#through.get(proxy) ??
      new ProxyAgent({
        uri: proxy,
        proxyTunnel: true,
        clientFactory: (url, options) => new TunnelPool(proxy, url, options),
      });
    this.#through.set(proxy, way);
    return way;
  }
}

/** The connections of undici to the proxy. */
class TunnelPool extends Pool {
  readonly #proxy: string;

  constructor(proxy: string, url: URL, options: object) {
    super(url, options);
    this.#proxy = proxy;
  }

  /** Opens a tunnel. */
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const answer = await super.connect(options).catch((cause: unknown) => {
      throw new ProxyFailure(this.#proxy, null, { cause });
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on("error", () => {}).destroy();
    throw new ProxyFailure(this.#proxy, answer.statusCode);
  }
}

class TunnelAgent extends HttpsProxyAgent<string> {
  override async connect(request: ClientRequest, options: Parameters<HttpsProxyAgent<string>["connect"]>[1]) {
    let status = 200;
    request.once("proxyConnect", ({ statusCode }: { statusCode: number }) => {
      status = statusCode;
    });
    const socket = await super.connect(request, options).catch((cause: unknown) => {
      throw new ProxyFailure(this.proxy.href, null, { cause });
    });
    if (status === 200) return socket;
    socket.destroy(); // It would pass on the proxy's answer as the server's.
    throw new ProxyFailure(this.proxy.href, status);
  }
}
