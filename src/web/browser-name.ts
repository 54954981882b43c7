/** What a browser calls itself, in a few words for the list of devices. It is only shown, and never believed. */
import { cleanLine, shorten } from "../util/text.js";

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\b(?:Headless)?Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];
const LONGEST = 60;

/** `Firefox on Linux`. */
export function browserName(agent: string | undefined): string {
  const told = (agent ?? "").slice(0, 1_000);
  const browser = BROWSERS.find(([pattern]) => pattern.test(told))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(told))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (shorten(cleanLine(told), LONGEST) || "a browser");
}
