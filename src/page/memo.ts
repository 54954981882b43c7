/** A component that is drawn again only if what it is given has changed. */
import { Component, type ComponentChild, h, type VNode } from "preact";

/** Unless told, each property is compared by itself. */
export function memo<Props extends object>(
  draw: (props: Props) => ComponentChild,
  isSame: (one: Props, next: Props) => boolean = sameMembers,
): (props: Props) => VNode {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props as Props, next);
    }

    override render(): ComponentChild {
      return h(draw as never, this.props as never);
    }
  }
  return (props) => h(Memo as never, props as never);
}

function sameMembers<Props extends object>(one: Props, next: Props): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(next)]) as Set<keyof Props>;
  return [...names].every((name) => one[name] === next[name]);
}
