/** The text of a page: fetched, decompressed and decoded, within bounds, and made readable if it is HTML. */
import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Readable, readableHtml } from "../../util/readable-html.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { type FetchLimits, type FetchOptions, fetchPinned } from "./fetch-pinned.js";
import { Refused } from "./refused.js";
import { sizeText } from "./text-file.js";

const MOST_CHARACTERS = 40_000;

export async function fetchText(
  written: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<string> {
  const { url, response } = await fetchPinned(written, options, signal);
  try {
    const kind = textKind(response);
    const { bytes, cut } = await bodyOf(response, options.limits, signal);
    const text = decoded(bytes, response.headers["content-type"] ?? "");
    if (kind === "unknown" && text.includes("\0")) {
      throw new Refused(
        `${url.href} is not text, and the server does not say what it is: ${sizeText(bytes.length)}.`,
      );
    }
    const page =
      kind === "html"
        ? readableHtml(text, url.href, MOST_CHARACTERS)
        : { title: "", text: shorten(text, MOST_CHARACTERS), cut: text.length > MOST_CHARACTERS };
    return shown(url, response, { ...page, cut: cut || page.cut });
  } finally {
    response.destroy();
  }
}

function shown(url: URL, { statusCode = 0, statusMessage = "" }: IncomingMessage, page: Readable): string {
  const failed = statusCode >= 400;
  return [
    ...(failed ? [`Error: the server answered ${statusCode} ${cleanLine(statusMessage)}.`] : []),
    url.href,
    ...(page.title ? [`Title: ${cleanLine(page.title)}`] : []),
    "",
    printableText(page.text) || "(no text)",
    ...(page.cut ? ["\n(The rest is not shown.)"] : []),
  ].join("\n");
}

function textKind({ headers }: IncomingMessage): "html" | "text" | "unknown" {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "") return "unknown";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  const isText =
    /^text\//.test(type) ||
    /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript|ecmascript|x-ndjson)$/.test(type);
  if (isText) return "text";
  const length = Number(headers["content-length"]);
  const size = Number.isSafeInteger(length) ? sizeText(length) : "of unknown size";
  throw new Refused(
    `it is not text but ${JSON.stringify(type.slice(0, 100))}, ${size}: only text can be fetched.`,
  );
}

/** The decompressed body, up to the limit: the rest is neither read nor decompressed. */
async function bodyOf(
  response: IncomingMessage,
  { bytes: most }: FetchLimits,
  signal: AbortSignal,
): Promise<{ bytes: Buffer; cut: boolean }> {
  const unpacked = unpackedBody(response);
  const pieces: Buffer[] = [];
  let total = 0;
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      const room = most - total;
      pieces.push(piece.subarray(0, room));
      total += piece.length;
      if (total > most) return { bytes: Buffer.concat(pieces), cut: true };
    }
    return { bytes: Buffer.concat(pieces), cut: false };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Refused(`the answer ended too early: ${(error as Error).message}.`);
  } finally {
    unpacked.destroy();
  }
}

function unpackedBody(response: IncomingMessage): NodeJS.ReadableStream & { destroy(): unknown } {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return response;
  const unpack =
    encoding === "gzip" || encoding === "x-gzip"
      ? createGunzip()
      : encoding === "deflate"
        ? createInflate()
        : encoding === "br"
          ? createBrotliDecompress()
          : null;
  if (!unpack)
    throw new Refused(`the answer has the unknown encoding ${JSON.stringify(encoding.slice(0, 50))}.`);
  response.on("error", (error) => unpack.destroy(error));
  return response.pipe(unpack);
}

/** By the charset of the type, else by the page's own declaration, else UTF-8. */
function decoded(bytes: Buffer, type: string): string {
  const look = bytes.subarray(0, 1_024).toString("latin1");
  const name =
    /charset\s*=\s*["']?([\w-]+)/i.exec(type)?.[1] ??
    /<meta\s[^<>]{0,200}?charset\s*=\s*["']?([\w-]+)/i.exec(look)?.[1];
  try {
    return new TextDecoder(name ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
