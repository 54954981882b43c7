/** Whether a host is this machine and nothing else: its loopback addresses, and `localhost`. Other names may be anybody's. */
import { isIPv4 } from "node:net";

/** As in a URL or in a setting: `127.0.0.1`, `::1`, `[::1]`, `localhost`, `baton.localhost`. */
export function isLoopbackHost(written: string): boolean {
  const host = written.replace(/^\[|\]$/g, "").toLowerCase();
  const isName = host === "localhost" || host.endsWith(".localhost");
  return isName || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
