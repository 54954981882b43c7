/** A button that opens a menu: the arrow keys move in it, Escape closes it. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icons.js";
import { IconButton } from "./ui.js";

interface MenuItem {
  readonly label: string;
  readonly icon: string;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Below the items: what to know before one chooses. */
  readonly note?: string | null;
  /** It opens upwards. */
  readonly up?: boolean;
}

export function Menu({ label, items, note, up }: MenuProps) {
  const about = useId();
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const entries = (): HTMLElement[] => [...(list.current?.querySelectorAll("button") ?? [])];
  const close = (): void => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    entries()[0]?.focus();
    const outside = ({ target }: Event): void => {
      if (!box.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [isOpen]);
  const keys = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    const all = entries();
    const now = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (to !== undefined) all.at(to % all.length)?.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears the keys of its button and its menu.
    <div class="menu-box" ref={box} onKeyDown={keys}>
      <IconButton
        icon="more"
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen ? (
        <div class={`menu ${up ? "up" : ""}`}>
          <div role="menu" aria-label={label} aria-describedby={note ? about : undefined} ref={list}>
            {items.map((item) => (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => {
                  close();
                  item.onChoose();
                }}
              >
                <Icon name={item.icon} />
                {item.label}
              </button>
            ))}
          </div>
          {note ? <p id={about}>{note}</p> : null}
        </div>
      ) : null}
    </div>
  );
}
