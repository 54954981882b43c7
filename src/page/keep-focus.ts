/**
 * Who uses the keyboard is never nowhere: when what has the focus is taken away, such as a button that has done its work, the
 * focus goes to the nearest place around it that can have it.
 */

/** Of what has the focus, from it outwards. */
let around: readonly HTMLElement[] = [];

export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    around = target instanceof HTMLElement ? withAncestors(target) : [];
  });
  new MutationObserver(() => {
    const [last] = around;
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    const place = around.find((each) => each.isConnected && each.hasAttribute("tabindex"));
    (place ?? document.getElementById("main"))?.focus();
  }).observe(document.body, { childList: true, subtree: true });
}

function withAncestors(element: HTMLElement): HTMLElement[] {
  const parent = element.parentElement;
  return parent === null ? [element] : [element, ...withAncestors(parent)];
}
