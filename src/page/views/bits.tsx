/** Small parts of views: a state, a list of facts, text by others, a time ahead, a field that filters. */
import type { ComponentChildren } from "preact";
import { exactTime, relativeTime, shortTime } from "../words.js";
import type { Tone } from "./state-words.js";

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Whatever its letters do, the words around it stay where they are. */
export function Theirs({ text }: { readonly text: string }) {
  return <bdi>{text}</bdi>;
}

/** Several lines of somebody else, as they were written. */
export function TheirText({ text }: { readonly text: string }) {
  return (
    <p class="view-text">
      <bdi>{text}</bdi>
    </p>
  );
}

/** The beginning of a message, if this owner may read it. */
export function Beginning({ text, isOthers }: { readonly text: string; readonly isOthers: boolean }) {
  if (isOthers) return <span class="muted">You may not read this conversation.</span>;
  return text === "" ? <span class="muted">(without text)</span> : <Theirs text={text} />;
}

/** Names and what they are; what is null is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="view-facts">
      {of
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A time that is still to come, in words and exactly. */
export function Ahead({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {relativeTime(at, Date.now())} <span class="muted">({shortTime(at)})</span>
    </time>
  );
}

export function Filter(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <input
      type="search"
      class="view-filter"
      aria-label={props.label}
      placeholder={props.label}
      value={props.value}
      onInput={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}
