/** Files of messages: pictures are shown, recordings are played, and anything else is offered for saving. */
import { Icon } from "./icons.js";
import { sizeText } from "./words.js";

interface ShownFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number | null;
  /** Null if the file is not there any more. */
  readonly url: string | null;
}

/** As the server sends them so that browsers show them. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function Files({ files }: { readonly files: readonly ShownFile[] }) {
  if (files.length === 0) return null;
  return (
    <div class="files">
      {files.map((file, place) => (
        <OneFile key={place} file={file} />
      ))}
    </div>
  );
}

function OneFile({ file: { name, mediaType, size, url } }: { readonly file: ShownFile }) {
  if (url === null || !isOwnAddress(url))
    return (
      <span class="file gone">
        <Icon name="file" />
        <bdi>{name}</bdi>
        <small>not there any more</small>
      </span>
    );
  if (PICTURES.includes(mediaType))
    return (
      <a class="picture" href={url} target="_blank" rel="noopener">
        <img src={url} alt={name} loading="lazy" decoding="async" />
      </a>
    );
  if (mediaType.startsWith("audio/"))
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what people record.
      <audio controls preload="none" src={url} aria-label={name} />
    );
  if (mediaType.startsWith("video/"))
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what people record.
      <video controls preload="metadata" src={url} aria-label={name} />
    );
  return (
    <a class="file" href={url} download={name}>
      <Icon name="file" />
      <bdi>{name}</bdi>
      {size === null ? null : <small>{sizeText(size)}</small>}
    </a>
  );
}

/** Nothing is loaded from elsewhere. */
function isOwnAddress(url: string): boolean {
  return url.startsWith("/api/");
}
