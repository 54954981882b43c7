/** What Baton remembers about the person, or about their groups. They add, change and forget notes here, too. */
import { useState } from "preact/hooks";
import type { WireNote } from "../../web/wire.js";
import { useLoaded } from "../loaded.js";
import { Button, Dialog, Time } from "../ui.js";
import { isolated } from "../words.js";
import { Act, said, tellOutcome } from "./act.js";
import { TheirText } from "./bits.js";
import { Shown, View } from "./frame.js";
import { useFresh } from "./use-tick.js";

const SELDOM_S = 20;

export default function MemoryView() {
  const loaded = useLoaded<{ readonly items: readonly WireNote[] }>("/api/memory", ["all", "session"]);
  const { value, failure, reload } = loaded;
  useFresh(SELDOM_S, loaded);
  const [isAdding, setAdding] = useState(false);
  const add = <Button onClick={() => setAdding(true)}>Add a note</Button>;
  return (
    <View title="Memory" tools={add}>
      <p class="muted">The agent knows these notes in every new conversation.</p>
      {isAdding ? (
        <NoteDialog
          title="Add a note"
          command="/memory add"
          text=""
          reload={reload}
          onClose={() => setAdding(false)}
        />
      ) : null}
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={({ items }) => items.length === 0}
        empty="Baton remembers nothing yet. Tell the agent what to remember, or add a note."
      >
        {({ items }) => (
          <ul class="view-cards">
            {items.map((note) => (
              <li key={note.id} class="card stack">
                <Note note={note} reload={reload} />
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </View>
  );
}

function Note({ note, reload }: { readonly note: WireNote; readonly reload: () => void }) {
  const [isChanging, setChanging] = useState(false);
  const about = `note-${note.id}`;
  return (
    <>
      <div id={about}>
        <TheirText text={note.text} />
      </div>
      <div class="row view-between">
        <span class="muted small">
          Noted <Time at={note.at} />
        </span>
        <span class="row">
          <Button class="small" aria-describedby={about} onClick={() => setChanging(true)}>
            Change
          </Button>
          <Act
            act={() => said(`/memory forget ${note.id}`)}
            after={reload}
            about={about}
            kind="danger"
            ask={{
              title: "Forget this note?",
              text: `Baton forgets: “${isolated(note.text)}” The conversation in which you said it stays.`,
              action: "Forget",
            }}
          >
            Forget
          </Act>
        </span>
      </div>
      {isChanging ? (
        <NoteDialog
          title="Change the note"
          command={`/memory edit ${note.id}`}
          text={note.text}
          reload={reload}
          onClose={() => setChanging(false)}
        />
      ) : null}
    </>
  );
}

function NoteDialog(props: {
  readonly title: string;
  /** The command that the text follows. */
  readonly command: string;
  readonly text: string;
  readonly reload: () => void;
  readonly onClose: () => void;
}) {
  const { title, command, reload, onClose } = props;
  const [text, setText] = useState(props.text);
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    // A note is one line.
    const isSaved = await tellOutcome(() => said(`${command} ${text.replaceAll(/\s/g, " ").trim()}`));
    setBusy(false);
    reload();
    if (isSaved) onClose();
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" isBusy={isBusy} disabled={text.trim() === ""} onClick={() => void save()}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} actions={actions}>
      <label class="view-field">
        What to remember
        <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
