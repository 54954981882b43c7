/**
 * A button that does something far away: it waits for the end, says what came of it, and asks before if that is told to it.
 * `done` says what happened, or null if the person needs no word.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { runCommand } from "../run-command.js";
import { tellPerson } from "../toast.js";
import { Button, Confirm } from "../ui.js";
import { beginningOf } from "../words.js";

const LONGEST_WORD = 300;

export function Act(props: {
  readonly act: () => Promise<string | null>;
  /** Called when it is over, however it went. */
  readonly after?: () => void;
  readonly ask?: { readonly title: string; readonly text: string; readonly action: string };
  readonly kind?: "primary" | "danger" | "quiet";
  /** The id of the element that says what it is done to. */
  readonly about?: string;
  readonly children: ComponentChildren;
}) {
  const { act, after, ask, kind, about, children } = props;
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    await tellOutcome(act);
    setBusy(false);
    after?.();
  };
  return (
    <>
      <Button
        class="small"
        isBusy={isBusy}
        {...(kind ? { kind } : {})}
        {...(about ? { "aria-describedby": about } : {})}
        onClick={() => (ask ? setAsking(true) : void run())}
      >
        {children}
      </Button>
      {ask && isAsking ? <Confirm {...ask} onConfirm={run} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

/** Says a command, in a thread or where nothing else is said, and gives the answer as a word for the person. */
export async function said(command: string, thread?: string | null): Promise<string> {
  return beginningOf((await runCommand(command, thread)).replaceAll(/[`*]/g, ""), LONGEST_WORD);
}

/** True if it did not fail. What it says, and how it fails, is told to the person. */
export async function tellOutcome(act: () => Promise<string | null>): Promise<boolean> {
  try {
    const words = await act();
    if (words) tellPerson(words);
    return true;
  } catch (error) {
    tellPerson(error instanceof Error ? error.message : String(error), "error");
    return false;
  }
}
