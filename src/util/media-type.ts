/** What a file is, by how it begins and by its name. The table has what chats show in a way of its own, and common documents. */

const OTHER = "application/octet-stream";

const BY_ENDING: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  mp4: "video/mp4",
  webm: "video/webm",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  json: "application/json",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
};

/** What is shown as a picture, a film or a document must be one: the name alone does not make it so. */
const BY_CONTENT: readonly (readonly [type: string, begins: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["video/mp4", /^[\s\S]{4}ftyp(?:isom|iso2|mp4|avc1)/],
  ["audio/ogg", /^OggS/],
  ["application/pdf", /^%PDF-/],
];

const SNIFFED = new Set(BY_CONTENT.map(([type]) => type));

/** By its name alone. */
export function mediaTypeOfName(name: string): string {
  const ending = /\.([a-z0-9]{1,8})$/.exec(name.toLowerCase())?.[1] ?? "";
  return Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? OTHER) : OTHER;
}

/** By how it begins alone; undefined if that tells nothing. */
export function mediaTypeOfContent(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return BY_CONTENT.find(([, begins]) => begins.test(beginning))?.[0];
}

export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const found = mediaTypeOfContent(bytes);
  const named = mediaTypeOfName(name);
  return found ?? (SNIFFED.has(named) ? OTHER : named);
}
