/** The files of messages as a gateway has them: where they are kept, who reads them, and which ones the agent sends. */
import { hidingFiles, type OutgoingFiles } from "../agent/tools/outgoing-files.js";
import type { DocumentReading } from "../document/reading.js";
import type { Clock } from "../util/clock.js";
import type { Redactor } from "../util/redact.js";
import { FileTexts } from "./file-texts.js";
import type { VoiceListening } from "./listening.js";
import { Media } from "./media.js";
import type { MediaFiles } from "./store.js";

/** Where files are kept, and who reads them. */
export interface GatewayFiles {
  readonly folder: string;
  /** Without it, documents are only files. */
  readonly documents?: DocumentReading | null;
  /** Null if nobody listens to voice messages. */
  readonly listening?: VoiceListening | null;
  /** The files that the agent may send to people; without it, it sends none. */
  readonly outgoing?: () => Promise<OutgoingFiles>;
}

/** The same, opened. */
export interface KeptFiles {
  /** Where files of messages are kept; without it none are taken. */
  readonly media: Media;
  /** Reads what files say; without it they are only kept. */
  readonly texts: FileTexts;
  readonly outgoing?: () => Promise<OutgoingFiles>;
}

export function keptFiles(
  { folder, documents = null, listening = null, outgoing }: GatewayFiles,
  files: MediaFiles,
  clock: Clock,
  redactor?: Redactor,
): KeptFiles {
  const media = new Media(folder, files, clock);
  const texts = new FileTexts({ documents, listening, pathOf: (file) => media.pathOf(file) });
  if (!outgoing) return { media, texts };
  const hiding = async () => (redactor ? hidingFiles(await outgoing(), redactor) : outgoing());
  return { media, texts, outgoing: hiding };
}
