/** A part of the page that is loaded when it is shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, Loading } from "./ui.js";

interface LazyProps<Props> {
  readonly load: () => Promise<{ default: ComponentType<Props> }>;
  readonly given: Props;
}

export function Lazy<Props extends object>({ load, given }: LazyProps<Props>) {
  const [View, setView] = useState<ComponentType<Props> | null>(null);
  const [isFailed, setFailed] = useState(false);
  const start = (): void => {
    setFailed(false);
    load().then(
      (found) => setView(() => found.default),
      () => setFailed(true),
    );
  };
  useEffect(start, [load]);
  if (isFailed) return <Failure text="This part of the page can't be loaded now." retry={start} />;
  return View ? <View {...given} /> : <Loading />;
}
