/**
 * Office documents: zip archives of XML. Only what holds text is unpacked, and only as far as the archive says before how
 * large it is, so that a small file can't fill the memory. Word documents are read by a library, which knows lists,
 * tables and notes; sheets, slides and the formats of OpenDocument are read as rows and paragraphs.
 */
import { unzipSync, zipSync } from "fflate";
import { readableHtml } from "../util/readable-html.js";
import { sheetText } from "./sheets.js";
import { paragraphsIn } from "./xml-text.js";

/** All that is unpacked of an archive, in bytes. */
const MOST_UNPACKED = 64 * 1024 * 1024;

type Entries = Readonly<Record<string, Uint8Array>>;

/** Null if it is an archive of something else. */
export async function readZipped(bytes: Uint8Array, most: number): Promise<string | null> {
  const entries = unpacked(bytes);
  if (entries["word/document.xml"]) return readWord(entries, most);
  if (entries["xl/workbook.xml"]) return sheetText(namedXml(entries, /^xl\/.*\.xml$/), most);
  const slides = namedXml(entries, /^ppt\/slides\/slide\d{1,5}\.xml$/);
  if (slides.size > 0) return slideText(slides, most);
  const content = entries["content.xml"];
  return content && entries.mimetype ? paragraphsIn(decoded(content), most) : null;
}

function unpacked(bytes: Uint8Array): Entries {
  let room = MOST_UNPACKED;
  return unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!/\.(?:xml|rels)$|^mimetype$/.test(name) || originalSize > room) return false;
      room -= originalSize;
      return true;
    },
  });
}

async function readWord(entries: Entries, most: number): Promise<string> {
  const { default: mammoth } = await import("mammoth");
  // Packed again without compression: what the library unpacks is what was measured above.
  const buffer = Buffer.from(zipSync(entries, { level: 0 }));
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" })); // Pictures were not unpacked.
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage });
  const inRows = value.replaceAll("<td><p>", "<td>").replaceAll("</p></td>", "</td>");
  return readableHtml(inRows, "https://document.invalid/", most + 1).text;
}

function slideText(slides: ReadonlyMap<string, string>, most: number): string {
  const inOrder = [...slides].sort(([one], [other]) => numberIn(one) - numberIn(other));
  const texts: string[] = [];
  let length = 0;
  for (const [name, xml] of inOrder) {
    if (length > most) break;
    const text = paragraphsIn(xml, most);
    texts.push(`Slide ${numberIn(name)}\n\n${text}`);
    length += text.length;
  }
  return texts.join("\n\n");
}

function namedXml(entries: Entries, name: RegExp): Map<string, string> {
  const named = Object.entries(entries).filter(([path]) => name.test(path));
  return new Map(named.map(([path, bytes]) => [path, decoded(bytes)]));
}

function numberIn(name: string): number {
  return Number(/slide(\d{1,5})\.xml$/.exec(name)?.[1] ?? 0);
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
