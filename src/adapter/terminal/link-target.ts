/** Where a link may lead if it can be clicked: to a page, a mail or a file of this machine, in characters that end nothing. */
import { parsedUrl } from "../../util/parsed-url.js";

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "file:"]);
const LONGEST = 2_000;
/** What may stand in the escape sequence of a link. */
const HARMLESS = /^[!-~]+$/;

/** The address as the terminal gets it; null if the link is only shown. */
export function clickable(url: string): string | null {
  const parsed = url.length > LONGEST ? null : parsedUrl(url);
  if (!parsed) return null;
  const { protocol, host, href } = parsed;
  if (!SCHEMES.has(protocol) || (protocol === "file:" && host !== "")) return null;
  return href.length <= LONGEST && isHarmless(href) ? href : null;
}

export function isHarmless(href: string): boolean {
  return HARMLESS.test(href);
}
