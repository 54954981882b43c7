/** What views have in common: their heading, and what is shown while there is nothing to show yet, or nothing at all. */
import type { ComponentChildren } from "preact";
import { Button, Empty, Failure, Loading } from "../ui.js";

export function View(props: {
  readonly title: ComponentChildren;
  /** Beside the heading. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="view-page stack">
      <header class="view-head">
        <h1>{props.title}</h1>
        {props.tools ? <div class="toolbar">{props.tools}</div> : null}
      </header>
      {props.children}
    </div>
  );
}

/** A part of a view, under a heading of its own. */
export function Section(props: {
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="view-section stack">
      <header class="view-head">
        <h2>{props.title}</h2>
        {props.tools ? <div class="toolbar">{props.tools}</div> : null}
      </header>
      {props.children}
    </section>
  );
}

/** What was read before stays while it can't be read again. */
export function Shown<Value>(props: {
  readonly value: Value | null;
  readonly failure: string | null;
  readonly reload: () => void;
  readonly isEmpty?: (value: Value) => boolean;
  readonly empty?: ComponentChildren;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, failure, reload, isEmpty, empty, children } = props;
  if (value === null) return failure === null ? <Loading /> : <Failure text={failure} retry={reload} />;
  return (
    <>
      {failure === null ? null : <Failure text={failure} retry={reload} />}
      {isEmpty?.(value) ? <Empty>{empty}</Empty> : children(value)}
    </>
  );
}

export function More(props: {
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly showMore: () => void;
}) {
  if (!props.hasMore) return null;
  return (
    <div class="row view-more">
      <Button isBusy={props.isLoadingMore} onClick={props.showMore}>
        Show more
      </Button>
    </div>
  );
}
