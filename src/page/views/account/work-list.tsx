/** Long work, such as imports and backups: how far it is, and what came of it. */
import type { WireWork } from "../../../web/wire.js";
import { useLoaded } from "../../loaded.js";
import { Time } from "../../ui.js";
import { progressWords } from "../figures.js";
import { Shown } from "../frame.js";
import { useFresh } from "../use-tick.js";

const OFTEN_S = 2;
const SELDOM_S = 20;

export function WorkList() {
  const loaded = useLoaded<{ readonly items: readonly WireWork[] }>("/api/work", ["work"]);
  const { value, failure, reload } = loaded;
  const goesOn = value?.items.some(({ endedAt }) => endedAt === null) ?? false;
  useFresh(goesOn ? OFTEN_S : SELDOM_S, loaded);
  return (
    <Shown
      value={value}
      failure={failure}
      reload={reload}
      isEmpty={({ items }) => items.length === 0}
      empty="No import, backup or other long work is in progress."
    >
      {({ items }) => (
        <ul class="view-cards">
          {items.map((work) => (
            <li key={work.id} class="card stack">
              <Work work={work} />
            </li>
          ))}
        </ul>
      )}
    </Shown>
  );
}

function Work({ work }: { readonly work: WireWork }) {
  const { id, what, done, total, unit, startedAt, endedAt, outcome } = work;
  const label = `work-${id}`;
  return (
    <>
      <div class="row view-between">
        <strong id={label}>
          <bdi>{what}</bdi>
        </strong>
        <span class="muted small">
          {endedAt === null ? (
            <>
              Started <Time at={startedAt} />
            </>
          ) : (
            <>
              Ended <Time at={endedAt} />
            </>
          )}
        </span>
      </div>
      {endedAt === null ? (
        <>
          {/* Without a value, the browser shows that it does not know how far it is. */}
          <progress
            class="view-progress"
            aria-labelledby={label}
            {...(total === null ? {} : { value: done, max: Math.max(1, total) })}
          />
          <span class="muted small">{progressWords(done, total, unit)}</span>
        </>
      ) : (
        <p>
          <bdi>{outcome ?? "It has ended."}</bdi>
        </p>
      )}
    </>
  );
}
