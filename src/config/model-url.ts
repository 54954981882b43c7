/** Addresses of model servers as people write them, made whole. */

/** Without a slash at its end, and with `/v1` where no path is given. */
export function versionedUrl(written: string): string {
  const url = written.trim().replace(/\/+$/, "");
  return /^[a-z]+:\/\/[^/]+$/i.test(url) ? `${url}/v1` : url;
}

/** `OLLAMA_HOST` may be a name, an address, a port or a URL; where a server listens everywhere, it is here too. */
export function ollamaUrl(written: string): string {
  const text = written.trim().replace(/\/+$/, "");
  const [, scheme = "http://", rest = ""] = /^(https?:\/\/)?(.*)$/i.exec(text) ?? [];
  const [, host = "", port = "", path = ""] = /^(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)?$/.exec(rest) ?? [];
  const here = ["", "0.0.0.0", "[::]"].includes(host) ? "127.0.0.1" : host;
  const usual = scheme.toLowerCase() === "https://" ? "" : ":11434";
  return versionedUrl(`${scheme}${here}${port || usual}${path}`);
}
