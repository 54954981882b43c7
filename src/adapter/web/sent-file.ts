/**
 * A file from somebody, sent to the browser so that it can do nothing there. Only pictures of four kinds are shown in
 * place; everything else is offered for saving. It has no type that a browser runs, the browser guesses none, and if it is
 * opened by itself, it has no origin. It is open for as long as somebody waits for it.
 */
import { type FileHandle, open } from "node:fs/promises";
import { cleanLine, shorten } from "../../util/text.js";
import { headersOf } from "./headers.js";

export interface FileToShow {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
}

const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Played by the page; opened by themselves they are saved. */
const PLAYED = new Set(["audio/ogg", "audio/mpeg", "audio/mp4", "audio/wav", "video/mp4", "video/webm"]);
const PIECE = 64 * 1024;

/** What of the call counts: HEAD wants no bytes, players send a range, and the signal says that nobody waits any more. */
type FileCall = Pick<Request, "method" | "headers" | "signal">;

/** Null if the file is not there any more. */
export async function sentFile(file: FileToShow, asked: FileCall): Promise<Response | null> {
  const handle = await open(file.path, "r").catch(ifAbsent);
  if (!handle) return null;
  let isSent = false;
  try {
    const found = await handle.stat();
    if (!found.isFile()) return null;
    const part = partOf(asked.headers.get("range"), found.size);
    const headers = {
      ...headersOf(true),
      "content-type": typeOf(file),
      "content-disposition": dispositionOf(file),
      "accept-ranges": "bytes",
      "content-length": String(part.end - part.start),
      ...(part.isWhole ? {} : { "content-range": `bytes ${part.start}-${part.end - 1}/${found.size}` }),
    };
    const head = { status: part.isWhole ? 200 : 206, headers };
    if (asked.method === "HEAD" || asked.signal.aborted) return new Response(null, head);
    const body = piecesOf(handle, part, asked.signal);
    isSent = true;
    return new Response(body, head);
  } finally {
    if (!isSent) await handle.close();
  }
}

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

function typeOf({ mediaType }: FileToShow): string {
  return SHOWN.has(mediaType) || PLAYED.has(mediaType) ? mediaType : "application/octet-stream";
}

function dispositionOf({ name, mediaType }: FileToShow): string {
  const kind = SHOWN.has(mediaType) ? "inline" : "attachment";
  const safe = shorten(cleanLine(name).replace(/[/\\]/g, "_"), 150) || "file";
  const plain = safe.replace(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

interface FileRange {
  readonly start: number;
  readonly end: number;
  readonly isWhole: boolean;
}

/** Of several ranges, or of one that is not there, the whole file. */
function partOf(range: string | null, size: number): FileRange {
  const whole = { start: 0, end: size, isWhole: true };
  const [, from = "", to = ""] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(range ?? "") ?? [];
  if (from === "" && to === "") return whole;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  return start < end ? { start, end, isWhole: false } : whole;
}

/** The file is closed when all was read, or when nobody wants the rest. Who is gone may not have begun to read. */
function piecesOf(
  handle: FileHandle,
  { start, end }: FileRange,
  gone: AbortSignal,
): ReadableStream<Uint8Array> {
  let at = start;
  gone.addEventListener("abort", () => void handle.close().catch(() => {}), { once: true });
  return new ReadableStream({
    async pull(controller) {
      if (gone.aborted) return controller.close();
      const piece = new Uint8Array(Math.min(PIECE, end - at));
      const { bytesRead } = await handle.read(piece, 0, piece.byteLength, at).catch(async (error) => {
        await handle.close();
        throw error;
      });
      at += bytesRead;
      if (bytesRead > 0) controller.enqueue(piece.subarray(0, bytesRead));
      if (at < end && bytesRead > 0) return;
      await handle.close();
      if (at < end) controller.error(new Error("The file became shorter while it was read."));
      else controller.close();
    },
    cancel: () => handle.close(),
  });
}
