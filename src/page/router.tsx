/** Where in the page somebody is. Places have no file ending, so the server answers each of them with the page itself. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** With its query, as in `/conversation/x?at=4`. */
export const path = signal(`${location.pathname}${location.search}`);

addEventListener("popstate", () => {
  path.value = `${location.pathname}${location.search}`;
});

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (to === path.value) return;
  if (how === "push") history.pushState(null, "", to);
  else history.replaceState(null, "", to);
  path.value = to;
}

interface LinkProps {
  readonly href: string;
  readonly id?: string;
  readonly class?: string;
  readonly title?: string;
  readonly "aria-current"?: "page" | undefined;
  readonly "aria-label"?: string;
  /** After the address has changed. */
  readonly onGo?: () => void;
  readonly children?: ComponentChildren;
}

export function Link({ href, onGo, children, ...more }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    // With a key held, the browser opens it elsewhere.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
    onGo?.();
  };
  return (
    <a {...more} href={href} onClick={follow}>
      {children}
    </a>
  );
}
