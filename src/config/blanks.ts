/**
 * Keys with nothing after them. A section whose keys are all commented out says nothing: it counts as an empty one. A
 * single setting without a value is a mistake, because nobody knows what was meant.
 */
import type { Node } from "./groups.js";
import { childOf } from "./keys.js";
import { isTree } from "./layer.js";
import type { Mistake } from "./mistakes.js";

export function withoutBlanks(
  content: unknown,
  node: Node,
  path: readonly string[] = [],
): { readonly filled: unknown; readonly blank: readonly Mistake[] } {
  if ("takes" in node || !isTree(content)) return { filled: content, blank: [] };
  const blank: Mistake[] = [];
  const filled = Object.entries(content).flatMap(([name, value]) => {
    const child = childOf(node, name);
    if (!child) return [[name, value]];
    if (value === null && "takes" in child) {
      blank.push({ path: [...path, name], message: blankSetting(child.takes.is === "list") });
      return [];
    }
    const below = withoutBlanks(value ?? {}, child, [...path, name]);
    blank.push(...below.blank);
    return [[name, below.filled]];
  });
  return { filled: Object.fromEntries(filled), blank };
}

function blankSetting(isList: boolean): string {
  return `nothing stands after it. Give it a value${isList ? ", [] for an empty list" : ""}, or remove the line.`;
}
