/**
 * Where a result goes: `origin`, `local`, a platform (its home channel), `platform:chat[:thread]`, `all` (every home
 * channel), or several of these with commas between them. Pure. Whatever cannot be reached is told in a sentence that
 * says what to do, and the result is kept on this machine: it is never dropped.
 */
import { BatonError } from "../session/errors.js";
import { foldId, isPlatform, LOCAL, type Platform, platforms, platformTraits } from "../session/platform.js";
import { type Address, formatAddress, parseAddress } from "../session/source.js";
import { cleanLine, shorten } from "../util/text.js";

export type Target =
  /** Back to where it was asked for. */
  | { readonly kind: "origin" }
  /** A file on this machine. */
  | { readonly kind: "file" }
  /** A platform's home channel. */
  | { readonly kind: "home"; readonly platform: Platform }
  | { readonly kind: "address"; readonly address: Address }
  /** Every home channel. */
  | { readonly kind: "all" }
  | { readonly kind: "mistake"; readonly problem: string };

export interface Places {
  /** Where it was asked for; null where that was nowhere that can be written to. */
  readonly origin: Address | null;
  readonly homes: readonly { readonly address: Address }[];
  readonly connected: readonly Platform[];
}

export interface Destinations {
  /** Each once. */
  readonly addresses: readonly Address[];
  /** It is kept on this machine: that was asked for, or something else was not to be had. */
  readonly isLocal: boolean;
  readonly problems: readonly string[];
}

export function parseTargets(text: string): readonly Target[] {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (words.length === 0) return [mistake(`No target is named. Write ${FORMS}.`)];
  return words.map(parseTarget);
}

export function resolveTargets(targets: readonly Target[], places: Places): Destinations {
  const found = new Map<string, Address>();
  const problems = new Set<string>();
  let isLocal = false;
  for (const target of targets) {
    for (const place of placesOf(target, places)) {
      if (place === "here") isLocal = true;
      else if ("problem" in place) problems.add(place.problem);
      else if (!found.has(sameFor(place))) found.set(sameFor(place), place);
    }
  }
  const addresses = [...found.values()];
  return {
    addresses,
    isLocal: isLocal || problems.size > 0 || addresses.length === 0,
    problems: [...problems],
  };
}

const FORMS = `origin, ${LOCAL}, all, a platform, or platform:chat[:thread]`;

function parseTarget(word: string): Target {
  const [name = "", ...rest] = word.split(":");
  const platform = name.trim().toLowerCase();
  if (rest.length > 0) return parseChat(word, platform);
  if (platform === "origin" || platform === "all") return { kind: platform };
  if (platform === LOCAL) return { kind: "file" };
  return isPlatform(platform) ? { kind: "home", platform } : unknown(platform);
}

function parseChat(word: string, platform: Platform): Target {
  if (platform === LOCAL)
    return mistake(`${quoted(word)} names a chat of this machine: write ${LOCAL} alone.`);
  if (!isPlatform(platform)) return unknown(platform);
  try {
    return { kind: "address", address: parseAddress(word) };
  } catch (error) {
    if (error instanceof BatonError) return mistake(shorten(cleanLine(error.message), 300));
    throw error;
  }
}

function unknown(name: string): Target {
  const known = platforms().filter((platform) => platform !== LOCAL);
  return mistake(`There is no platform ${quoted(name)}. Write ${FORMS}; platforms are ${known.join(", ")}.`);
}

function mistake(problem: string): Target {
  return { kind: "mistake", problem };
}

/** From outside, and on its way into a sentence. */
function quoted(word: string): string {
  return JSON.stringify(shorten(cleanLine(word), 60));
}

type Place = Address | "here" | { readonly problem: string };

function placesOf(target: Target, places: Places): readonly Place[] {
  const { origin, homes } = places;
  switch (target.kind) {
    case "mistake":
      return [target];
    case "file":
      return ["here"];
    case "origin":
      return [origin === null || origin.platform === LOCAL ? "here" : reachable(origin, places)];
    case "address":
      return [reachable(target.address, places)];
    case "home": {
      const home = homes.find(({ address }) => address.platform === target.platform);
      return [home ? reachable(home.address, places) : { problem: noHome(target.platform) }];
    }
    case "all":
      if (homes.length === 0) return [{ problem: NO_HOMES }];
      return homes.map(({ address }) => reachable(address, places));
    default:
      return target satisfies never;
  }
}

function reachable(address: Address, { connected }: Places): Place {
  if (connected.includes(address.platform)) return address;
  const { title } = platformTraits(address.platform);
  return {
    problem: `${title} is not connected, so nothing was sent to ${formatAddress(address)}. \`baton gateway status\` says what is missing.`,
  };
}

const NO_HOMES = "No platform has a home channel yet. Write /sethome in the chat that is to be one.";

function noHome(platform: Platform): string {
  const { title } = platformTraits(platform);
  return `${title} has no home channel. Write /sethome in the chat there that is to be it, or name a chat: ${platform}:<chat>.`;
}

/** Two spellings of one chat are one chat. */
function sameFor(address: Address): string {
  return formatAddress({ ...address, chatId: foldId(address.platform, address.chatId) });
}
