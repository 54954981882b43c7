/** Files that came with messages: only from Discord's own hosts, no further than they say, and never more than asked. */
import type { RemoteFile } from "../adapter.js";

const HOSTS = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const TIMEOUT_MS = 60_000;

/** What is fetched comes from there, or from where the API is. */
export function downloadFrom(baseUrl: string | undefined) {
  const origins = [...HOSTS, ...(baseUrl ? [new URL(baseUrl).origin] : [])];
  return (url: string, size: number | undefined): RemoteFile["read"] =>
    async (maxBytes) => {
      if (!URL.canParse(url) || !origins.includes(new URL(url).origin))
        throw new Error("It is not on Discord's servers.");
      if (size !== undefined && size > maxBytes) throw tooLarge(maxBytes);
      const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok || !response.body)
        throw new Error(`Discord does not give it out (${response.status}).`);
      return readAtMost(response.body, maxBytes);
    };
}

async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): Error {
  return new Error(`It is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
}
