/**
 * What the files of a message say: of a document its text, of a voice message its transcript. It is read once, when the
 * files arrive, so the agent reads the same in every later turn. What can't be read stays a file.
 */
import { readFile } from "node:fs/promises";
import type { DocumentReading } from "../document/reading.js";
import { isPicture } from "../session/attachments.js";
import { ownWords } from "../session/sender.js";
import type { Attachment } from "../session/transcript.js";
import { cleanLine, shorten, storableText } from "../util/text.js";
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
  /** One sentence for each file of which the agent gets only the beginning. */
  readonly cut: readonly string[];
}

interface ReadText {
  readonly text: string;
  /** True if this is only its beginning. */
  readonly isCut?: boolean;
}

const NO_TEXT: ReadText = { text: "" };

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
    const cut: string[] = [];
    for (const file of files) {
      const found = file.voice ? await this.#hear(file, end) : await this.#read(file, end);
      if ("unheard" in found) unheard ??= found.unheard;
      const { text, isCut = false }: ReadText = "text" in found ? found : NO_TEXT;
      const room = Math.max(LEAST_CHARACTERS, left);
      const bounded = shorten(text, room);
      left -= bounded.length;
      const isShort = isCut || text.length > room;
      if (isShort) cut.push(cutSentence(file, bounded.length));
      attachments.push(
        bounded === "" ? file : { ...file, text: isShort ? bounded + cutNote(bounded.length) : bounded },
      );
    }
    return { attachments, unheard, cut };
  }

  async #hear(file: Attachment, end: AbortSignal): Promise<ReadText | { readonly unheard: string }> {
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

  /** An empty text if there is none. */
  async #read(file: Attachment, end: AbortSignal): Promise<ReadText> {
    const { documents, pathOf } = this.#setting;
    const path = pathOf(file.file);
    if (!documents || path === null || isPicture(file) || /^(?:audio|video)\//.test(file.mediaType))
      return NO_TEXT;
    const bytes = await readFile(path).catch(() => null);
    if (bytes === null) return NO_TEXT;
    const found = await documents.read(bytes, end);
    if (found.kind === "none")
      return { text: found.isDocument ? `(Baton can't read this file: ${found.reason}.)` : "" };
    return { text: ownWords(found.text), isCut: found.isCut };
  }
}

/** What the agent reads at the end of it. */
function cutNote(characters: number): string {
  return `\n(Cut off here: these are the first ${grouped(characters)} characters of it.)`;
}

function cutSentence({ name, file }: Attachment, characters: number): string {
  return `${cleanLine(name ?? file)} is too long: the model gets its first ${grouped(characters)} characters.`;
}
