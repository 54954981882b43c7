/** Markdown as nodes: each piece of it is read and drawn once, and again only if it changes. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type Branch, piecesOf, type TextTree, treeOf } from "./markdown-tree.js";
import { memo } from "./memo.js";
import { Button, Copy } from "./ui.js";
import { sizeText } from "./words.js";

/** More than this is shown when somebody asks for it. */
const MOST_AT_ONCE = 150_000;

export default function Formatted({ text }: { readonly text: string }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? text : text.slice(0, MOST_AT_ONCE);
  const pieces = useMemo(() => piecesOf(shown), [shown]);
  return (
    <div class="markdown">
      {pieces.map((piece, place) => (
        <Piece key={place} text={piece} />
      ))}
      {shown.length < text.length ? (
        <Button onClick={() => setAll(true)}>Show the rest ({sizeText(text.length - shown.length)})</Button>
      ) : null}
    </div>
  );
}

const Piece = memo(({ text }: { readonly text: string }) => <>{treeOf(text).map(nodeOf)}</>);

function nodeOf(tree: TextTree, key: number): VNode | string {
  if (typeof tree === "string") return tree;
  switch (tree.tag) {
    case "plain":
      return (
        <p key={key} class="plain">
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
      return branchOf(tree, key);
  }
}

function branchOf(branch: Branch, key: number): VNode {
  const { tag, href, start, align } = branch;
  const children = branch.children.map(nodeOf);
  switch (tag) {
    case "a":
      return (
        <a key={key} href={href} target="_blank" rel="noopener noreferrer">
          {children}
        </a>
      );
    case "ol":
      return (
        <ol key={key} start={start}>
          {children}
        </ol>
      );
    case "task-list":
      return (
        <ul key={key} class="tasks">
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
        <Cell key={key} class={align ? `to-${align}` : undefined}>
          {children}
        </Cell>
      );
    }
    default: {
      const Tag = tag;
      return <Tag key={key}>{children}</Tag>;
    }
  }
}

function CodeBlock({ lang, text }: { readonly lang: string; readonly text: string }) {
  return (
    <div class="code-block">
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
