/** Whether the bar at the side is open; on a large screen it is always there. */
import { signal } from "@preact/signals";
import { IconButton } from "./ui.js";

export const isSideOpen = signal(false);

/** Where the focus goes back to. */
export function toSideButton(): void {
  document.querySelector<HTMLElement>(".side-button")?.focus();
}

export function SideButton() {
  return (
    <IconButton
      icon="menu"
      label="Show the menu"
      class="side-button"
      aria-expanded={isSideOpen.value}
      onClick={() => {
        isSideOpen.value = true;
      }}
    />
  );
}
