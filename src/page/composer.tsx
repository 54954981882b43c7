/** Where one writes: text, commands and files. What is in it survives a refresh. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { cleanLine } from "../util/text.js";
import { completed, completionsOf } from "./completing.js";
import { draftFilesKey, draftOf, saveDraft } from "./drafts.js";
import { Icon } from "./icons.js";
import { drop, keep, kept } from "./kept.js";
import { me } from "./me.js";
import { tellPerson } from "./toast.js";
import { IconButton } from "./ui.js";
import type { UnsentFile } from "./unsent.js";
import { fileProblem } from "./upload.js";
import { sizeText } from "./words.js";

interface ComposerProps {
  readonly thread: string | null;
  readonly isWorking: boolean;
  readonly onSend: (text: string, files: readonly UnsentFile[]) => void;
  readonly onStop: () => void;
  /** What somebody took back, to be written again; another object each time. */
  readonly takenBack: { readonly text: string; readonly files: readonly UnsentFile[] } | null;
  /** Files that somebody dropped into the chat; another list each time. */
  readonly dropped: readonly File[];
}

/** With a finger, Enter begins a new line, and a button sends. */
const hasFinger = matchMedia("(pointer: coarse) and (hover: none)");

export function Composer({ thread, isWorking, onSend, onStop, takenBack, dropped }: ComposerProps) {
  const [text, setText] = useState(() => draftOf(thread));
  const [files, setFiles] = useState<readonly UnsentFile[]>([]);
  const [chosen, setChosen] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const offers = isClosed ? [] : completionsOf(text, me.value?.commands ?? []);

  useEffect(() => {
    kept<readonly UnsentFile[]>(draftFilesKey(thread)).then(
      (found) => found && setFiles((now) => (now.length === 0 ? found : now)),
      () => undefined,
    );
    if (!hasFinger.matches) field.current?.focus();
  }, [thread]);

  useEffect(() => {
    if (!takenBack) return;
    change(text === "" ? takenBack.text : `${takenBack.text}\n\n${text}`);
    changeFiles([...takenBack.files, ...files]);
    field.current?.focus();
  }, [takenBack]);

  useEffect(() => {
    if (dropped.length > 0) attach(dropped);
  }, [dropped]);

  // As high as what is in it.
  useLayoutEffect(() => {
    const at = field.current;
    if (!at) return;
    at.style.height = "auto";
    at.style.height = `${at.scrollHeight}px`;
  }, [text]);
  // Short news stands above it.
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    style.setProperty("--below-toasts", `${(form.current?.offsetHeight ?? 0) + 8}px`);
    return () => void style.removeProperty("--below-toasts");
  }, [text, files]);

  const change = (now: string): void => {
    setText(now);
    setChosen(0);
    setClosed(false);
    saveDraft(thread, now);
  };
  const changeFiles = (now: readonly UnsentFile[]): void => {
    setFiles(now);
    const key = draftFilesKey(thread);
    (now.length === 0 ? drop(key) : keep(key, now)).catch(() => undefined);
  };
  const attach = (added: Iterable<File>): void => {
    const now = [...files];
    for (const file of added) {
      // Called as the others will see it.
      const named = { name: cleanLine(file.name) || "file", size: file.size };
      const problem = fileProblem(named, now.length);
      if (problem !== null) tellPerson(problem, "error");
      else now.push({ ...named, mediaType: file.type, bytes: file });
    }
    changeFiles(now);
  };
  const send = (): void => {
    if (text.trim() === "" && files.length === 0) return;
    onSend(text, files);
    change("");
    changeFiles([]);
    toField();
  };
  /** A button that was pressed goes away, or can't be pressed any more; a finger would bring up the keys of the screen. */
  const toField = (): void => {
    if (!hasFinger.matches) field.current?.focus();
  };
  const stop = (): void => {
    onStop();
    toField();
  };
  const complete = (place: number): void => {
    const offer = offers[place];
    if (!offer) return;
    change(completed(offer));
    setClosed(true);
    field.current?.focus();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (offers.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setChosen((chosen + step + offers.length) % offers.length);
      else if (event.key === "Escape") setClosed(true);
      else if (event.key === "Tab" && !event.shiftKey) complete(chosen);
      else if (event.key === "Enter" && !event.shiftKey && text !== `/${offers[chosen]?.name}`)
        complete(chosen);
      else if (event.key !== "Enter") return;
      else {
        enter(event);
        return;
      }
      event.preventDefault();
      return;
    }
    if (event.key === "Enter") enter(event);
  };
  const enter = (event: KeyboardEvent): void => {
    if (event.shiftKey || (hasFinger.matches && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    send();
  };
  const paste = (event: ClipboardEvent): void => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0) return;
    event.preventDefault();
    attach(pasted);
  };

  return (
    <form
      ref={form}
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {offers.length > 0 ? (
        <div class="offers" role="listbox" id="offers" aria-label="Commands">
          {offers.map(({ name, usage, description }, place) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field choose one.
            <div
              key={name}
              id={`offer-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === chosen}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => complete(place)}
            >
              <code>
                /{name} {usage}
              </code>
              <span>{withCode(description)}</span>
            </div>
          ))}
        </div>
      ) : null}
      {files.length > 0 ? (
        <ul class="draft-files" aria-label="Files to send">
          {files.map(({ name, size }, place) => (
            <li class="file" key={`${place} ${name}`}>
              <Icon name="file" />
              <bdi>{name}</bdi>
              <small>{sizeText(size)}</small>
              <IconButton
                icon="close"
                label={`Remove ${name}`}
                onClick={() => changeFiles(files.filter((_, at) => at !== place))}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <div class="composer-row">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          tabIndex={-1}
          aria-label="Files"
          onChange={(event) => {
            attach(event.currentTarget.files ?? []);
            event.currentTarget.value = "";
          }}
        />
        <IconButton icon="clip" label="Attach files" onClick={() => picker.current?.click()} />
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder="Message, or / for commands"
          autocomplete="off"
          value={text}
          aria-autocomplete="list"
          aria-controls={offers.length > 0 ? "offers" : undefined}
          aria-activedescendant={offers.length > 0 ? `offer-${chosen}` : undefined}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={keys}
          onPaste={paste}
        />
        {isWorking ? <IconButton icon="stop" label="Stop the answer" class="stop" onClick={stop} /> : null}
        <IconButton
          icon="send"
          label="Send"
          type="submit"
          class="send"
          disabled={text.trim() === "" && files.length === 0}
        />
      </div>
    </form>
  );
}

/** What stands between backticks is code. */
function withCode(text: string): ComponentChildren[] {
  return text.split("`").map((part, place) => (place % 2 === 0 ? part : <code key={place}>{part}</code>));
}
