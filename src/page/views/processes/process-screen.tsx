/** The terminal of a process as it is now: its lines, as wide as they are. */
import type { WireScreen } from "../../../web/wire.js";
import { useLoaded } from "../../loaded.js";
import { Shown } from "../frame.js";
import { useFresh } from "../use-tick.js";

const FOLLOW_S = 1;

export function ProcessScreen({ id, isOver }: { readonly id: string; readonly isOver: boolean }) {
  const loaded = useLoaded<WireScreen>(`/api/processes/${encodeURIComponent(id)}/screen`, ["processes"]);
  const { value, failure, reload } = loaded;
  useFresh(isOver ? null : FOLLOW_S, loaded);
  return (
    <Shown value={value} failure={failure} reload={reload}>
      {({ lines, columns, rows }) => (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard can scroll only what has the focus. */}
          <section class="view-box view-screen" aria-label="Terminal" tabIndex={0}>
            <pre class="mono">{lines.join("\n")}</pre>
          </section>
          <p class="muted small">
            {columns} columns, {rows} rows. You can look at it, but not type into it.
          </p>
        </>
      )}
    </Shown>
  );
}
