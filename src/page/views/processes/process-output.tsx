/** What a process has printed, and prints now. */
import { useMemo } from "preact/hooks";
import { Failure, Loading } from "../../ui.js";
import { FollowEnd } from "../follow-end.js";
import { plainOutput } from "../plain-output.js";
import { useOutput } from "./use-output.js";

export function ProcessOutput({ id, change }: { readonly id: string; readonly change: unknown }) {
  const { tail, failure, isOver, read } = useOutput(id, change);
  const text = useMemo(() => plainOutput(tail?.text ?? ""), [tail]);
  if (tail === null)
    return failure === null ? <Loading /> : <Failure text={failure} retry={() => void read()} />;
  return (
    <>
      {failure === null ? null : <Failure text={failure} retry={() => void read()} />}
      {tail.isCut ? <p class="muted small">Only the end is shown.</p> : null}
      {text === "" ? (
        <p class="empty">{isOver ? "It printed nothing." : "It has printed nothing yet."}</p>
      ) : (
        <FollowEnd label="Output" content={text}>
          <pre class="mono">{text}</pre>
        </FollowEnd>
      )}
    </>
  );
}
