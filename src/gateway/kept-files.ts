/** The files of messages as a gateway has them: where they are kept, and who reads them. */
import type { DocumentReading } from "../document/reading.js";
import type { Clock } from "../util/clock.js";
import { FileTexts } from "./file-texts.js";
import type { Listening } from "./listening.js";
import { Media } from "./media.js";
import type { MediaFiles } from "./store.js";

/** Where files are kept, and who reads them. */
export interface GatewayFiles {
  readonly folder: string;
  /** Without it, documents are only files. */
  readonly documents?: DocumentReading | null;
  /** Null if nobody listens to voice messages. */
  readonly listening?: Listening | null;
}

export function keptFiles(
  { folder, documents = null, listening = null }: GatewayFiles,
  files: MediaFiles,
  clock: Clock,
): { readonly media: Media; readonly texts: FileTexts } {
  const media = new Media(folder, files, clock);
  return { media, texts: new FileTexts({ documents, listening, pathOf: (file) => media.pathOf(file) }) };
}
