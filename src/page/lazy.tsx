/** A part of the page that is loaded when it is shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, Loading } from "./ui.js";
import { isUpgraded } from "./upgraded.js";

interface LazyProps<Props> {
  readonly load: () => Promise<{ default: ComponentType<Props> }>;
  readonly given: Props;
  /** Of a place: its heading until it is there. */
  readonly title?: string;
}

export function Lazy<Props extends object>({ load, given, title }: LazyProps<Props>) {
  const [View, setView] = useState<ComponentType<Props> | null>(null);
  const [failure, setFailure] = useState<"away" | "upgraded" | null>(null);
  const start = (): void => {
    setFailure(null);
    load().then(
      (found) => setView(() => found.default),
      async () => setFailure((await isUpgraded()) ? "upgraded" : "away"),
    );
  };
  useEffect(start, [load]);
  if (View) return <View {...given} />;
  return (
    <>
      {title === undefined ? null : <h1 class="sr-only">{title}</h1>}
      {failure === null ? <Loading /> : null}
      {failure === "away" ? (
        <Failure text="This part of the page can't be loaded now." retry={start} />
      ) : null}
      {failure === "upgraded" ? (
        <Failure
          text="Baton was upgraded after this page was loaded."
          retry={() => location.reload()}
          action="Load the page again"
        />
      ) : null}
    </>
  );
}
