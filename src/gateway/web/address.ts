/** Where browsers reach the page. The process that serves it says so, and every other one over the store can know it. */

export interface PageAddress {
  /** Without a slash at its end. */
  readonly url: string;
  /** Only browsers on the machine itself reach it. */
  readonly isLocal: boolean;
}

/** Under this name the account of the page remembers its address, as JSON. */
export const PAGE_ADDRESS = "url";

/** What stands there; null if it is none. */
export function addressIn(written: string | null | undefined): PageAddress | null {
  if (!written) return null;
  const { url, isLocal } = JSON.parse(written) as Partial<PageAddress>;
  return typeof url === "string" ? { url: url.replace(/\/$/, ""), isLocal: isLocal !== false } : null;
}
