/** Addresses of model servers as people write them, made whole. */
import { isIPv6 } from "node:net";
import { withoutSlashes } from "../util/text.js";

/** Without a slash at its end, and with `/v1` where no path is given. */
export function versionedUrl(written: string): string {
  const url = withoutSlashes(written.trim());
  return /^[a-z]+:\/\/[^/]+$/i.test(url) ? `${url}/v1` : url;
}

/**
 * `OLLAMA_HOST` may be a name, an address, a port or a URL, which has the port of its scheme as Ollama itself takes it;
 * where a server listens everywhere, it is here too. What is none of these stays as it is.
 */
export function ollamaUrl(written: string): string {
  const text = withoutSlashes(written.trim());
  const [, scheme, rest = ""] = /^(https?:\/\/)?(.*)$/i.exec(text) ?? [];
  const place = isIPv6(rest) ? `[${rest}]` : rest;
  const [, host, port = "", path = ""] = /^(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)?$/.exec(place) ?? [];
  if (host === undefined) return text;
  const here = ["", "0.0.0.0", "[::]"].includes(host) ? "127.0.0.1" : host;
  const usual = scheme === undefined ? ":11434" : "";
  return versionedUrl(`${scheme ?? "http://"}${here}${port || usual}${path}`);
}
