/** Bars of one figure by name. Only for those who see: the table below says the same in words. */
import { Theirs } from "../bits.js";
import type { UsedFigures } from "../figures.js";
import { ranked } from "./ranked.js";

export function Bars(props: {
  readonly title: string;
  readonly rows: readonly (UsedFigures & { readonly name: string })[];
  readonly figure: "tokens" | "cost";
  readonly words: (used: UsedFigures) => string;
}) {
  const { title, rows, figure, words } = props;
  return (
    <figure class="card view-plot" aria-hidden="true">
      <figcaption>
        <strong>{title}</strong>
      </figcaption>
      <ol class="view-bars">
        {ranked(rows, figure).map(({ name, count, used, share }, place) => (
          <li key={`${place} ${name}`}>
            <span class="view-bar-name">
              {name === null ? <span class="muted">{count} others</span> : <Theirs text={name} />}
            </span>
            <span class="view-bar-words">{words(used)}</span>
            <span class="view-bar">
              <span style={{ width: `${share * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
