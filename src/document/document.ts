/**
 * What a file says, as text for an agent. By its bytes, not by the name and the type that its sender gave it: a PDF, an
 * office document, or anything that is text. A hostile file costs what `reading.ts` allows: time, memory and length are
 * bounded there, because no reader of such formats can promise that.
 */
import { printableText, shorten, storableText } from "../util/text.js";
import { readPdf } from "./pdf.js";
import { decodedText } from "./plain-text.js";
import { readZipped } from "./zipped.js";

/** Its text, and whether that is only the beginning; or why there is none, as after "because". */
export type DocumentText =
  | { readonly kind: "text"; readonly text: string; readonly isCut: boolean }
  /** `isDocument`: it should have a text. */
  | { readonly kind: "none"; readonly reason: string; readonly isDocument: boolean };

export async function readDocument(bytes: Uint8Array, most: number): Promise<DocumentText> {
  try {
    return bounded(await textIn(bytes, most), most);
  } catch (error) {
    return { kind: "none", reason: reasonOf(error), isDocument: true };
  }
}

/** Null if it is no document. */
async function textIn(bytes: Uint8Array, most: number): Promise<string | null> {
  if (isPdf(bytes)) return readPdf(bytes, most);
  if (begins(bytes, "PK\u0003\u0004")) return readZipped(bytes, most);
  return decodedText(bytes, most);
}

function bounded(text: string | null, most: number): DocumentText {
  if (text === null) return { kind: "none", reason: "it is not a document", isDocument: false };
  const clean = storableText(printableText(text)).trim();
  if (clean === "") return { kind: "none", reason: "there is no text in it", isDocument: true };
  return { kind: "text", text: shorten(clean, most), isCut: clean.length > most };
}

/** Some programs write a few bytes before the mark. */
function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).includes("%PDF-");
}

function begins(bytes: Uint8Array, mark: string): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, mark.length)).toString("latin1") ===
    mark
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it is damaged";
  return error.name === "PasswordException" ? "it is protected by a password" : "it is damaged";
}
