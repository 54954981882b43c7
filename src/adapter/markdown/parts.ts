/**
 * A Markdown text in parts that look the same apart as together: blocks between blank lines, fences, and the items of a
 * list, each for itself. A long text is read part by part, and one that grows or is measured many times is new in its last
 * part only. Linear in the text.
 */
import { type Fence, fenceAfter, fenceAt, openedFence } from "../../util/markdown-fence.js";
import { namesIn, needed } from "./names.js";

export interface MarkdownPart {
  readonly text: string;
  /** Lines that make known the names of links and footnotes which other parts explain. */
  readonly names: string;
  /** It begins with the next item of the list before; `after blank`, if a blank line stands between them. */
  readonly goesOn: "no" | "at once" | "after blank";
}

/** What an item begins with, at the margin. */
const ITEM = /^(?:([-*+])|\d{1,9}([.)]))(?:[ \t]|$)/;

class Cut {
  readonly lines: string[] = [];
  readonly goesOn: MarkdownPart["goesOn"];
  readonly isFence: boolean;
  readonly isList: boolean;
  /** The sign of its last item; items of one list have the same. */
  sign: string | null = null;
  /** So far nothing but items and what is in them. */
  #isItemsOnly: boolean;
  /** What looks like a fence may be HTML. */
  #hasHtml = false;

  constructor(line: string, before: Cut | null, isAfterBlank: boolean) {
    const sign = signOf(line);
    const isNext = sign !== null && sign === before?.sign;
    this.goesOn = isNext ? (isAfterBlank ? "after blank" : "at once") : "no";
    this.isFence = openedFence(line) !== null;
    this.isList = this.#isItemsOnly = sign !== null;
  }

  /** Whether another part begins with this line, outside of a fence. */
  endsBefore(line: string, isAfterBlank: boolean): boolean {
    if (this.isFence) return true;
    if (!/^\S/.test(line)) return false;
    return (
      isAfterBlank || (this.#isItemsOnly && ITEM.test(line)) || (!this.#hasHtml && openedFence(line) !== null)
    );
  }

  add(line: string): void {
    this.lines.push(line);
    const sign = signOf(line);
    if (sign !== null) this.sign = sign;
    else if (/^\S/.test(line)) this.#isItemsOnly = false;
    if (/^ {0,3}</.test(line)) this.#hasHtml = true;
  }
}

export function partsOfMarkdown(markdown: string): readonly MarkdownPart[] {
  const cuts = [...cutsOf(markdown.split("\n"))];
  const names = namesIn(cuts.map(({ isFence, lines }) => (isFence ? [] : lines)));
  return cuts.map(({ lines, goesOn, isFence }, index) => {
    const text = lines.join("\n");
    return { text, names: isFence ? "" : needed(names, text, index), goesOn };
  });
}

function* cutsOf(lines: readonly string[]): Generator<Cut> {
  let cut: Cut | null = null;
  let open: Fence | null = null;
  let isAfterBlank = false;
  for (const line of lines) {
    open = fenceAt(line, open, cut?.isList ?? false);
    if (cut === null || (open === null && cut.endsBefore(line, isAfterBlank))) {
      if (cut) yield cut;
      cut = new Cut(line, cut, isAfterBlank);
    }
    cut.add(line);
    open = fenceAfter(line, open, cut.isList);
    isAfterBlank = line.trim() === "";
  }
  if (cut) yield cut;
}

function signOf(line: string): string | null {
  const [, bullet, delimiter] = ITEM.exec(line) ?? [];
  return bullet ?? delimiter ?? null;
}
