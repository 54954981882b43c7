/**
 * The files of the page. All of them are read when the server starts, by exactly the paths under which they are asked for:
 * so no path from a request ever reaches the file system. A path without an ending is a place in the page.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { hasEnding } from "./guard.js";

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Null if that would not make it smaller. */
  readonly zipped: Buffer | null;
  readonly tag: string;
  /** Its name has a hash of what is in it, so it never changes. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  json: "application/json",
  webmanifest: "application/manifest+json",
  txt: "text/plain; charset=utf-8",
};

/** The bundler writes eight signs of a hash before the ending. */
const HASHED = /-[A-Za-z0-9_-]{8}\.[a-z0-9]{1,11}$/;
const DEEPEST = 4;

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  /** What is in this folder now; nothing if it is not there. */
  static read(folder: string): PageFiles {
    return new PageFiles(new Map(listed(folder, "", 0)));
  }

  constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** Null if there is no such file. */
  answer(path: string, headers: Headers): Response | null {
    const file = this.#files.get(path) ?? (hasEnding(path) ? undefined : this.#files.get("/index.html"));
    if (!file) return null;
    const isZipped = file.zipped !== null && /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
    const said = {
      "content-type": file.type,
      etag: file.tag,
      vary: "accept-encoding",
      "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    };
    if (headers.get("if-none-match") === file.tag) return new Response(null, { status: 304, headers: said });
    const bytes = isZipped && file.zipped ? file.zipped : file.bytes;
    return new Response(new Uint8Array(bytes), {
      headers: { ...said, ...(isZipped ? { "content-encoding": "gzip" } : {}) },
    });
  }

  get isBuilt(): boolean {
    return this.#files.has("/index.html");
  }
}

function* listed(folder: string, below: string, depth: number): Generator<[string, PageFile]> {
  for (const entry of entriesOf(folder)) {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory() && depth < DEEPEST) yield* listed(join(folder, entry.name), path, depth + 1);
    const type = TYPES[entry.name.slice(entry.name.lastIndexOf(".") + 1)];
    if (entry.isFile() && type !== undefined && !entry.name.startsWith("."))
      yield [path, fileOf(join(folder, entry.name), type)];
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function fileOf(path: string, type: string): PageFile {
  const bytes = readFileSync(path);
  const zipped = /^(?:text|image\/svg|application)/.test(type) ? gzipSync(bytes, { level: 9 }) : null;
  return {
    type,
    bytes,
    zipped: zipped && zipped.byteLength < bytes.byteLength ? zipped : null,
    tag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    isImmutable: HASHED.test(path),
  };
}
