/**
 * Files on their way from the agent to a chat: each is copied into the media store, and as many as the platform takes
 * at once are one letter. A text goes with the first of them if the platform has captions and it is short enough;
 * otherwise it goes before them.
 */
import { type Capabilities, lengthIn } from "../adapter/adapter.js";
import type { ToolContext } from "../agent/agent.js";
import type { OutgoingFiles } from "../agent/tools/outgoing-files.js";
import { Refused } from "../agent/tools/refused.js";
import type { Attachment } from "../session/transcript.js";
import type { NewDelivery } from "./delivery.js";
import type { Media } from "./media.js";

/** Where files come from, and where they wait to be sent. */
export interface FilesOut {
  readonly outgoing: () => Promise<OutgoingFiles>;
  readonly media: Pick<Media, "save" | "forget">;
}

/** All of them, or none: fails with `Refused`. */
export async function copyFiles(
  { outgoing, media }: FilesOut,
  paths: readonly string[],
  maxFile: number,
  context: ToolContext,
): Promise<Attachment[]> {
  const files = await outgoing();
  const copied: Attachment[] = [];
  try {
    for (const path of paths) {
      if (context.signal.aborted) throw new Refused("the turn was stopped. Nothing was sent.");
      copied.push(await media.save(await files.read(path, maxFile, context)));
    }
  } catch (error) {
    await media.forget(copied);
    throw error;
  }
  return copied;
}

type SentLetter = Pick<NewDelivery, "text" | "files">;

/** `pieces`: the text as the platform takes it without files. */
export function lettersOf(
  text: string,
  pieces: readonly string[],
  files: readonly Attachment[],
  capabilities: Capabilities,
): readonly SentLetter[] {
  const [first, ...more] = albumsOf(files, capabilities);
  const { maxCaption = 0 } = capabilities;
  const isCaption =
    first !== undefined &&
    text !== "" &&
    !first.some((file) => familyOf(file) === "audio") &&
    lengthIn(capabilities, text) <= maxCaption;
  const album = (each: readonly Attachment[]): SentLetter => ({ text: "", files: each });
  if (first && isCaption) return [{ text, files: first }, ...more.map(album)];
  return [...pieces.map((piece) => ({ text: piece })), ...[...(first ? [first] : []), ...more].map(album)];
}

type Family = "picture" | "audio" | "other";

/** What a platform shows together: pictures and films, sounds, or anything else. */
function familyOf({ mediaType }: Attachment): Family {
  if (/^(?:image|video)\//.test(mediaType)) return "picture";
  return mediaType.startsWith("audio/") ? "audio" : "other";
}

/** In order, as many at once as the platform takes and as are of one family. */
function albumsOf(
  files: readonly Attachment[],
  { maxAlbum = 1, maxFile = 0 }: Capabilities,
): readonly (readonly Attachment[])[] {
  const albums: Attachment[][] = [];
  let bytes = 0;
  for (const file of files) {
    const album = albums.at(-1);
    const [last] = album ?? [];
    const size = file.size ?? maxFile;
    const fits =
      album !== undefined &&
      last !== undefined &&
      album.length < maxAlbum &&
      bytes + size <= maxFile &&
      !last.voice &&
      !file.voice &&
      familyOf(last) === familyOf(file);
    if (fits) album.push(file);
    else albums.push([file]);
    bytes = fits ? bytes + size : size;
  }
  return albums;
}
