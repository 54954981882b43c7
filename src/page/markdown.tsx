/** Shows Markdown. What reads it is loaded with the first text that needs it; until then the text stands as it was written. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

interface MarkdownProps {
  readonly text: string;
  /** Each line stands by itself, as in what Baton says. A model's lines are joined, as in Markdown. */
  readonly breaks?: boolean;
}

const formatted = signal<ComponentType<MarkdownProps> | null>(null);
let loading: Promise<void> | null = null;

export function Markdown({ text, breaks = false }: MarkdownProps) {
  const Formatted = formatted.value;
  useEffect(load, []);
  if (Formatted) return <Formatted text={text} breaks={breaks} />;
  return (
    <div class="markdown">
      <p class="plain" dir="auto">
        {text}
      </p>
    </div>
  );
}

/** If it can't be loaded now, the next text tries again. */
function load(): void {
  if (loading !== null) return;
  loading = import("./formatted.js").then(
    (found) => {
      formatted.value = found.default;
    },
    () => {
      loading = null;
    },
  );
}
