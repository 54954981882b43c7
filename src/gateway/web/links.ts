/**
 * Links with which people sign in to the page. The secret stands in the fragment, which browsers send to nobody: no server,
 * proxy or preview of links ever sees it. The store knows only its hash, and takes it once.
 */
import { createHash, randomBytes } from "node:crypto";
import { platforms, platformTraits } from "../../session/platform.js";
import type { Served } from "../served.js";
import type { Accounts } from "../store.js";
import { addressIn, PAGE_ADDRESS, type PageAddress } from "./address.js";
import type { Device, LinkOwner, WebDevices } from "./devices.js";

/** So long a link is valid. */
export const LINK_MS = 5 * 60_000;
const SECRET_BYTES = 16;

/** What is long and random needs no slow hash. */
export function secretHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** 128 random bits. */
export function newSecret(random: (count: number) => Uint8Array = randomBytes): string {
  return Buffer.from(random(SECRET_BYTES)).toString("base64url");
}

/** A link that signs in whoever opens it first, as this person. */
export async function makeLink(
  devices: Pick<WebDevices, "offer">,
  { url }: Pick<PageAddress, "url">,
  whose: LinkOwner,
  now: number,
): Promise<string> {
  const secret = newSecret();
  await devices.offer(secretHash(secret), whose, now + LINK_MS, now);
  return `${url}/#key=${secret}`;
}

/** Where the page is served now, by this process or another one; null if it is not. */
export async function pageAddress(
  served: Pick<Served, "accountOn">,
  accounts: Pick<Accounts, "read">,
): Promise<PageAddress | null> {
  const platform = platforms().find((name) => platformTraits(name).chatOf !== undefined);
  const account = platform === undefined ? null : await served.accountOn(platform);
  return addressIn(account && (await accounts.read(account, PAGE_ADDRESS)));
}

/** The device that is named by its id or the beginning of it; null if there is none, or more than one. */
export function deviceNamed(devices: readonly Device[], named: string): Device | null {
  const exact = devices.find(({ id }) => id === named);
  if (exact) return exact;
  const [first, second] = named === "" ? [] : devices.filter(({ id }) => id.startsWith(named));
  return first && !second ? first : null;
}
