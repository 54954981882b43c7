/** Files that came with messages: only from Discord's own hosts, no further than they say, and never more than asked. */
import { parsedUrl } from "../../util/parsed-url.js";
import type { RemoteFile } from "../adapter.js";
import { readBounded, within } from "../http-call.js";

const HOSTS = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const TIMEOUT_MS = 60_000;

/** What is fetched comes from there, or from where the API is. */
export function downloadFrom(baseUrl: string | undefined) {
  const origins = [...HOSTS, ...(baseUrl ? [new URL(baseUrl).origin] : [])];
  return (url: string, size: number | undefined): RemoteFile["read"] =>
    async (maxBytes, end) => {
      if (!origins.includes(parsedUrl(url)?.origin ?? "")) throw new Error("It is not on Discord's servers.");
      if (size !== undefined && size > maxBytes) throw new Error("larger than may be taken");
      return within(TIMEOUT_MS, end, async (signal) => {
        const response = await fetch(url, { redirect: "error", signal });
        if (!response.ok) throw new Error(`Discord does not give it out (${response.status}).`);
        return readBounded(response, maxBytes, signal);
      });
    };
}
