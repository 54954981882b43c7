/** What was written and is not confirmed yet: it can be taken back. */
import { Icon } from "./icons.js";
import { uploading } from "./outbox.js";
import { Button } from "./ui.js";
import type { Unsent } from "./unsent.js";
import { sizeText } from "./words.js";

interface UnsentEntryProps {
  readonly item: Unsent;
  readonly onTakeBack: (item: Unsent) => void;
}

export function UnsentEntry({ item, onTakeBack }: UnsentEntryProps) {
  const { text, files, refused, tried } = item;
  const part = uploading.value.get(item.id);
  const isLate = tried > 0 || refused !== null;
  return (
    <article class={`own unsent ${isLate ? "late" : ""}`} aria-label="You">
      {files.length === 0 ? null : (
        <div class="files">
          {files.map(({ name, size }) => (
            <span class="file" key={name}>
              <Icon name="file" />
              <bdi>{name}</bdi>
              <small>{sizeText(size)}</small>
            </span>
          ))}
        </div>
      )}
      {part === undefined ? null : (
        <progress value={part} max={1} aria-label="Uploading">
          {Math.round(part * 100)} %
        </progress>
      )}
      {text === "" ? null : (
        <div class="bubble" dir="auto">
          {text}
        </div>
      )}
      {isLate ? (
        <p class="state">
          <span class={refused === null ? "" : "refused"}>{refused === null ? "not sent yet" : refused}</span>
          <Button class="small" kind="quiet" onClick={() => onTakeBack(item)}>
            Edit
          </Button>
        </p>
      ) : null}
    </article>
  );
}
