/**
 * What the files of a message say: of a document its text, of a voice message its transcript. It is read once, when the
 * files arrive, so the agent reads the same in every later turn. What can't be read stays a file.
 */
import { readFile } from "node:fs/promises";
import type { DocumentReading } from "../document/reading.js";
import { isPicture } from "../session/attachments.js";
import { ownWords } from "../session/sender.js";
import type { Attachment } from "../session/transcript.js";
import { shorten, storableText } from "../util/text.js";
import { grouped } from "../util/words.js";
import type { VoiceListening } from "./listening.js";

/** How many characters the files of one message may add together. */
const MOST_CHARACTERS = 120_000;
const LEAST_CHARACTERS = 200;
const NOT_SET_UP = "no transcription is set up here (`voice.transcribe` in the configuration)";

export interface FileTextsSetting {
  /** Without it, documents are only files. */
  readonly documents: DocumentReading | null;
  /** Without it, nobody listens to voice messages. */
  readonly listening: VoiceListening | null;
  /** Where a file of the media store is. */
  readonly pathOf: (file: string) => string | null;
}

export interface ReadFiles {
  readonly attachments: readonly Attachment[];
  /** Why the words of a voice message are not known, as after "because"; null if they are, or if there is none. */
  readonly unheard: string | null;
}

export class FileTexts {
  readonly #setting: FileTextsSetting;

  constructor(setting: FileTextsSetting) {
    this.#setting = setting;
  }

  /** The same files with their texts. Never rejects. `end`: nobody waits any more. */
  async in(files: readonly Attachment[], end: AbortSignal): Promise<ReadFiles> {
    let left = MOST_CHARACTERS;
    let unheard: string | null = null;
    const attachments: Attachment[] = [];
    for (const file of files) {
      const found = file.voice ? await this.#hear(file, end) : { text: await this.#read(file, end) };
      if ("unheard" in found) unheard ??= found.unheard;
      const text = "text" in found && found.text !== null ? found.text : "";
      const bounded = shorten(text, Math.max(LEAST_CHARACTERS, left));
      left -= bounded.length;
      attachments.push(bounded === "" ? file : { ...file, text: bounded });
    }
    return { attachments, unheard };
  }

  async #hear(
    file: Attachment,
    end: AbortSignal,
  ): Promise<{ readonly text: string } | { readonly unheard: string }> {
    const path = this.#setting.pathOf(file.file);
    if (!this.#setting.listening) return { unheard: NOT_SET_UP };
    if (path === null) return { unheard: "its file is gone" };
    try {
      const text = storableText(await this.#setting.listening.transcript(path, file, end)).trim();
      return text === "" ? { unheard: "there are no words in it" } : { text };
    } catch (error) {
      return { unheard: error instanceof Error ? error.message : String(error) };
    }
  }

  async #read(file: Attachment, end: AbortSignal): Promise<string | null> {
    const { documents, pathOf } = this.#setting;
    const path = pathOf(file.file);
    if (!documents || path === null || isPicture(file) || /^(?:audio|video)\//.test(file.mediaType))
      return null;
    const bytes = await readFile(path).catch(() => null);
    if (bytes === null) return null;
    const found = await documents.read(bytes, end);
    if (found.kind === "none")
      return found.isDocument ? `(Baton can't read this file: ${found.reason}.)` : null;
    const cut = `\n(Cut off here: these are the first ${grouped(found.text.length)} characters of it.)`;
    return ownWords(found.text) + (found.isCut ? cut : "");
  }
}
