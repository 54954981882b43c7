/** What a search leaves out: who wrote it, and on which days. Closed until somebody wants it, because the bar is narrow. */
import { useRef } from "preact/hooks";
import { Icon } from "./icons.js";
import type { HitFilter, SearchWriter } from "./search-address.js";
import { Button } from "./ui.js";

type ChosenFilter = Omit<HitFilter, "platform">;

export const NO_FILTER: ChosenFilter = { by: "anybody", from: "", to: "" };

const WRITERS: readonly { readonly by: SearchWriter; readonly words: string }[] = [
  { by: "anybody", words: "Anybody" },
  { by: "people", words: "People" },
  { by: "agent", words: "The agent" },
];
const LAST_DAY = "9999-12-30";

interface SearchFiltersProps {
  readonly filter: ChosenFilter;
  readonly onChange: (filter: ChosenFilter) => void;
}

export function SearchFilters({ filter, onChange }: SearchFiltersProps) {
  const first = useRef<HTMLSelectElement>(null);
  const { by, from, to } = filter;
  const count = [by !== "anybody", from !== "", to !== ""].filter(Boolean).length;
  const change = (part: Partial<ChosenFilter>): void => onChange({ ...filter, ...part });
  /** The button goes away with what it clears. */
  const clear = (): void => {
    first.current?.focus();
    onChange(NO_FILTER);
  };
  return (
    <details class="search-filters">
      <summary>
        <Icon name="chevron" size={14} />
        Filters{count === 0 ? "" : ` (${count} set)`}
      </summary>
      <div class="search-fields">
        <label class="search-writer">
          Written by
          <select
            ref={first}
            value={by}
            onChange={(event) => change({ by: event.currentTarget.value as SearchWriter })}
          >
            {WRITERS.map((writer) => (
              <option key={writer.by} value={writer.by}>
                {writer.words}
              </option>
            ))}
          </select>
        </label>
        <label>
          From
          <input
            type="date"
            max={to || LAST_DAY}
            value={from}
            onInput={(event) => change({ from: event.currentTarget.value })}
          />
        </label>
        <label>
          To
          <input
            type="date"
            min={from || undefined}
            max={LAST_DAY}
            value={to}
            onInput={(event) => change({ to: event.currentTarget.value })}
          />
        </label>
        {count === 0 ? null : (
          <Button class="small search-clear" kind="quiet" onClick={clear}>
            Clear the filters
          </Button>
        )}
      </div>
    </details>
  );
}
