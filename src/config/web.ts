/**
 * The page in the browser: whether the gateway serves it, where it listens, and how other machines reach it. What has to
 * fit together may stand in different places, a file and a variable: so it is checked when they are laid over each other.
 */
import { isIP } from "node:net";
import { isLoopbackHost } from "../util/loopback.js";
import { parsedUrl } from "../util/parsed-url.js";
import { flag, list, port, type Setting, text, textOr } from "../util/setting.js";
import { group, type ValueOf, type WrittenOf } from "./groups.js";
import type { Layer } from "./layer.js";
import { pathFrom } from "./paths.js";
import type { Problem } from "./problem.js";

/**
 * Fixed, so that a bookmark, a proxy and a signed-in browser find the page again. No service has it, and it is below the
 * ports that systems give to outgoing connections. On the keys of a phone it spells "baton".
 */
const PORT = 22_866;

const ADDRESS = "give the address of the page, such as https://baton.example.org";

export const webSettings = group({
  enabled: flag(false, {
    description: "The gateway serves the page. `baton web` serves it also without this setting.",
  }),
  host: textOr(
    "127.0.0.1",
    {
      description:
        "The address at which the page listens. For anything but this machine, also set `web.publicUrl` or `web.tls`.",
    },
    {
      refuse: (host) =>
        isIP(host) > 0 || /^[A-Za-z0-9._-]{1,253}$/.test(host)
          ? null
          : "give an IP address or the name of a host, without a port",
    },
  ),
  port: port(PORT, { description: "The port at which the page listens." }),
  publicUrl: text(
    {
      description:
        "The address by which browsers on other machines reach the page, through a proxy: `https://baton.example.org`.",
    },
    { refuse: wrongAddress, spell: (written) => parsedUrl(written)?.origin ?? written, error: ADDRESS },
  ),
  tls: group({
    certFile: file(
      "The file with the page's certificate and those above it, as PEM. Without it, the page is plain HTTP.",
    ),
    keyFile: file("The file with the key of that certificate, as PEM."),
  }),
  trustedHeader: group({
    name: text(
      {
        description:
          "A header in which a proxy says who is signed in, such as `Remote-User`. It counts only from the addresses in `web.trustedHeader.proxies`.",
      },
      { pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, error: "this is not the name of an HTTP header" },
    ),
    proxies: list(
      [],
      { description: "The IP addresses of the proxies that set that header.", fallback: "none" },
      { is: "text", refuse: (address) => (isIP(address) ? null : "give an IP address, such as 127.0.0.1") },
    ),
  }),
});

export type WebConfig = ValueOf<typeof webSettings>;

function file(description: string): Setting<string | null> {
  return {
    description,
    fallback: "none",
    takes: { is: "text", error: "give the path of a file" },
    resolve: (written: string, from) => pathFrom(from, written),
  };
}

/** A browser sends the cookie of somebody who is signed in to this address: it must not be readable on the way. */
function wrongAddress(written: string): string | null {
  const url = parsedUrl(written);
  if (!url || !/^https?:$/.test(url.protocol)) return ADDRESS;
  const { protocol, hostname, pathname, search, hash, username, password } = url;
  if (pathname !== "/" || [search, hash, username, password].some((part) => part !== ""))
    return "give the address without a path and without anything after it: the page needs a host or a port of its own";
  if (protocol === "http:" && !isLoopbackHost(hostname))
    return "use https: over http, others on the way could sign in as you. See docs/web.md for a proxy that does it";
  return null;
}

/** What these settings say against each other, once all places are known. */
export function webProblems({ content, places }: Pick<Layer, "content" | "places">): Problem[] {
  const { host, publicUrl, tls, trustedHeader } = (content.web ?? {}) as WrittenOf<typeof webSettings>;
  const hasTls = tls?.certFile !== undefined && tls.keyFile !== undefined;
  const problems: { readonly key: string; readonly message: string }[] = [];
  const refuse = (key: string, message: string): void => void problems.push({ key, message });
  if (tls !== undefined && !hasTls && Object.keys(tls).length > 0) {
    const [there, missing] = tls.certFile === undefined ? ["keyFile", "certFile"] : ["certFile", "keyFile"];
    refuse(`web.tls.${there}`, `also set web.tls.${missing}: a certificate and its key go together.`);
  }
  if (host !== undefined && !isLoopbackHost(host) && publicUrl === undefined && !hasTls) {
    refuse(
      "web.host",
      `${host} can be reached from other machines. Also set web.publicUrl to the https address of the proxy in front of it, or web.tls.certFile and web.tls.keyFile. For this machine alone, use 127.0.0.1.`,
    );
  }
  const names = trustedHeader?.name !== undefined;
  const proxies = (trustedHeader?.proxies ?? []).length > 0;
  if (names && !proxies)
    refuse(
      "web.trustedHeader.name",
      "also set web.trustedHeader.proxies to the IP addresses of your proxy: anybody else can send this header too.",
    );
  if (proxies && !names)
    refuse("web.trustedHeader.proxies", "also set web.trustedHeader.name to the header that they set.");
  return problems.map(({ key, message }) => ({
    place: places.get(key) ?? { variable: key },
    key,
    message: `${key}: ${message}`,
  }));
}
