/** Ports to whoever turns speech into text and text into speech. */
import type { Attachment } from "../session/transcript.js";

export interface VoiceListening {
  /** What somebody says in this file. What it throws says why that is not known, as after "because". */
  transcript(path: string, attachment: Attachment, end: AbortSignal): Promise<string>;
}
