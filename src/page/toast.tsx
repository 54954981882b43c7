/** Short news at the edge of the page, also for those who hear it. It goes away by itself. */
import { signal } from "@preact/signals";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "info" | "error";
}

const SHOWN_MS = 6_000;
const MOST = 3;
const toasts = signal<readonly Toast[]>([]);
let last = 0;

export function tellPerson(text: string, kind: Toast["kind"] = "info"): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, text, kind }].slice(-MOST);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind }) => (
        <div key={id} class={`toast ${kind}`}>
          <span>{text}</span>
          <button type="button" class="button quiet small" onClick={() => dismiss(id)}>
            Dismiss
          </button>
        </div>
      ))}
    </div>
  );
}
