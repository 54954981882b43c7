/** What a check of the gateway has found, and what to do about it. */
import type { WireHealth } from "../../../web/wire.js";
import { Badge, Theirs } from "../bits.js";
import { toneOf } from "../state-words.js";

export function FindingList({ findings }: { readonly findings: WireHealth["findings"] }) {
  if (findings.length === 0) return <p class="empty">No problems were found.</p>;
  return (
    <ul class="view-cards">
      {findings.map(({ level, title, text }) => (
        <li key={`${level} ${title} ${text}`} class="card view-finding">
          <div class="row">
            <Badge tone={toneOf(level)}>{level}</Badge>
            <strong>
              <Theirs text={title} />
            </strong>
          </div>
          <p class="view-text">
            <Theirs text={text} />
          </p>
        </li>
      ))}
    </ul>
  );
}
