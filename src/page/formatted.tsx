/** Markdown as nodes: each piece of it is read and drawn once, and again only if it changes. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type Branch, piecesOf, type TextTree, treeOf } from "./markdown-tree.js";
import { memo } from "./memo.js";
import { Button, Copy } from "./ui.js";
import { sizeText } from "./words.js";

/** More than this is shown when somebody asks for it. */
const MOST_AT_ONCE = 150_000;

interface FormattedProps {
  readonly text: string;
  readonly breaks?: boolean;
}

export default function Formatted({ text, breaks }: FormattedProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? text : text.slice(0, MOST_AT_ONCE);
  const pieces = useMemo(() => piecesOf(shown), [shown]);
  return (
    <div class="markdown">
      {pieces.map((piece, place) => (
        <Piece key={place} text={piece} breaks={breaks} />
      ))}
      {shown.length < text.length ? (
        <Button onClick={() => setAll(true)}>Show the rest ({sizeText(text.length - shown.length)})</Button>
      ) : null}
    </div>
  );
}

const Piece = memo(({ text, breaks }: FormattedProps) => (
  <>{treeOf(text, breaks).map((tree, key) => nodeOf(tree, key, "auto"))}</>
));

/** A block runs as its first words do, and all that is in it with it: so the signs of a list stand on its side, too. */
type Direction = "auto" | undefined;

function nodeOf(tree: TextTree, key: number, dir?: Direction): VNode | string {
  if (typeof tree === "string") return tree;
  switch (tree.tag) {
    case "plain":
      return (
        <p key={key} class="plain" dir={dir}>
          {tree.text}
        </p>
      );
    case "code-block":
      return <CodeBlock key={key} lang={tree.lang} text={tree.text} />;
    case "task":
      return (
        <input
          key={key}
          type="checkbox"
          checked={tree.isDone}
          disabled
          aria-label={tree.isDone ? "Done" : "Not done"}
        />
      );
    case "br":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    default:
      return branchOf(tree, key, dir);
  }
}

function branchOf(branch: Branch, key: number, dir: Direction): VNode {
  const { tag, href, start, align } = branch;
  const children = branch.children.map((child, place) => nodeOf(child, place));
  switch (tag) {
    case "a":
      return (
        <a key={key} href={href} target="_blank" rel="noopener noreferrer">
          {children}
        </a>
      );
    case "ol":
      return (
        <ol key={key} start={start} dir={dir}>
          {children}
        </ol>
      );
    case "task-list":
      return (
        <ul key={key} class="tasks" dir={dir}>
          {children}
        </ul>
      );
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what is wider than the page is moved with the keyboard.
        <div key={key} class="wide" role="group" tabIndex={0} aria-label="Table">
          <table>
            <thead>{children.slice(0, 1)}</thead>
            <tbody>{children.slice(1)}</tbody>
          </table>
        </div>
      );
    case "th":
    case "td": {
      const Cell = tag;
      return (
        <Cell key={key} class={align ? `to-${align}` : undefined} dir="auto">
          {children}
        </Cell>
      );
    }
    default: {
      const Tag = tag;
      return (
        <Tag key={key} dir={dir}>
          {children}
        </Tag>
      );
    }
  }
}

function CodeBlock({ lang, text }: { readonly lang: string; readonly text: string }) {
  return (
    <div class="code-block" dir="ltr">
      <div class="code-head">
        <span>{lang || "text"}</span>
        <Copy text={text} label="Copy this code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are moved with the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
