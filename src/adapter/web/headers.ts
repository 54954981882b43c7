/** What every answer says to the browser: run nothing but our own files, show it in no frame, guess no types, tell nobody. */

const EVERYWHERE: Readonly<Record<string, string>> = {
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
};

/** The page: it loads its own files, and talks with this server only. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** An answer that is opened by itself: nothing in it runs or loads, and it has no origin. */
const DATA_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

export function headersOf(isApi: boolean): Readonly<Record<string, string>> {
  return isApi
    ? { ...EVERYWHERE, "content-security-policy": DATA_POLICY, "cache-control": "no-store" }
    : { ...EVERYWHERE, "content-security-policy": PAGE_POLICY };
}
