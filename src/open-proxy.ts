/** Configuration and environment → the way of every outgoing connection. */
import { useProxies } from "./adapter/proxy.js";
import type { Config } from "./config/config.js";
import type { Environment } from "./config/environment.js";
import { proxiesOf } from "./config/proxy.js";

export async function openProxy({ proxy }: Config, { proxies }: Environment): Promise<void> {
  await useProxies(proxiesOf(proxy, proxies));
}
