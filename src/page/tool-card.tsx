/** A call of a tool: one line, and everything about it for those who open it. */
import { useState } from "preact/hooks";
import { Icon } from "./icons.js";
import { prettyArguments, shortArguments } from "./shown-arguments.js";
import type { ShownCall } from "./timeline.js";
import { Copy } from "./ui.js";

const STATES: Readonly<Record<ShownCall["state"], string>> = {
  planned: "planned",
  running: "running",
  // Whether it went well is only in the words of its result.
  done: "finished",
  lost: "no result",
};

export function ToolCard({ call }: { readonly call: ShownCall }) {
  const [isOpen, setOpen] = useState(false);
  const { name, arguments: given, state, output, result } = call;
  const printed = output.trimEnd();
  return (
    <details class={`tool ${state}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" size={14} />
        <Icon name="tool" size={16} />
        <bdi class="tool-name">{name}</bdi>
        <bdi class="tool-about mono">{shortArguments(given)}</bdi>
        <span class="tool-state">{STATES[state]}</span>
      </summary>
      {isOpen ? (
        <div class="tool-body">
          <Part title="Arguments" text={prettyArguments(given)} />
          {printed !== "" && result === null ? <Part title="Output so far" text={printed} /> : null}
          {result === null ? null : <Part title="Result" text={result} />}
        </div>
      ) : printed !== "" && result === null ? (
        <pre class="tool-tail" aria-hidden="true">
          {printed.split("\n").slice(-3).join("\n")}
        </pre>
      ) : null}
    </details>
  );
}

function Part({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="tool-part">
      <div class="code-head">
        <span>{title}</span>
        <Copy text={text} label={`Copy: ${title}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long texts are moved with the keyboard. */}
      <pre tabIndex={0}>{text === "" ? "(nothing)" : text}</pre>
    </div>
  );
}
